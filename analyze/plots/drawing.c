/* analyze/plots/drawing.c - what the plots of a run share: its timeline, its colours, its bounds. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/drawing.h"

#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/execution/execution.h"
#include "core/metrics/bound.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

void drawing_palette(struct palette *p, const struct timeline *tl)
{
	struct palette_type *types = ht_alloc(tl->ntypes, sizeof(*types));

	for (uint32_t i = 0; i < tl->ntypes; i++)
		types[i] = (struct palette_type){trace_text(tl->trace, tl->trace->codelets[i].label), -1};
	for (size_t i = 0; i < tl->ntasks; i++) {
		struct timeline_task k = timeline_task(tl, i);
		struct palette_type *t = &types[k.type];

		t->busy_ns += (t->busy_ns < 0) + k.end_ns - k.start_ns;
	}
	palette_init(p, types, tl->ntypes);
	free(types);
}

int drawing_init(struct drawing *d, const struct run *r, struct ht_err *err)
{
	struct timeline *tl = timeline_create(r->trace, r->dag, err);
	struct bounds bounds;

	*d = (struct drawing){.timeline = tl, .input = {.timeline = tl}};
	d->input.machine = r->machine;
	d->input.dag = r->dag;
	if (!tl)
		return ht_err_wrap(err, "%s", r->path);
	drawing_palette(&d->palette, tl);
	d->name = run_name(r);
	d->input.name = d->name;
	d->input.palette = &d->palette;
	d->input.interval_ns = tl->span_ns >= 100 ? (tl->span_ns + 99) / 100 : 1;
	worker_times_init(&d->times, tl, r->trace, r->dag);
	d->input.times = &d->times;
	d->input.models = r->models;
	d->execution = execution_of_run(r);
	d->input.execution = d->execution;
	d->input.scheduler = r->scheduler;
	d->input.is_predicted = run_is_predicted(r);
	if (bounds_of(&bounds, r->dag, r->machine, run_has_copies(r) ? BOUNDS_WITH_COPIES : BOUNDS_WITHOUT_COPIES,
	              NULL) == 0)
		d->input.nbounds = bounds_named(&bounds, d->input.bounds);
	return 0;
}

void drawing_fini(struct drawing *d)
{
	free(d->name);
	execution_free(d->execution);
	palette_fini(&d->palette);
	worker_times_fini(&d->times);
	timeline_free(d->timeline);
	*d = (struct drawing){0};
}

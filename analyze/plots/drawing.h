/* analyze/plots/drawing.h - what the plots of a run share: its timeline, its colours, its bounds. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PLOTS_DRAWING_H
#define ANALYZE_PLOTS_DRAWING_H

#include "analyze/data/worker_time.h"
#include "analyze/plots/plot.h"
#include "core/execution/palette.h"

struct execution;
struct ht_err;
struct run;

/* `input` is for plot.write; its interval_ns is a hundredth of the run until it is set. */
struct drawing {
	struct plot_input input;
	struct timeline *timeline;
	struct worker_times times;
	struct palette palette;
	struct execution *execution;
	char *name;
};

/* The run is borrowed. Fails when its events cannot be put in order. drawing_fini() also after a failure. */
int drawing_init(struct drawing *d, const struct run *r, struct ht_err *err);
void drawing_fini(struct drawing *d);

/* Colours for the types of a timeline; palette_fini() it. */
void drawing_palette(struct palette *p, const struct timeline *tl);

#endif

/* replay/cmd_replay_overheads.c - heterotune replay: what the threads are taken to need for their own work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/cmd_replay_overheads.h"

#include <stdio.h>

#include "core/base/json.h"
#include "core/base/table.h"
#include "core/trace/overheads.h"

static int64_t mean_ns(const struct overheads_delays *d)
{
	int64_t sum = 0;

	for (int i = 0; i < DELAY_SLICES; i++)
		sum += d->ns[i] / DELAY_SLICES;
	return sum;
}

static void row(struct table *t, enum arch a, const char *what, int64_t ns, const char *source)
{
	char text[16];

	table_cell(t, "%s", arch_name(a));
	table_cell(t, "%s", what);
	table_cell(t, "%s", time_text(text, ns));
	table_cell(t, "%s", source);
}

static const char *without_samples(const struct overheads_all *o, enum arch a, int kind)
{
	if (kind == OVERHEAD_QUEUE && !o->of[a].queue_ns)
		return "within the task";
	return kind == OVERHEAD_LOOK && o->samples[ARCH_CPU][kind] ? "as of CPUs" : "constant";
}

static void rows_of(struct table *t, const struct overheads_all *o, enum arch a)
{
	static const char *const copies[] = {"copy in, later than by its link", "copy out, later than by its link"};
	char source[48];

	for (int k = 0; k < OVERHEAD_COUNT; k++) {
		if (a == ARCH_CPU &&
		    (k == OVERHEAD_QUEUE || k == OVERHEAD_COPY || (k == OVERHEAD_ALLOCATE && !o->samples[a][k])))
			continue;
		snprintf(source, sizeof(source), "mean of %u", (unsigned)o->samples[a][k]);
		row(t, a, overheads_name((enum overheads_kind)k), overheads_ns(&o->of[a], (enum overheads_kind)k),
		    o->samples[a][k] ? source : without_samples(o, a, k));
	}
	if (o->pop_ns[a] >= 0)
		row(t, a, "of these in the scheduler", o->pop_ns[a], "mean");
	for (int d = 0; d < COPIES_DIRECTIONS; d++) {
		const struct overheads_delays *x = &o->of[a].delays[d];

		snprintf(source, sizeof(source), "mean of %u", (unsigned)x->samples);
		if (x->samples)
			row(t, a, copies[d], mean_ns(x), source);
	}
}

void overheads_print(const struct overheads_all *o, arch_mask archs)
{
	struct table *t = table_create("<threads of|<overhead|time|<from the run");
	char text[16];

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (archs >> a & 1)
			rows_of(t, o, (enum arch)a);
	}
	putchar('\n');
	table_print(t, stdout);
	table_free(t);
	if (o->submit_ns >= 0)
		printf("\nthe application submitted a task every %s\n", time_text(text, o->submit_ns));
}

static void json_of(struct json *j, const struct overheads_all *o, enum arch a)
{
	static const char *const keys[OVERHEAD_COUNT] = {
		[OVERHEAD_END] = "end_ns",   [OVERHEAD_PUSH] = "push_ns",         [OVERHEAD_CALLBACK] = "callback_ns",
		[OVERHEAD_LOOK] = "look_ns", [OVERHEAD_ASK] = "ask_ns",           [OVERHEAD_QUEUE] = "queue_ns",
		[OVERHEAD_COPY] = "copy_ns", [OVERHEAD_ALLOCATE] = "allocate_ns",
	};
	static const char *const delays[] = {"copy_in_late_ns", "copy_out_late_ns"};

	for (int k = 0; k < OVERHEAD_COUNT; k++)
		json_int(j, keys[k], overheads_ns(&o->of[a], (enum overheads_kind)k));
	if (o->pop_ns[a] >= 0)
		json_int(j, "pop_ns", o->pop_ns[a]);
	for (int d = 0; d < COPIES_DIRECTIONS; d++)
		json_int(j, delays[d], mean_ns(&o->of[a].delays[d]));
	json_open(j, "samples", '{');
	for (int k = 0; k < OVERHEAD_COUNT; k++)
		json_int(j, keys[k], o->samples[a][k]);
	for (int d = 0; d < COPIES_DIRECTIONS; d++)
		json_int(j, delays[d], o->of[a].delays[d].samples);
	json_close(j, '}');
}

void overheads_json(struct json *j, const struct overheads_all *o, arch_mask archs)
{
	json_open(j, "overheads", '{');
	if (o->submit_ns >= 0)
		json_int(j, "submit_ns", o->submit_ns);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(archs >> a & 1))
			continue;
		json_open(j, arch_name((enum arch)a), '{');
		json_of(j, o, (enum arch)a);
		json_close(j, '}');
	}
	json_close(j, '}');
}

/* core/execution/execution.h - what ran where and when, of a run or of a prediction: what viewers of traces show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_EXECUTION_EXECUTION_H
#define CORE_EXECUTION_EXECUTION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/execution/palette.h"

struct arena;
struct dag;
struct machine;
struct run;

#define EXECUTION_NONE UINT32_MAX

/* An executed task, recorded, simulated or predicted. */
struct execution_task {
	int64_t submit_ns;                  /* at most start_ns; TIME_NONE: not recorded */
	int64_t ready_ns, start_ns, end_ns; /* ready <= start <= end */
	int64_t held_ns; /* of a run: its worker had taken it so long before start_ns; 0: not known */
	int64_t wait_ns; /* of a simulation: until start_ns its worker had this task only, and waited for its data */
	uint64_t job;    /* number in the trace */
	uint32_t type;   /* into types[] of the execution, and of the graph */
	uint32_t item;   /* index in the graph */
	int32_t worker;  /* of the machine */
	uint8_t lane;    /* in a picture: 0, or more where tasks of one worker overlap */
};

struct execution_copy {
	int64_t start_ns, end_ns;
	uint64_t bytes;
	uint32_t handle;     /* data, of the graph; EXECUTION_NONE: not known */
	uint16_t from, to;   /* memory nodes of the machine */
	uint8_t cause, lane; /* enum copy_cause; lanes are of (from, to) */
};

/* From here on so many bytes of data have memory on a node. */
struct execution_memory {
	int64_t ns;
	uint64_t bytes;
	uint16_t node;
};

/* What a worker did beside tasks: kind as in trace_span. Spans of a worker may nest. */
struct execution_span {
	int64_t start_ns, end_ns;
	uint16_t worker;
	uint8_t kind, nested; /* nested: it begins inside another one of its worker */
};

struct execution_step { /* from here on `ready` tasks wait for a worker */
	int64_t ns, ready;
};

enum { EXECUTION_LANES = 16 };

/* Tasks, copies and spans are in the order of their starts. Times are from the first submission or an earlier event. */
struct execution {
	const char *name; /* of the run */
	const struct machine *machine;
	const struct dag *dag; /* of the run */
	const char *const *types;
	uint32_t ntypes;
	struct palette palette;
	struct execution_task *tasks;
	size_t ntasks, cap_tasks;
	struct execution_copy *copies;
	size_t ncopies, cap_copies;
	struct execution_span *spans;
	size_t nspans, cap_spans;
	struct execution_step *steps;
	size_t nsteps;
	struct execution_memory *memory; /* by time; none where it was not recorded */
	size_t nmemory, cap_memory;
	const char **workers; /* names, unique: "CPU0", "CUDA0_1"; "1_CPU0" where there are several ranks */
	uint8_t *lanes;       /* per worker, 1 or more */
	int64_t origin_ns;    /* time 0 in times of the trace; of a prediction 0 */
	struct arena *arena;
};

/* What a run did. Ready times that were not recorded are the last of submission and ends of predecessors. */
struct execution *execution_of_run(const struct run *r);

/*
 * A prediction of `r` on `m`: execution_create() makes it with the types of the run's graph and without tasks. Then
 * come execution_add(), execution_add_copy() and execution_add_span(), in any order; what they are given is copied,
 * lanes in it do not count, and a span of no length is left out. execution_finish() sorts all by start and finds the
 * lanes; nothing can be added after it. `r` and `m` must outlive the execution; execution_free() it.
 */
struct execution *execution_create(const struct run *r, const struct machine *m);
void execution_add(struct execution *e, const struct execution_task *t);
void execution_add_copy(struct execution *e, const struct execution_copy *c);
void execution_add_span(struct execution *e, int worker, uint8_t kind, int64_t start_ns, int64_t end_ns);
void execution_finish(struct execution *e);

void execution_free(struct execution *e);

/* The forms in which viewers read it. NULL-terminated: execution.c. `write` only writes; its caller looks at f. */
struct execution_format {
	const char *name;
	const char *mark; /* what its files have at their beginning */
	void (*write)(const struct execution *e, FILE *f);
};
extern const struct execution_format *const execution_formats[];
extern const struct execution_format execution_chrome, execution_paje;

#endif

/* core/metrics/bus_game.h - the game between rows, times that a makespan is not below, and assignments of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_BUS_GAME_H
#define CORE_METRICS_BUS_GAME_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"
#include "core/metrics/two_sides.h"

struct dag;
struct machine;
struct min_cut;

enum { BUS_GAME_ROWS = 40 };

/* What rows and assignments are, and why this is a bound: bound_bus.c. */
struct bus_place {
	enum arch arch;
	enum side side;
};

enum row_kind { ROW_WORK, ROW_PASSAGE, ROW_CHAIN };

struct bus_row {
	enum row_kind kind;
	int of; /* the architecture, or the passage */
	double head, tail;
	uint32_t *tasks, *edges; /* of a chain; edges[i] leads to tasks[i] */
	uint32_t ntasks;
};

/* An assignment: where each task is. */
struct bus_column {
	uint8_t *places; /* per task */
	double *times;   /* per row */
	double share;    /* of the mixture */
};

struct bus_game {
	const struct dag *d;
	struct two_sides two;
	struct bus_place places[2 * ARCH_COUNT];
	int nplaces;
	int workers[ARCH_COUNT];
	double *time;         /* [class * nplaces + place], ns; INFINITY: it cannot run there */
	double *least[SIDES]; /* per class: the least of the side's places */
	double *head[SIDES];  /* per task: it cannot start on the side before */
	double *tail[SIDES];  /* per task: from its end on the side to that of the last task, at least */
	double *copy_head[SIDES], *copy_tail[SIDES]; /* per version: of a copy out of the side */
	double known;                                /* a bound */
	struct bus_row rows[BUS_GAME_ROWS];
	int nrows;
	struct bus_column *columns;
	size_t ncolumns, cap_columns;
	/*
	 * The cut: tasks are nodes, and the edges along which data goes are arcs. A version has that arc alone if it
	 * has one reader; else it has a node for each side: the side's is where the producer is, unless a reader on the
	 * other side has drawn it there.
	 */
	struct min_cut *cut;
	uint32_t nnodes, narcs;
	uint32_t *arc_of_edge;
	uint32_t *arc_of_version[SIDES], *node_of_version[SIDES];
	double *cost; /* [task * nplaces + place] */
	double (*node_cost)[SIDES], (*arc_price)[SIDES];
	int64_t (*costs)[2], (*prices)[2];
	enum side *drawn; /* per arc, from a version's node to a reader: the node's side is no other; SIDES: any arc */
	uint8_t *sides;
};

/* No rows, no columns, and `known_ns` as a bound that is known. bus_game_fini() it. */
void bus_game_init(struct bus_game *g, const struct dag *d, const struct machine *m, int64_t known_ns);
void bus_game_fini(struct bus_game *g);

/* There are fewer than BUS_GAME_ROWS. Its arrays are the game's then. */
void bus_game_add_row(struct bus_game *g, struct bus_row row);

/* The bound that the weights of the rows give; the assignment that is the best against them becomes a column. */
double bus_game_answer(struct bus_game *g, const double *weights);

/* Of a task, per place: ns; INFINITY: it cannot run there. */
const double *bus_game_times(const struct bus_game *g, uint32_t t);

/* Of a copy from a task on side `from` to one on side `to` along the edge of dag.pred, ns. */
double bus_game_copy_ns(const struct bus_game *g, uint32_t edge, enum side from, enum side to);

/* What a task adds to a row of work on a place, ns. */
double bus_game_work_ns(const struct bus_game *g, const struct bus_row *r, uint32_t t, int place);

/* What a copy of a version out of a side adds to a row of a passage, ns. */
double bus_game_passage_ns(const struct bus_game *g, const struct bus_row *r, uint32_t version, enum side from);

static inline enum side bus_game_side(const struct bus_game *g, const struct bus_column *c, uint32_t t)
{
	return g->places[c->places[t]].side;
}

/* The side that the version has to be copied from to the other one; SIDES: neither. */
enum side bus_game_copied_from(const struct bus_game *g, const struct bus_column *c, const struct version *v);

#endif

/* generate/cmd_graph.c - heterotune graph: a run directory of a task graph that no application made. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/run/run_writer.h"
#include "generate/costs.h"
#include "generate/execute.h"
#include "generate/graph.h"
#include "generate/mix.h"
#include "generate/resize.h"
#include "generate/write.h"

enum { MAX_KNOBS = 16 };

static const char *const MACHINE = "cuda:4@12G cpu:20 link:12GB/s";

/* -1: not given. */
struct settings {
	int64_t tiles, tile_size, iterations, bandwidth, arity, depth, dimensions, particles, split;
	int64_t layers, tasks, width, types;
	double probability;
};

struct graph_options {
	const char *output, *machine, *mix, *sizes;
	struct option_list costs, cost_files;
	int64_t seed;
	struct settings set;
};

/* The settings by the names of their options. */
struct setting {
	const char *name;
	double value;
};

enum { SETTINGS = 14 };

static void settings_by_name(const struct settings *s, struct setting by_name[SETTINGS])
{
	const struct setting all[SETTINGS] = {
		{"tiles", (double)s->tiles},           {"tile-size", (double)s->tile_size},
		{"iterations", (double)s->iterations}, {"bandwidth", (double)s->bandwidth},
		{"arity", (double)s->arity},           {"depth", (double)s->depth},
		{"dimensions", (double)s->dimensions}, {"particles", (double)s->particles},
		{"split", (double)s->split},           {"layers", (double)s->layers},
		{"tasks", (double)s->tasks},           {"width", (double)s->width},
		{"types", (double)s->types},           {"probability", s->probability},
	};

	memcpy(by_name, all, sizeof(all));
}

/*
 * What was given where the kind has such a knob, its default where nothing was; anything else that was given is an
 * error.
 */
static int set_knobs(const struct graph_kind *kind, const struct graph_options *o, double knob[MAX_KNOBS],
                     struct ht_err *err)
{
	struct setting given[SETTINGS];
	int used = 0, ngiven = 0;

	settings_by_name(&o->set, given);
	for (int i = 0; i < SETTINGS; i++)
		ngiven += given[i].value >= 0;
	for (int k = 0; kind->knobs[k].name; k++) {
		const struct graph_knob *x = &kind->knobs[k];

		knob[k] = x->fallback;
		for (int i = 0; i < SETTINGS; i++) {
			if (given[i].value < 0 || strcmp(given[i].name, x->name) != 0)
				continue;
			if (given[i].value < x->min || given[i].value > x->max)
				return ht_err_set(err, "%s: --%s wants %.10g to %.10g: found %.10g", kind->name,
				                  x->name, x->min, x->max, given[i].value);
			knob[k] = given[i].value;
			given[i].value = -1;
			used++;
		}
	}
	for (int i = 0; used < ngiven && i < SETTINGS; i++)
		if (given[i].value >= 0)
			return ht_err_set(err, "%s has no --%s: see heterotune graph --list", kind->name,
			                  given[i].name);
	if (o->mix && !(kind->random & GRAPH_MIX))
		return ht_err_set(err, "%s has no --mix: see heterotune graph --list", kind->name);
	if (o->mix && o->set.types >= 0)
		return ht_err_set(err, "--types is for random types, and --mix gives them");
	if (o->seed >= 0 && !kind->random)
		return ht_err_set(err, "%s has no --seed: there is nothing random in it", kind->name);
	return 0;
}

/* "cholesky tiles=20 tile-size=960 machine=cuda:4 cpu:20": what makes the same graph again; free() it. */
static char *describe(const struct graph_kind *kind, const struct graph_options *o, const double *knob)
{
	char *how = ht_asprintf("%s", kind->name), number[32];

	for (int k = 0; kind->knobs[k].name; k++)
		ht_append(&how, " %s=%s", kind->knobs[k].name, number_text(number, knob[k]));
	if (kind->random)
		ht_append(&how, " seed=%lld", (long long)(o->seed < 0 ? 1 : o->seed));
	for (int i = 0; i < o->costs.count; i++)
		ht_append(&how, " cost=%s", o->costs.items[i]);
	for (int i = 0; i < o->cost_files.count; i++)
		ht_append(&how, " costs=%s", o->cost_files.items[i]);
	if (o->mix)
		ht_append(&how, " mix=%s", o->mix);
	ht_append(&how, " machine=%s", o->machine ? o->machine : MACHINE);
	return how;
}

static int read_costs(const struct graph_options *o, struct costs *costs, struct ht_err *err)
{
	for (int i = 0; i < o->cost_files.count; i++)
		if (costs_add_file(costs, o->cost_files.items[i], err) != 0)
			return -1;
	for (int i = 0; i < o->costs.count; i++)
		if (costs_add(costs, o->costs.items[i], "--cost", err) != 0)
			return -1;
	return 0;
}

static int print_made(const char *path, const struct graph *g, const struct machine *m, int64_t makespan_ns)
{
	char workers[128], span[16];
	size_t edges = graph_edges(g), ntasks = graph_ntasks(g), ntypes = graph_ntypes(g);

	printf("%s: %zu task%s of %zu type%s, %zu dependenc%s, %u task%s on the longest path; %s on %s\n", path, ntasks,
	       plural(ntasks), ntypes, plural(ntypes), edges, edges == 1 ? "y" : "ies", graph_critical_tasks(g),
	       plural(graph_critical_tasks(g)), time_text(span, makespan_ns),
	       machine_summary(m, workers, sizeof(workers)));
	return 0;
}

/* "10,20,40" or "10 20 40": sizes of the runs, ascending, and of the graph. */
static int read_sizes(const char *text, size_t nruns, int64_t sizes[RESIZE_MOST_RUNS + 1], struct ht_err *err)
{
	char *copy = ht_strndup(text, strlen(text)), *save = NULL;
	size_t n = 0;

	for (char *s = strtok_r(copy, ", ", &save); s; s = strtok_r(NULL, ", ", &save), n++)
		if (n > nruns || number_parse_int(s, 0, INT32_MAX, &sizes[n]) != 0)
			n = nruns + 1;
	free(copy);
	if (n != nruns + 1)
		return ht_err_set(err,
		                  "--sizes wants %zu numbers, those of the runs and that of the graph: found \"%.60s\"",
		                  nruns + 1, text);
	for (size_t i = 1; i < nruns; i++)
		if (sizes[i] <= sizes[i - 1])
			return ht_err_set(err,
			                  "--sizes: the runs are to be given from small to large, found %lld after %lld",
			                  (long long)sizes[i], (long long)sizes[i - 1]);
	return 0;
}

/* Options that are for kinds, of which none is for recorded runs. */
static int check_no_knobs(const struct graph_options *o, struct ht_err *err)
{
	static const struct graph_knob none[] = {{0}};
	static const struct graph_kind recorded = {.name = "a graph of recorded runs", .knobs = none};
	double knob[MAX_KNOBS];

	if (o->costs.count || o->cost_files.count)
		return ht_err_set(err, "%s has the costs of the runs, and takes no --cost", recorded.name);
	return set_knobs(&recorded, o, knob, err);
}

static int answer_recorded(char **words, const struct graph_options *o, struct ht_err *err)
{
	struct run *runs[RESIZE_MOST_RUNS] = {NULL};
	struct machine *m = NULL;
	struct graph *g = NULL;
	struct executed *tasks = NULL;
	int64_t sizes[RESIZE_MOST_RUNS + 1], makespan_ns;
	size_t n = 0;
	char *how = NULL;
	int rc = -1;

	while (words[n])
		n++;
	if (read_sizes(o->sizes, n, sizes, err) != 0 || check_no_knobs(o, err) != 0 ||
	    run_writer_check(o->output, "-o", err) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!(runs[i] = run_open(words[i], err)))
			goto out;
	m = o->machine ? machine_open(o->machine, err) : NULL;
	if (o->machine && !m)
		goto out;
	g = resize((const struct run *const *)runs, sizes, n, sizes[n], err);
	tasks = g ? execute(g, m ? m : runs[n - 1]->machine, &makespan_ns, err) : NULL;
	if (!tasks)
		goto out;
	how = ht_asprintf("%s at sizes=%s", runs[n - 1]->command, o->sizes);
	if (write_run(g, tasks, m ? m : runs[n - 1]->machine, how, o->output, err) == 0)
		rc = print_made(o->output, g, m ? m : runs[n - 1]->machine, makespan_ns);
out:
	free(how);
	free(tasks);
	graph_free(g);
	machine_free(m);
	for (size_t i = 0; i < n; i++)
		run_free(runs[i]);
	return rc;
}

static int answer_kind(char **words, const struct graph_options *o, struct ht_err *err)
{
	const struct graph_kind *kind = graph_kind_find(words[0], err);
	struct costs *costs = costs_create();
	struct machine *m = NULL;
	struct graph *g = NULL;
	struct executed *tasks = NULL;
	struct mix *mix = NULL;
	struct graph_input in = {.seed = (uint64_t)(o->seed < 0 ? 1 : o->seed)};
	double knob[MAX_KNOBS];
	int64_t makespan_ns;
	char *how = NULL;
	int rc = -1;

	if (kind && words[1])
		kind = NULL, ht_err_set(err, "expected one KIND of graph, found another word, \"%.60s\"", words[1]);
	if (!kind || set_knobs(kind, o, knob, err) != 0 || read_costs(o, costs, err) != 0)
		goto out;
	if (run_writer_check(o->output, "-o", err) != 0) /* before anything that takes long */
		goto out;
	mix = o->mix ? mix_load(o->mix, err) : NULL;
	if (o->mix && !mix)
		goto out;
	m = machine_open(o->machine ? o->machine : MACHINE, err);
	if (!m)
		goto out;
	in.mix = mix;
	in.knob = knob;
	in.machine = m;
	g = graph_make(kind, &in, costs, err);
	tasks = g ? execute(g, m, &makespan_ns, err) : NULL;
	if (!tasks)
		goto out;
	how = describe(kind, o, knob);
	if (write_run(g, tasks, m, how, o->output, err) == 0)
		rc = print_made(o->output, g, m, makespan_ns);
out:
	free(how);
	free(tasks);
	graph_free(g);
	machine_free(m);
	costs_free(costs);
	free(mix);
	return rc;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct graph_options *o = options;

	if (!o->sizes && file_exists(words[0]) && !graph_kind_find(words[0], NULL))
		return ht_err_set(err, "%s: expected --sizes with a run: its size, and that of the graph to make",
		                  words[0]);
	if (!o->sizes && !graph_kind_find(words[0], err))
		return -1;
	if (!o->output)
		return ht_err_set(err, "expected -o RUN: see --help");
	return o->sizes ? answer_recorded(words, o, err) : answer_kind(words, o, err);
}

enum { LIST_INDENT = 12 };

static void list_kinds(void)
{
	puts("kind      what it is, and its options with their defaults");
	for (int i = 0; graph_kinds[i]; i++) {
		char option[64], number[32];
		int at = LIST_INDENT - 1;

		printf("%-8s  %s\n%*s", graph_kinds[i]->name, graph_kinds[i]->summary, at, "");
		for (const struct graph_knob *k = graph_kinds[i]->knobs; k->name; k++) {
			snprintf(option, sizeof(option), "--%s %s", k->name, number_text(number, k->fallback));
			at = wrap_piece(stdout, option, at, LIST_INDENT, 80);
		}
		if (graph_kinds[i]->random)
			at = wrap_piece(stdout, "--seed 1", at, LIST_INDENT, 80);
		if (graph_kinds[i]->random & GRAPH_MIX)
			wrap_piece(stdout, "--mix FILE", at, LIST_INDENT, 80);
		putchar('\n');
	}
}

static int cmd_graph_run(int argc, char **argv)
{
	struct graph_options o = {
		.seed = -1,
		.set = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
	};
	struct settings *s = &o.set;
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &o.output, "RUN", "directory to make; never overwritten"},
		{OPTION_TEXT, 0, "machine", &o.machine, "MACHINE",
	         "a file, or a text (default: cuda:4@12G cpu:20 link:12GB/s)"},
		{OPTION_TEXTS, 0, "cost", &o.costs, "TYPE=ARCH:US,...",
	         "what a task of that type takes, in us; may be repeated"},
		{OPTION_TEXTS, 0, "costs", &o.cost_files, "FILE", "a file of such lines"},
		{OPTION_TEXT, 0, "sizes", &o.sizes, "N,...", "of recorded RUNs, and of the graph to make"},
		{OPTION_INT, 0, "seed", &o.seed, "N", "of random graphs (default: 1)"},
		{OPTION_LIST, 0, "list", NULL, NULL, "list the kinds with their options and defaults"},
		{OPTION_GROUP, 0, NULL, NULL, NULL, "Options of some kinds:"},
		{OPTION_INT, 0, "tiles", &s->tiles, "N", "tiles, or blocks, in one direction"},
		{OPTION_INT, 0, "tile-size", &s->tile_size, "B", "a tile is B x B doubles"},
		{OPTION_INT, 0, "iterations", &s->iterations, "N", "how often all tiles are updated"},
		{OPTION_INT, 0, "bandwidth", &s->bandwidth, "N", "blocks on each side of the diagonal"},
		{OPTION_INT, 0, "arity", &s->arity, "N", "children of a node"},
		{OPTION_INT, 0, "depth", &s->depth, "N", "levels below the root"},
		{OPTION_INT, 0, "dimensions", &s->dimensions, "N", "2: quadtree, 3: octree"},
		{OPTION_INT, 0, "particles", &s->particles, "N", "particles in a leaf"},
		{OPTION_INT, 0, "split", &s->split, "N", "1: far interactions in tasks of their own"},
		{OPTION_INT, 0, "layers", &s->layers, "N", "how many layers"},
		{OPTION_INT, 0, "width", &s->width, "N", "tasks in a layer, or how far back a task may wait"},
		{OPTION_REAL, 0, "probability", &s->probability, "P", "that a task waits for one that it may wait for"},
		{OPTION_INT, 0, "types", &s->types, "N", "kinds of tasks"},
		{OPTION_INT, 0, "tasks", &s->tasks, "N", "how many tasks"},
		{OPTION_TEXT, 0, "mix", &o.mix, "FILE", "types with shares, costs and predecessors, a line each"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "graph",
		.synopsis = "KIND|RUN... -o RUN [options]",
		.summary = "Make a run of a task graph that no application made.",
		.epilogue = "  heterotune graph cholesky --tiles 20 -o chol.ht\n",
		.list = list_kinds,
	};

	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a KIND of graph, or recorded RUNs", 1, RESIZE_MOST_RUNS, 0,
	                                            answer},
	                   &o);
}

const struct command cmd_graph = {"graph", "make a run of a task graph that no application made", cmd_graph_run};

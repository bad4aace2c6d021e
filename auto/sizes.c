/* auto/sizes.c - heterotune auto --sizes and --plan: one program in several sizes, and what the config is for each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/sizes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/metrics/reference.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/config_replay.h"
#include "replay/recorded.h"
#include "replay/scenario.h"

static int add(struct sizes *s, const char *option, const char *name, size_t len, struct ht_err *err)
{
	if (s->count == SIZES_MAX)
		return ht_err_set(err, "%s: expected at most %d sizes in all", option, SIZES_MAX);
	s->names[s->count] = ht_strndup(name, len);
	s->runs[s->count] = ht_asprintf(SIZES_RUN "-%s", s->names[s->count]);
	s->count++;
	for (int i = 0; i < s->count - 1; i++)
		if (strcmp(s->names[i], s->names[s->count - 1]) == 0)
			return ht_err_set(err, "%s: %s stands there twice", option, s->names[i]);
	return 0;
}

static int has_hole(char *const *words)
{
	for (; *words; words++)
		if (strstr(*words, "{}"))
			return 1;
	return 0;
}

static int add_all(struct sizes *s, const char *option, const char *text, struct ht_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	int before = s->count;

	for (size_t len; *text; text += len) {
		text += strspn(text, " ,");
		len = strspn(text, allowed);
		if (len && add(s, option, text, len, err) != 0)
			return -1;
		if (text[len] && !strchr(" ,", text[len]))
			return ht_err_set(err, "%s: expected words of letters, digits, '.', '_' and '-', found \"%s\"",
			                  option, text);
	}
	return s->count > before ? 0 : ht_err_set(err, "%s: expected sizes, found none", option);
}

static int64_t number_of(const struct sizes *s, int i)
{
	int64_t n;

	return number_parse_int(s->names[i], 1, INT32_MAX, &n) == 0 ? n : 0;
}

static int check_numbers(const struct sizes *s, struct ht_err *err)
{
	for (int i = 0; i < s->count; i++)
		if (!number_of(s, i))
			return ht_err_set(err, "--plan: expected sizes that are whole numbers, found \"%s\"",
			                  s->names[i]);
	return 0;
}

int sizes_parse(struct sizes *s, const char *text, const char *planned, char *const *words, struct ht_err *err)
{
	*s = (struct sizes){.count = 0};
	if (!text && planned)
		return ht_err_set(err, "--plan: expected --sizes as well, with what is recorded");
	if (!text) {
		s->runs[s->count++] = ht_strndup(SIZES_RUN, strlen(SIZES_RUN));
		s->nrecorded = 1;
		return 0;
	}
	if (!has_hole(words))
		return ht_err_set(err, "--sizes: expected {} among the words of the command, where the size goes");
	if (add_all(s, "--sizes", text, err) != 0)
		return -1;
	s->nrecorded = s->count;
	if (planned && (add_all(s, "--plan", planned, err) != 0 || check_numbers(s, err) != 0))
		return -1;
	return 0;
}

/* The recorded one with the next larger number after `after`; -1: there is none. */
static int next_recorded(const struct sizes *s, int64_t after)
{
	int best = -1;

	for (int i = 0; i < s->nrecorded; i++)
		if (number_of(s, i) > after && (best < 0 || number_of(s, i) < number_of(s, best)))
			best = i;
	return best;
}

void sizes_graph_words(const struct sizes *s, int i, const char *words[STEP_WORDS])
{
	char *sizes = ht_asprintf("--sizes=");
	int n = 0;

	for (int r = next_recorded(s, 0); r >= 0; r = next_recorded(s, number_of(s, r))) {
		char *more = ht_asprintf("%s%s,", sizes, s->names[r]);

		words[n++] = ht_asprintf("@%s", s->runs[r]);
		free(sizes);
		sizes = more;
	}
	words[n++] = ht_asprintf("%s%s", sizes, s->names[i]);
	words[n++] = ht_asprintf("-o");
	words[n++] = ht_asprintf("!%s", s->runs[i]);
	words[n] = NULL;
	free(sizes);
}

void sizes_free_words(const char *words[STEP_WORDS])
{
	for (int n = 0; words[n]; n++)
		free((char *)words[n]);
}

void sizes_free(struct sizes *s)
{
	for (int i = 0; i < s->count; i++) {
		free(s->names[i]);
		free(s->runs[i]);
	}
}

int sizes_link(const struct sizes *s, const char *dir, struct ht_err *err)
{
	char *path = ht_asprintf("%s/" SIZES_RUN, dir);
	int rc = 0;

	if (s->names[0]) {
		unlink(path);
		if (symlink(s->runs[0], path) != 0)
			rc = ht_err_set(err, "%s: cannot be made a link to %s: %s", path, s->runs[0], strerror(errno));
	}
	free(path);
	return rc;
}

/* A replay of the config; -1: the sentence in err. */
static int64_t predict(const struct run *run, const struct scenario_options *o, const struct config *c,
                       struct ht_err *err)
{
	struct config_replay x;
	struct simulation *result = NULL;
	int64_t ns;

	if (config_replay_init(&x, c, run, o, err) == 0)
		result = simulate(x.dag, x.machine, &x.how, err);
	ns = result ? result->makespan_ns : -1;
	simulation_free(result);
	config_replay_fini(&x);
	return ns;
}

static void put(struct config *c, const char *name, const char *source, int64_t ns)
{
	c->trials[c->ntrials++] = (struct config_trial){arena_strndup(c->arena, name, strlen(name)), source, ns};
}

/* A replay of the run's order; -1: it cannot be replayed. */
static int64_t replay_order(const struct run *run, const struct scenario_options *o)
{
	struct scenario scenario = {0};
	int64_t ns = -1;

	if (scenario_open(&scenario, run, o, NULL) == 0)
		ns = recorded_simulate(run->trace, run->dag, run->machine, &scenario, NULL);
	scenario_fini(&scenario);
	return ns;
}

/* The makespans of a run: of a size that is recorded, under `scheduler` where it is not. */
static int add_run(struct config *c, const char *name, const char *dir, const struct scenario_options *o,
                   const char *scheduler, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", dir, name);
	struct run *run = run_open(path, err);
	int64_t ns = run ? predict(run, o, c, err) : -1, order_ns = -1, scheduler_ns = -1;

	if (ns >= 0) {
		put(c, name, SIZES_PREDICTED, ns);
		scheduler_ns = predict(run, o, &(struct config){.policy = scheduler, .knobs = ""}, NULL);
	}
	if (ns >= 0 && !run_is_generated(run)) {
		put(c, name, SIZES_RECORDED, trace_makespan_ns(run->trace, NULL));
		order_ns = replay_order(run, o);
	}
	if (order_ns >= 0 && (scheduler_ns < 0 || order_ns < scheduler_ns))
		put(c, name, SIZES_SCHEDULE, order_ns);
	else if (scheduler_ns >= 0)
		put(c, name, SIZES_SCHEDULE, scheduler_ns);
	run_free(run);
	free(path);
	return ns < 0 ? -1 : 0;
}

/* Those that are not recorded under the conditions and the scheduler of the first. */
static int add_runs(struct config *c, const struct sizes *s, const char *dir, struct ht_err *err)
{
	char *first = ht_asprintf("%s/%s", dir, s->runs[0]), *manifest_path = ht_asprintf("%s/manifest", first);
	struct manifest manifest = {0};
	int rc = manifest_load(&manifest, manifest_path, err);

	for (int i = 0; i < s->count && rc == 0; i++) {
		const struct scenario_options o = {.submission = "recorded",
		                                   .conditions = i < s->nrecorded ? NULL : first};

		rc = add_run(c, s->runs[i], dir, &o, manifest_get(&manifest, "scheduler"), err);
	}
	manifest_fini(&manifest);
	free(manifest_path);
	free(first);
	return rc;
}

static int is_of_size(const struct config_trial *t)
{
	return strncmp(t->name, SIZES_RUN "-", strlen(SIZES_RUN "-")) == 0;
}

/* In place of those of another policy that was here. */
static int add_evidence(struct config *c, const struct sizes *s, const char *dir, struct ht_err *err)
{
	struct config_trial *trials = arena_alloc(c->arena, (size_t)(c->ntrials + 3 * s->count), sizeof(*trials));
	int n = 0;

	for (int i = 0; i < c->ntrials; i++)
		if (!is_of_size(&c->trials[i]))
			trials[n++] = c->trials[i];
	c->trials = trials;
	c->ntrials = n;
	return add_runs(c, s, dir, err);
}

int sizes_predict(const struct sizes *s, const char *dir, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", dir);
	struct config *c = config_load(path, err);
	int rc = c && add_evidence(c, s, dir, err) == 0 ? config_save(c, path, err) : -1;

	config_free(c);
	free(path);
	return rc;
}

static int64_t find(const struct config *c, const char *name, const char *source)
{
	for (int i = 0; i < c->ntrials; i++)
		if (strcmp(c->trials[i].name, name) == 0 && strcmp(c->trials[i].source, source) == 0)
			return c->trials[i].makespan_ns;
	return -1;
}

struct size {
	const char *name;
	int64_t recorded_ns, schedule_ns, config_ns, before_ns;
};

/* The next size that the config has trials of, from the trial at `*at`: 1; 0: there is none. */
static int next_size(const struct config *c, int *at, struct size *x)
{
	for (; *at < c->ntrials; ++*at) {
		const struct config_trial *t = &c->trials[*at];

		if (strcmp(t->source, SIZES_PREDICTED) != 0)
			continue;
		x->name = t->name + strlen(SIZES_RUN "-");
		x->config_ns = t->makespan_ns;
		x->recorded_ns = find(c, t->name, SIZES_RECORDED);
		x->schedule_ns = find(c, t->name, SIZES_SCHEDULE);
		x->before_ns = x->recorded_ns < 0 ? x->schedule_ns : reference_of(x->schedule_ns, x->recorded_ns);
		++*at;
		return 1;
	}
	return 0;
}

double sizes_factor(const struct config *c)
{
	double sum = 0;
	struct size x;
	int n = 0;

	for (int at = 0; next_size(c, &at, &x);)
		if (x.before_ns > 0) {
			sum += log((double)x.config_ns / (double)x.before_ns);
			n++;
		}
	return n ? exp(sum / n) : 0;
}

void sizes_print(const struct config *c, FILE *f)
{
	struct table *t = table_create("<sizes      size|recorded|as it is, replayed|the config, replayed|change");
	char text[16];
	struct size x;
	int at = 0;

	while (next_size(c, &at, &x)) {
		table_cell(t, "           %s", x.name);
		table_cell(t, "%s", x.recorded_ns < 0 ? "-" : time_text(text, x.recorded_ns));
		table_cell(t, "%s", x.schedule_ns < 0 ? "-" : time_text(text, x.schedule_ns));
		table_cell(t, "%s", time_text(text, x.config_ns));
		if (x.before_ns < 0)
			table_cell(t, "-");
		else
			table_cell(t, "%s", change_text(text, (double)x.config_ns / (double)x.before_ns - 1));
	}
	table_print(t, f);
	table_free(t);
}

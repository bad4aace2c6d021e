/* auto/sizes.c - heterotune auto --sizes: one program in several sizes, and what the config is for each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto/steps.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/scenario.h"
#include "sched/policy.h"

#define STEP "sizes"

static int add(struct sizes *s, const char *name, size_t len, struct ht_err *err)
{
	if (s->count == SIZES_MAX)
		return ht_err_set(err, "--sizes: expected at most %d sizes", SIZES_MAX);
	s->names[s->count] = ht_strndup(name, len);
	s->runs[s->count] = ht_asprintf(SIZES_RUN "-%s", s->names[s->count]);
	s->count++;
	for (int i = 0; i < s->count - 1; i++)
		if (strcmp(s->names[i], s->names[s->count - 1]) == 0)
			return ht_err_set(err, "--sizes: %s stands there twice", s->names[i]);
	return 0;
}

static int has_hole(char *const *words)
{
	for (; *words; words++)
		if (strstr(*words, "{}"))
			return 1;
	return 0;
}

int sizes_parse(struct sizes *s, const char *text, char *const *words, struct ht_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	*s = (struct sizes){.count = 0};
	if (!text) {
		s->runs[s->count++] = ht_strndup(SIZES_RUN, strlen(SIZES_RUN));
		return 0;
	}
	if (!has_hole(words))
		return ht_err_set(err, "--sizes: expected {} among the words of the command, where the size goes");
	for (size_t len; *text; text += len) {
		text += strspn(text, " ,");
		len = strspn(text, allowed);
		if (len && add(s, text, len, err) != 0)
			return -1;
		if (text[len] && !strchr(" ,", text[len]))
			return ht_err_set(err,
			                  "--sizes: expected words of letters, digits, '.', '_' and '-', found \"%s\"",
			                  text);
	}
	return s->count ? 0 : ht_err_set(err, "--sizes: expected sizes, found none");
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

/* A replay of the config on the run as it was; -1: the sentence in err. */
static int64_t predict(const struct run *run, const struct config *c, struct ht_err *err)
{
	const struct scenario_options plain = {.submission = "recorded"};
	char *policy = ht_asprintf("%s%s%s", c->policy, *c->knobs ? ":" : "", c->knobs);
	struct simulate_options how = {.config = c, .pipeline = PIPELINE_OF_RUN};
	struct simulation *result = NULL;
	struct dag *ranked = NULL;
	struct scenario scenario;
	int64_t ns = -1;

	if (scenario_open(&scenario, run, &plain, err) != 0 || config_fits(c, scenario.machine, err) != 0)
		goto out;
	scenario_set_env(&c->starpu_env, &how);
	scenario_start(&scenario, &c->starpu_env);
	scenario_set(&scenario, &how);
	how.policy = policy_find(policy, &how.policy_options, err);
	if (how.policy && c->has_rank_priorities)
		ranked = rank_dag(scenario.dag, scenario.machine, err);
	if (how.policy && (ranked || !c->has_rank_priorities))
		result = simulate(ranked ? ranked : scenario.dag, scenario.machine, &how, err);
	ns = result ? result->makespan_ns : -1;
out:
	simulation_free(result);
	dag_free(ranked);
	scenario_fini(&scenario);
	free(policy);
	return ns;
}

static void put(struct config *c, const char *name, const char *source, int64_t ns)
{
	c->trials[c->ntrials++] = (struct config_trial){arena_strndup(c->arena, name, strlen(name)), source, ns};
}

static int add_evidence(struct config *c, const struct sizes *s, const char *dir, struct ht_err *err)
{
	struct config_trial *trials = arena_alloc(c->arena, (size_t)(c->ntrials + 2 * s->count), sizeof(*trials));
	int rc = 0;

	memcpy(trials, c->trials, (size_t)c->ntrials * sizeof(*trials));
	c->trials = trials;
	for (int i = 0; i < s->count && rc == 0; i++) {
		char *path = ht_asprintf("%s/%s", dir, s->runs[i]);
		struct run *run = run_open(path, err);
		int64_t ns = run ? predict(run, c, err) : -1;

		rc = ns < 0 ? -1 : 0;
		if (rc == 0) {
			put(c, s->runs[i], SIZES_RECORDED, trace_makespan_ns(run->trace, NULL));
			put(c, s->runs[i], SIZES_PREDICTED, ns);
		}
		run_free(run);
		free(path);
	}
	return rc;
}

int sizes_predict(const struct sizes *s, struct steps *steps, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", steps->dir);
	struct config *c = NULL;
	int rc = 0;

	if (steps_is_done(steps, STEP, steps_fingerprint(path))) {
		steps_keep(steps, STEP, "as before");
		goto out;
	}
	steps_begin(steps, STEP, 0);
	c = config_load(path, err);
	rc = c && add_evidence(c, s, steps->dir, err) == 0 ? config_save(c, path, err) : -1;
	if (rc == 0)
		rc = steps_end(steps, STEP, steps_fingerprint(path), err);
out:
	config_free(c);
	free(path);
	return rc;
}

static const struct config_trial *find(const struct config *c, const char *name, const char *source)
{
	for (int i = 0; i < c->ntrials; i++)
		if (strcmp(c->trials[i].name, name) == 0 && strcmp(c->trials[i].source, source) == 0)
			return &c->trials[i];
	return NULL;
}

int sizes_print(const struct sizes *s, const char *dir, FILE *f, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", dir), text[16];
	struct config *c = config_load(path, err);
	struct table *t = c ? table_create("<sizes      size|recorded|the config, replayed|change") : NULL;

	for (int i = 0; i < s->count && t; i++) {
		const struct config_trial *before = find(c, s->runs[i], SIZES_RECORDED);
		const struct config_trial *after = find(c, s->runs[i], SIZES_PREDICTED);

		if (!before || !after || before->makespan_ns <= 0)
			continue;
		table_cell(t, "           %s", s->names[i]);
		table_cell(t, "%s", time_text(text, before->makespan_ns));
		table_cell(t, "%s", time_text(text, after->makespan_ns));
		table_cell(t, "%+.1f %%", 100 * ((double)after->makespan_ns / (double)before->makespan_ns - 1));
	}
	if (t)
		table_print(t, f);
	table_free(t);
	free(path);
	config_free(c);
	return t ? 0 : -1;
}

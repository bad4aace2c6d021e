/* auto/measured.c - the program as it is, and under the finalists: what each run took, and which of them to take. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto/settle.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/stats.h"
#include "core/config/config.h"
#include "core/metrics/reference.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "tune/evaluate/noise.h"

#define TIMES_FILE "measured.tsv"
#define RECORDED   "run" /* below DIR */

/* So much slower than the fastest is no difference that anyone would do something for; so much off is no surprise. */
static const double LEVEL = 1.01, USUAL_ERROR = 1.15;

static struct measured_case *add(struct measured *m, const char *name, const char *words, enum config_effort effort)
{
	struct measured_case *c = &m->cases[m->count++];

	*c = (struct measured_case){.name = ht_strndup(name, strlen(name)),
	                            .words = ht_strndup(words, strlen(words)),
	                            .effort = effort,
	                            .predicted_ns = -1};
	return c;
}

static int64_t predicted(const struct config *c, const char *name)
{
	const struct config_trial *t = config_trial_find(c, name);

	return t && strcmp(t->source, "replay") == 0 ? t->makespan_ns : -1;
}

int64_t measured_predicted(const struct config *c)
{
	const struct config_trial *run = config_trial_find(c, CONFIG_TRIAL_RUN);
	int64_t order_ns = predicted(c, CONFIG_TRIAL_RECORDED_ORDER);

	return run && reference_of(order_ns, run->makespan_ns) != order_ns ? -1 : order_ns;
}

static int add_finalist(struct measured *m, const char *path, struct ht_err *err)
{
	char *whole = ht_asprintf("%s/%s", m->dir, path);
	struct config *c = config_load(whole, err);
	enum config_effort effort = c ? config_effort(c, m->scheduler) : CONFIG_EFFORT_NONE;

	if (c && effort != CONFIG_EFFORT_NONE) {
		char words[CONFIG_WORDS];
		struct measured_case *x = add(m, c->chosen, config_words(c, words), effort);

		x->config = ht_strndup(path, strlen(path));
		x->predicted_ns = predicted(c, c->chosen);
	}
	if (c && m->cases[0].predicted_ns < 0)
		m->cases[0].predicted_ns = measured_predicted(c);
	free(whole);
	config_free(c);
	return c ? 0 : -1;
}

static const char *const roles[] = {
	[MEASURED_CHOSEN_FROM] = "choosing", [MEASURED_BESIDE] = "deciding", [MEASURED_PROPOSED] = "proposed"};

static void read_case(struct measured *m, int i, char **fields)
{
	struct measured_case *c = &m->cases[i];
	char *field = strtok_r(NULL, "\t", fields);
	int role = 0;

	while (field && role <= MEASURED_PROPOSED && strcmp(field, roles[role]) != 0)
		role++;
	if (!field || role > MEASURED_PROPOSED)
		return;
	c->role = (enum measured_role)role;
	if (c->role == MEASURED_PROPOSED)
		m->proposed = i;
	while (c->n < RANK_SUM_MAX && (field = strtok_r(NULL, "\t", fields)) != NULL &&
	       number_parse_int(field, 0, INT64_MAX, &c->ns[c->n]) == 0)
		c->n++;
}

/* "NAME\tROLE\tNS\tNS...": what is of no case, or has no role, is passed over, as what follows no time is. */
static void read_times(struct measured *m)
{
	char *path = ht_asprintf("%s/" TIMES_FILE, m->dir), *text = file_read(path, 1 << 20, NULL, NULL), *lines = NULL;

	for (char *line = text ? strtok_r(text, "\n", &lines) : NULL; line; line = strtok_r(NULL, "\n", &lines)) {
		char *fields = NULL, *name = strtok_r(line, "\t", &fields);

		for (int i = 0; i < m->count && name; i++)
			if (strcmp(name, m->cases[i].name) == 0)
				read_case(m, i, &fields);
	}
	free(text);
	free(path);
}

int measured_open(struct measured *m, const char *dir, struct ht_err *err)
{
	char *path = ht_asprintf("%s/" RECORDED "/manifest", dir);
	struct manifest manifest = {0};
	const char *scheduler;
	int rc = manifest_load(&manifest, path, err);

	*m = (struct measured){.dir = ht_strndup(dir, strlen(dir)), .proposed = -1, .fastest = -1, .chosen = -1};
	scheduler = manifest_get(&manifest, "scheduler");
	m->scheduler = ht_strndup(scheduler, strlen(scheduler));
	m->simulated = strcmp(manifest_get(&manifest, "simulated"), "yes") == 0;
	manifest_fini(&manifest);
	free(path);
	add(m, CONFIG_TRIAL_RUN, "the program as it is", CONFIG_EFFORT_NONE);
	for (int i = 1; i < MEASURED_CASES && rc == 0; i++) {
		char *finalist = ht_asprintf(MEASURED_FINALISTS "/%d.xml", i),
		     *whole = ht_asprintf("%s/%s", dir, finalist);

		if (file_exists(whole))
			rc = add_finalist(m, finalist, err);
		free(finalist);
		free(whole);
	}
	if (rc == 0)
		read_times(m);
	measured_compare(m);
	return rc;
}

void measured_free(struct measured *m)
{
	for (int i = 0; i < m->count; i++) {
		free(m->cases[i].name);
		free(m->cases[i].words);
		free(m->cases[i].config);
	}
	free(m->dir);
	free(m->scheduler);
}

void measured_begin(struct measured *m)
{
	m->proposed = -1;
	for (int i = 0; i < m->count; i++) {
		m->cases[i].n = 0;
		m->cases[i].role = MEASURED_CHOSEN_FROM;
	}
}

static void sum_up(struct measured_case *c)
{
	int64_t sorted[RANK_SUM_MAX];
	size_t n = (size_t)c->n, out;

	memcpy(sorted, c->ns, n * sizeof(*sorted));
	out = stats_median_interval(n);
	c->median_ns = stats_median(sorted, n);
	c->low_ns = sorted[out];
	c->high_ns = sorted[n - 1 - out];
}

double measured_chance(const struct measured_case *a, const struct measured_case *b)
{
	return rank_sum_p(a->ns, (size_t)a->n, b->ns, (size_t)b->n);
}

int measured_least_runs(void)
{
	double ways = 2; /* to divide 2 n values into two samples */
	int n = 1;

	for (; 2 > MEASURED_SIGNIFICANT * ways; n++)
		ways *= 2.0 * (2 * n + 1) / (n + 1);
	return n;
}

int measured_is_part(const struct measured *m, int i)
{
	return m->proposed < 0 || m->cases[i].role != MEASURED_CHOSEN_FROM;
}

int measured_rounds_done(const struct measured *m)
{
	int done = 0;

	for (int i = 0; i < m->count; i++)
		if (measured_is_part(m, i) && m->cases[i].n > done)
			done = m->cases[i].n;
	return done;
}

/* Whether runs show that the two differ. */
static int is_significant(const struct measured *m, const struct measured_case *a, const struct measured_case *b)
{
	return m->simulated || measured_chance(a, b) <= MEASURED_SIGNIFICANT;
}

static int is_gain(const struct measured *m, const struct measured_case *c)
{
	return noise_is_gain(m->cases[0].median_ns, c->median_ns) &&
	       (m->simulated || m->cases[0].median_ns - c->median_ns >= MEASURED_LEAST_NS);
}

int64_t measured_too_short(const struct measured *m)
{
	const struct measured_case *base = &m->cases[0], *c = &m->cases[m->fastest > 0 ? m->fastest : 0];

	return base->n && noise_is_gain(base->median_ns, c->median_ns) && !is_gain(m, c) ?
	               base->median_ns - c->median_ns :
	               0;
}

/* Whether it may be asked for beside the program as it is, which may have no times. */
static int is_answer(const struct measured *m, int i)
{
	const struct measured_case *base = &m->cases[0], *c = &m->cases[i];

	if (i == 0 || !base->n)
		return 1;
	return (m->simulated || m->proposed >= 0) && is_gain(m, c) && is_significant(m, base, c);
}

static int is_simpler(const struct measured_case *a, const struct measured_case *b)
{
	return a->effort != b->effort ? a->effort < b->effort : a->median_ns < b->median_ns;
}

/* Of what has a part in the present stage. */
static int find_fastest(const struct measured *m)
{
	int fastest = -1;

	for (int i = 0; i < m->count; i++)
		if (m->cases[i].n && measured_is_part(m, i) &&
		    (fastest < 0 || m->cases[i].median_ns < m->cases[fastest].median_ns))
			fastest = i;
	return fastest;
}

void measured_compare(struct measured *m)
{
	int best;

	for (int i = 0; i < m->count; i++)
		if (m->cases[i].n)
			sum_up(&m->cases[i]);
	m->chosen = m->fastest = find_fastest(m);
	if (m->fastest < 0)
		return;
	/* What was proposed is what others have to be level with, so that it was not chosen by these runs. */
	best = m->proposed >= 0 && m->cases[m->proposed].n ? m->proposed : m->fastest;
	for (int i = 0; i < m->count; i++) {
		struct measured_case *c = &m->cases[i];

		c->level = c->n && measured_is_part(m, i) &&
		           ((double)c->median_ns <= LEVEL * (double)m->cases[best].median_ns ||
		            !is_significant(m, c, &m->cases[best]));
	}
	m->chosen = is_answer(m, best) ? best : 0;
	for (int i = 0; i < m->count && m->chosen; i++)
		if (m->cases[i].level && is_answer(m, i) && is_simpler(&m->cases[i], &m->cases[m->chosen]))
			m->chosen = i;
}

/* The rounds that choose are over. Whether there are some that decide. */
static int propose(struct measured *m)
{
	const struct measured_case *base = &m->cases[0];

	if (m->simulated || m->fastest <= 0 || !base->n || !is_gain(m, &m->cases[m->fastest]))
		return 0;
	m->proposed = m->fastest;
	for (int i = 0; i < m->count; i++) {
		struct measured_case *c = &m->cases[i];

		if (i == m->proposed)
			c->role = MEASURED_PROPOSED;
		else if (i == 0 || (c->level && c->effort < m->cases[m->proposed].effort))
			c->role = MEASURED_BESIDE;
		if (c->role != MEASURED_CHOSEN_FROM)
			c->n = 0;
	}
	return 1;
}

int measured_rounds(struct measured *m, int runs)
{
	const struct measured_case *base = &m->cases[0];
	int done = measured_rounds_done(m), looks;

	if (m->proposed < 0 && done < runs)
		return runs;
	measured_compare(m);
	if (m->proposed < 0)
		return propose(m) ? runs : done;
	looks = (done + runs - 1) / runs;
	if (done < looks * runs || !done)
		return done ? looks * runs : runs;
	if (looks < MEASURED_LOOKS && base->n && m->cases[m->proposed].n && !m->chosen &&
	    is_gain(m, &m->cases[m->proposed]))
		return done + runs;
	return done;
}

const struct measured_case *measured_choice(const struct measured *m)
{
	return m->chosen < 0 ? NULL : &m->cases[m->chosen];
}

int measured_surprise(const struct measured *m)
{
	double worst = USUAL_ERROR;
	int at = -1;

	for (int i = 0; i < m->count; i++) {
		const struct measured_case *c = &m->cases[i];
		double factor;

		if (!c->n || c->predicted_ns <= 0 || c->median_ns <= 0 ||
		    (c->predicted_ns >= c->low_ns && c->predicted_ns <= c->high_ns))
			continue;
		factor = (double)c->predicted_ns / (double)c->median_ns;
		factor = fmax(factor, 1 / factor);
		if (factor > worst && factor > (double)c->high_ns / (double)(c->low_ns > 0 ? c->low_ns : 1)) {
			worst = factor;
			at = i;
		}
	}
	return at;
}

void measured_forget(const char *dir)
{
	char *times = ht_asprintf("%s/" TIMES_FILE, dir), *run = ht_asprintf("%s/" MEASURED_VERIFIED, dir);

	unlink(times);
	dir_remove(run);
	free(times);
	free(run);
}

int measured_write(const struct measured *m, struct ht_err *err)
{
	char *path = ht_asprintf("%s/" TIMES_FILE, m->dir);
	struct outfile out;
	int rc = outfile_open(&out, path, err);

	for (int i = 0; i < m->count && rc == 0; i++) {
		fprintf(out.f, "%s\t%s", m->cases[i].name, roles[m->cases[i].role]);
		for (int k = 0; k < m->cases[i].n; k++)
			fprintf(out.f, "\t%lld", (long long)m->cases[i].ns[k]);
		putc('\n', out.f);
	}
	free(path);
	return rc == 0 ? outfile_commit(&out, err) : -1;
}

int64_t measured_run_ns(const char *path, struct ht_err *err)
{
	struct trace *t = run_load_trace(path, err);
	int64_t ns = t ? trace_makespan_ns(t, NULL) : -1;

	trace_free(t);
	return ns;
}

static void add_evidence(const struct measured *m, struct config *c)
{
	struct config_trial *trials = arena_alloc(c->arena, (size_t)(c->ntrials + m->count), sizeof(*trials));

	if (c->ntrials)
		memcpy(trials, c->trials, (size_t)c->ntrials * sizeof(*trials));
	c->trials = trials;
	for (int i = 0; i < m->count; i++)
		if (m->cases[i].n)
			trials[c->ntrials++] = (struct config_trial){
				arena_strndup(c->arena, m->cases[i].name, strlen(m->cases[i].name)),
				MEASURED,
				m->cases[i].median_ns,
			};
}

int measured_settle(const struct measured *m, struct ht_err *err)
{
	const char *chosen = m->cases[m->chosen].config, *fastest = m->cases[m->fastest].config;
	char *from = ht_asprintf("%s/%s", m->dir, chosen ? chosen : fastest ? fastest : MEASURED_FINALISTS "/1.xml");
	struct config *c = config_load(from, err);
	int rc = -1;

	if (c) {
		if (!chosen && config_is_policy(m->scheduler))
			settle_plain(c, m->scheduler);
		add_evidence(m, c);
		rc = settle(m->dir, c, "runs (" TIMES_FILE ")", err);
	}
	config_free(c);
	free(from);
	return rc;
}

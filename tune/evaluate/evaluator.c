/* tune/evaluate/evaluator.c - trials: replays of settings and policies, each once, on all cores and processes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A batch is looked through in order: what is known gets its result, what is not is listed once. Process r of s takes
 * every s-th of the list, and its threads take the next of those as they come; then all processes learn all results.
 * So it makes no difference which process replays what, and every process knows the same at all times.
 */
#include "tune/evaluate/evaluator.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/intern.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/rank.h"
#include "replay/scenario.h"
#include "replay/sim/jitter.h"
#include "sched/policy.h"
#include "tune/evaluate/journal.h"
#include "tune/evaluate/mpi_processes.h"
#include "tune/settings/plan_make.h"
#include "tune/settings/problem_hash.h"
#include "tune/settings/setting.h"

struct evaluator {
	struct evaluator_options o;
	struct evaluator_graph graphs[EVALUATOR_MAX_GRAPHS];
	int ngraphs;
	struct dag *ranked[EVALUATOR_MAX_GRAPHS]; /* with upward ranks as priorities; NULL: no trial has asked for it */
	struct jitter *jitters[EVALUATOR_MAX_GRAPHS][EVALUATOR_MAX_REPLICATIONS];
	struct fewer_cpus {
		int graph, cpus;
		struct machine *machine; /* the graph's with so many CPU workers */
	} * fewer;
	size_t nfewer, capfewer;
	struct idmap known; /* key -> results[] */
	struct journal_entry *results;
	size_t nresults, capresults;
	struct idmap remembered_keys; /* of the journal, and not asked for yet */
	struct journal_entry *remembered;
	struct journal *journal;
	struct timespec begin;
	uint64_t tasks, replayed; /* tasks: also those of trials that the journal had */
	int64_t elapsed_ns;       /* of process 0, as of the last batch */
	int64_t best_ns, policy_ns;
	size_t replays, recalled;
	int cut;
};

/* What is to be replayed of a batch. */
struct batch {
	const struct evaluator *e;
	struct trial **todo;
	int64_t *makespan_ns;
	size_t n;
	atomic_size_t next;
	size_t step;
};

struct evaluator *evaluator_create(const struct evaluator_options *o)
{
	struct evaluator *e = ht_alloc(1, sizeof(*e));

	e->o = *o;
	e->best_ns = e->policy_ns = -1;
	clock_gettime(CLOCK_MONOTONIC, &e->begin);
	return e;
}

void evaluator_free(struct evaluator *e)
{
	if (!e)
		return;
	for (int g = 0; g < EVALUATOR_MAX_GRAPHS; g++)
		dag_free(e->ranked[g]);
	for (int g = 0; g < EVALUATOR_MAX_GRAPHS; g++)
		for (int d = 0; d < EVALUATOR_MAX_REPLICATIONS; d++)
			jitter_free(e->jitters[g][d]);
	for (size_t i = 0; i < e->nfewer; i++)
		machine_free(e->fewer[i].machine);
	free(e->fewer);
	idmap_fini(&e->known);
	idmap_fini(&e->remembered_keys);
	free(e->results);
	free(e->remembered);
	journal_close(e->journal);
	free(e);
}

int evaluator_add(struct evaluator *e, const struct evaluator_graph *g)
{
	assert(e->ngraphs < EVALUATOR_MAX_GRAPHS);
	e->graphs[e->ngraphs] = *g;
	return e->ngraphs++;
}

const struct evaluator_graph *evaluator_graph(const struct evaluator *e, int graph)
{
	return &e->graphs[graph];
}

static uint64_t problem(const struct evaluator *e)
{
	uint64_t h = problem_hash_begin();

	for (int g = 0; g < e->ngraphs; g++) {
		h = problem_hash_graph(h, e->graphs[g].dag, e->graphs[g].machine);
		h = problem_hash_scenario(h, e->graphs[g].scenario);
	}
	h = problem_hash(h, e->o.policy_options, strlen(e->o.policy_options) + 1);
	h = problem_hash(h, &e->o.jitter_cv, sizeof(e->o.jitter_cv));
	return problem_hash(h, &e->o.seed, sizeof(e->o.seed));
}

/* Process 0 reads it, and all know what it says. */
int evaluator_open(struct evaluator *e, struct ht_err *err)
{
	const struct journal_entry *entries = NULL;
	size_t count = 0;
	int failed = 0;

	if (e->o.journal && mpi_processes_rank() == 0) {
		e->journal = journal_open(e->o.journal, problem(e), &entries, &count, err);
		failed = !e->journal;
	}
	mpi_processes_copy(&failed, sizeof(failed));
	if (failed)
		return mpi_processes_rank() == 0 ? -1 : ht_err_set(err, "process 0 cannot write the journal");
	mpi_processes_copy(&count, sizeof(count));
	e->remembered = ht_alloc(count + 1, sizeof(*e->remembered));
	if (count && mpi_processes_rank() == 0)
		memcpy(e->remembered, entries, count * sizeof(*entries));
	mpi_processes_copy(e->remembered, count * sizeof(*e->remembered));
	for (size_t i = 0; i < count; i++)
		idmap_put(&e->remembered_keys, e->remembered[i].key, (uint32_t)i);
	return 0;
}

void evaluator_limit_tasks(struct evaluator *e, uint64_t max_tasks)
{
	e->o.max_tasks = max_tasks;
	e->tasks = 0;
}

void evaluator_limit_time(struct evaluator *e, double max_s)
{
	e->o.max_s = max_s;
}

struct config *evaluator_config(const struct evaluator *e, const struct setting *s)
{
	struct config *c = config_create();

	c->machine_name = arena_strndup(c->arena, e->o.base->machine_name, strlen(e->o.base->machine_name));
	memcpy(c->workers, e->o.base->workers, sizeof(c->workers));
	setting_config(s, c);
	return c;
}

static const struct machine *machine_of(const struct evaluator *e, const struct trial *t)
{
	for (size_t i = 0; i < e->nfewer; i++)
		if (e->fewer[i].graph == t->graph && e->fewer[i].cpus == t->starpu_env.value[STARPU_ENV_CPUS])
			return e->fewer[i].machine;
	return e->graphs[t->graph].machine;
}

/* `c` is the config of the setting, NULL where the trial has none. */
static struct simulate_options options_of(const struct evaluator *e, const struct trial *t, const struct config *c)
{
	struct simulate_options o = {
		.policy = t->setting ? &policy_heteroprio : t->policy,
		.config = c ? c : t->config,
		.policy_data = t->policy_data,
		.policy_options = t->setting ? e->o.policy_options :
	                          t->options ? t->options :
	                                       "",
		.jitter = t->replication ? e->jitters[t->graph][t->replication] : NULL,
	};

	scenario_set(e->graphs[t->graph].scenario, &o);
	scenario_set_env(&t->starpu_env, &o);
	return o;
}

static int64_t replay(const struct evaluator *e, const struct trial *t, struct ht_err *err)
{
	const struct evaluator_graph *g = &e->graphs[t->graph];
	struct config *c = t->setting ? evaluator_config(e, t->setting) : NULL;
	struct simulate_options o = options_of(e, t, c);
	struct simulation *s;
	int64_t makespan;

	s = simulate(t->by_rank && e->ranked[t->graph] ? e->ranked[t->graph] : g->dag, machine_of(e, t), &o, err);
	makespan = s ? s->makespan_ns : EVALUATOR_NEVER;
	simulation_free(s);
	config_free(c);
	return makespan;
}

/* The same for settings that differ in nothing that makes a difference on the graph. */
static uint64_t setting_key(const struct evaluator *e, const struct trial *t)
{
	struct config *c = evaluator_config(e, t->setting);
	const struct simulate_options o = options_of(e, t, c);
	uint64_t key = simulate_signature(e->graphs[t->graph].dag, machine_of(e, t), &o);

	config_free(c);
	return key ? key : setting_hash(t->setting);
}

/* Of a trial but for its replication. */
static uint64_t trial_key(const struct evaluator *e, const struct trial *t)
{
	uint64_t h = problem_hash_begin();
	const int64_t where[2] = {t->graph, t->by_rank};

	if (t->setting) {
		uint64_t setting = setting_key(e, t);

		h = problem_hash(h, &setting, sizeof(setting));
	} else {
		h = problem_hash(h, t->policy->name, strlen(t->policy->name) + 1);
		if (t->options)
			h = problem_hash(h, t->options, strlen(t->options));
		for (int i = 0; t->config && i < t->config->nplans; i++)
			if (t->config->plans[i].knobs)
				h = problem_hash(h, t->config->plans[i].knobs, strlen(t->config->plans[i].knobs));
	}
	if (!starpu_env_is_plain(&t->starpu_env))
		h = problem_hash(h, t->starpu_env.value, sizeof(t->starpu_env.value));
	return problem_hash(h, where, sizeof(where));
}

static int is_replication_of(const struct trial *t, const struct trial *of)
{
	return t->setting && t->setting == of->setting && t->graph == of->graph && t->by_rank == of->by_rank &&
	       !memcmp(t->starpu_env.value, of->starpu_env.value, sizeof(t->starpu_env.value));
}

/* The keys of all trials, whose machines and durations are there. */
static uint64_t *trial_keys(const struct evaluator *e, const struct trial *trials, size_t n)
{
	uint64_t *keys = ht_alloc(n + 1, sizeof(*keys)), key = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t replication = trials[i].replication;

		if (!i || !is_replication_of(&trials[i], &trials[i - 1]))
			key = trial_key(e, &trials[i]);
		keys[i] = problem_hash(key, &replication, sizeof(replication));
	}
	return keys;
}

int evaluator_explain(const struct evaluator *e, const struct trial *t, struct ht_err *err)
{
	replay(e, t, err);
	return -1;
}

static int is_over(const struct evaluator *e)
{
	return e->o.is_over && e->o.is_over(e->o.tune);
}

static void *work(void *arg)
{
	struct batch *b = arg;
	size_t i;

	while ((i = atomic_fetch_add(&b->next, b->step)) < b->n && !is_over(b->e))
		b->makespan_ns[i] = replay(b->e, b->todo[i], NULL);
	return NULL;
}

/* `run` on as many threads as there are jobs, and no more than there is work for. */
static void run_threads(void *(*run)(void *), void *arg, int jobs, size_t n)
{
	pthread_t threads[256];
	int started = 0, most = (int)(sizeof(threads) / sizeof(threads[0]));

	if ((size_t)jobs > n)
		jobs = (int)n;
	while (started < jobs - 1 && started < most && pthread_create(&threads[started], NULL, run, arg) == 0)
		started++;
	run(arg);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* What evaluator_each() calls. */
struct calls {
	void (*act)(void *ctx, size_t i);
	void *ctx;
	size_t n;
	atomic_size_t next;
};

static void *call(void *arg)
{
	struct calls *c = arg;
	size_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->n)
		c->act(c->ctx, i);
	return NULL;
}

void evaluator_each(const struct evaluator *e, size_t n, void (*act)(void *ctx, size_t i), void *ctx)
{
	struct calls c = {.act = act, .ctx = ctx, .n = n};

	if (n)
		run_threads(call, &c, e->o.jobs, n);
}

/* Threads only read them. */
static void prepare(struct evaluator *e, const struct trial *t)
{
	struct jitter **at = &e->jitters[t->graph][t->replication];
	const struct machine *m = machine_of(e, t);
	struct machine *fewer = m == e->graphs[t->graph].machine ? scenario_started(m, &t->starpu_env) : NULL;
	const struct jitter_options o = {
		e->o.jitter_cv < 0 ? JITTER_RECORDED : JITTER_GIVEN,
		fabs(e->o.jitter_cv),
		e->o.seed * EVALUATOR_MAX_REPLICATIONS + (uint64_t)t->replication,
	};

	/* Where some task has no rank it can run nowhere, and the replay of the graph as it is says so. */
	if (t->by_rank && !e->ranked[t->graph])
		e->ranked[t->graph] = rank_dag(e->graphs[t->graph].dag, e->graphs[t->graph].machine,
		                               plan_scope(e->graphs[t->graph].dag), NULL);
	if (fewer)
		*VEC_PUSH(e->fewer, e->nfewer,
		          e->capfewer) = (struct fewer_cpus){t->graph, t->starpu_env.value[STARPU_ENV_CPUS], fewer};
	if (t->replication && !*at)
		*at = jitter_create(e->graphs[t->graph].dag, &o);
}

struct simulation *evaluator_schedule(struct evaluator *e, const struct trial *t, struct ht_err *err)
{
	struct simulate_options o;

	prepare(e, t);
	o = options_of(e, t, NULL);
	o.keep_schedule = 1;
	return simulate(e->graphs[t->graph].dag, machine_of(e, t), &o, err);
}

static void remember(struct evaluator *e, const struct trial *t, uint64_t key, int64_t makespan_ns)
{
	int64_t *best = t->setting || t->policy == &policy_placement ? &e->best_ns : &e->policy_ns;

	idmap_put(&e->known, key, (uint32_t)e->nresults);
	*VEC_PUSH(e->results, e->nresults, e->capresults) = (struct journal_entry){key, makespan_ns};
	if (!t->graph && !t->replication && makespan_ns != EVALUATOR_NEVER && (*best < 0 || makespan_ns < *best))
		*best = makespan_ns;
}

static int64_t now_ns(const struct evaluator *e)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)(t.tv_sec - e->begin.tv_sec) * 1000000000 + t.tv_nsec - e->begin.tv_nsec;
}

/* Replays what is on the list, and writes it down. */
static int serve(struct evaluator *e, struct trial **todo, const uint64_t *keys, size_t n, struct ht_err *err)
{
	struct batch b = {.e = e, .todo = todo, .n = n, .step = (size_t)mpi_processes_size()};
	struct journal_entry *entries = ht_alloc(n + 1, sizeof(*entries));
	size_t replayed = 0;
	int rc = 0;

	b.makespan_ns = ht_alloc(n + 1, sizeof(*b.makespan_ns));
	for (size_t i = 0; i < n; i++)
		b.makespan_ns[i] = -1;
	atomic_store(&b.next, (size_t)mpi_processes_rank());
	if (n > (size_t)mpi_processes_rank())
		run_threads(work, &b, e->o.jobs, (b.n + b.step - 1) / b.step);
	b.makespan_ns[n] = mpi_processes_rank() == 0 ? now_ns(e) : -1;
	mpi_processes_max(b.makespan_ns, n + 1);
	e->elapsed_ns = b.makespan_ns[n];
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (b.makespan_ns[i] < 0) {
			e->cut = 1;
			continue;
		}
		if (b.makespan_ns[i] == EVALUATOR_NEVER && !todo[i]->setting && !todo[i]->may_fail) {
			rc = evaluator_explain(e, todo[i], err);
			break;
		}
		remember(e, todo[i], keys[i], b.makespan_ns[i]);
		entries[replayed++] = (struct journal_entry){keys[i], b.makespan_ns[i]};
		e->replayed += e->graphs[todo[i]->graph].dag->ntasks;
	}
	e->replays += replayed;
	if (rc == 0 && e->journal && replayed && journal_add(e->journal, entries, replayed, NULL) != 0) {
		journal_remove(e->journal); /* a full disk: the work goes on, and saving the config will say it */
		e->journal = NULL;
	}
	free(entries);
	free(b.makespan_ns);
	return rc;
}

static int affordable(const struct evaluator *e, uint64_t ntasks)
{
	return (!e->o.max_tasks || e->tasks + ntasks <= e->o.max_tasks) &&
	       (e->o.max_s <= 0 || (double)e->elapsed_ns / 1e9 < e->o.max_s);
}

/* One that is not known: from the journal, or onto the list; in both cases it counts. */
static void list(struct evaluator *e, struct trial *t, uint64_t key, struct trial **todo, uint64_t *keys, size_t *n,
                 struct idmap *listed)
{
	uint32_t old = idmap_get(&e->remembered_keys, key);

	e->tasks += e->graphs[t->graph].dag->ntasks;
	if (old != IDMAP_NONE) {
		remember(e, t, key, e->remembered[old].makespan_ns);
		e->recalled++;
		return;
	}
	idmap_put(listed, key, (uint32_t)*n);
	keys[*n] = key;
	todo[(*n)++] = t;
}

int evaluator_run(struct evaluator *e, struct trial *trials, size_t n, enum evaluator_limit limit, struct ht_err *err)
{
	struct trial **todo = ht_alloc(n + 1, sizeof(*todo));
	uint64_t *todo_keys = ht_alloc(n + 1, sizeof(*todo_keys)), *keys;
	struct idmap listed = {0};
	struct evaluator_state state;
	size_t ntodo = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		prepare(e, &trials[i]);
	keys = trial_keys(e, trials, n);
	for (size_t i = 0; i < n; i++) {
		if (idmap_get(&e->known, keys[i]) == IDMAP_NONE && idmap_get(&listed, keys[i]) == IDMAP_NONE &&
		    (limit == EVALUATOR_ALWAYS || affordable(e, e->graphs[trials[i].graph].dag->ntasks)))
			list(e, &trials[i], keys[i], todo, todo_keys, &ntodo, &listed);
	}
	rc = serve(e, todo, todo_keys, ntodo, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		uint32_t at = idmap_get(&e->known, keys[i]);

		trials[i].makespan_ns = at == IDMAP_NONE ? -1 : e->results[at].makespan_ns;
	}
	if (rc == 0 && e->o.progress && mpi_processes_rank() == 0) {
		evaluator_state(e, &state);
		e->o.progress(e->o.ctx, &state);
	}
	idmap_fini(&listed);
	free(todo);
	free(todo_keys);
	free(keys);
	return rc;
}

static int64_t mean_of(const struct trial *trials, int samples)
{
	double sum = 0;

	for (int d = 0; d < samples; d++) {
		if (trials[d].makespan_ns < 0 || trials[d].makespan_ns == EVALUATOR_NEVER)
			return trials[d].makespan_ns;
		sum += (double)trials[d].makespan_ns;
	}
	return (int64_t)(sum / samples);
}

/* A mean is seldom below a limit that the replay without jitter is so much above. */
static const double CLEARLY_MORE = 1.02;

static int is_hopeless(const struct trial *first, const int64_t *most_ns, size_t i)
{
	return most_ns && (double)first->makespan_ns > CLEARLY_MORE * (double)most_ns[i];
}

/* Replays the trials of those settings that are not hopeless after the first of their `samples`. */
static int replay_rest(struct evaluator *e, struct trial *trials, size_t n, size_t samples, const int64_t *most_ns,
                       enum evaluator_limit limit, struct ht_err *err)
{
	struct trial *rest = ht_alloc(n * samples + 1, sizeof(*rest));
	size_t nrest = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		for (size_t d = 1; d < samples && !is_hopeless(&trials[i * samples], most_ns, i); d++)
			rest[nrest++] = trials[i * samples + d];
	rc = evaluator_run(e, rest, nrest, limit, err);
	nrest = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t d = 1; d < samples; d++)
			trials[i * samples + d].makespan_ns = is_hopeless(&trials[i * samples], most_ns, i) ?
			                                              EVALUATOR_NEVER :
			                                              rest[nrest++].makespan_ns;
	free(rest);
	return rc;
}

int evaluator_settings(struct evaluator *e, const struct setting *const *settings, size_t n, int graph, int samples,
                       enum evaluator_limit limit, const int64_t *most_ns, int64_t *ns, struct ht_err *err)
{
	size_t each = (size_t)samples;
	struct trial *trials = ht_alloc(n * each + 1, sizeof(*trials)), *first = ht_alloc(n + 1, sizeof(*first));
	int rc;

	for (size_t i = 0; i < n * each; i++)
		trials[i] =
			(struct trial){.setting = settings[i / each], .graph = graph, .replication = (int)(i % each)};
	for (size_t i = 0; i < n; i++)
		first[i] = trials[i * each];
	rc = evaluator_run(e, first, n, limit, err);
	for (size_t i = 0; i < n; i++)
		trials[i * each] = first[i];
	if (rc == 0 && samples > 1)
		rc = replay_rest(e, trials, n, each, most_ns, limit, err);
	for (size_t i = 0; i < n; i++)
		ns[i] = mean_of(trials + i * each, samples);
	free(trials);
	free(first);
	return rc;
}

double evaluator_spent(const struct evaluator *e)
{
	double tasks = e->o.max_tasks ? (double)e->tasks / (double)e->o.max_tasks : 0;
	double time = e->o.max_s > 0 ? (double)e->elapsed_ns / 1e9 / e->o.max_s : 0;
	double spent = tasks > time ? tasks : time;

	return spent < 1 && !e->cut ? spent : 1;
}

int evaluator_is_cut(const struct evaluator *e)
{
	return e->cut;
}

int evaluator_is_over(const struct evaluator *e)
{
	int64_t over = is_over(e);

	mpi_processes_max(&over, 1);
	return over != 0;
}

void evaluator_go_on(struct evaluator *e)
{
	e->cut = 0;
}

void evaluator_state(const struct evaluator *e, struct evaluator_state *state)
{
	*state = (struct evaluator_state){
		.replays = e->replays,
		.remembered = e->recalled,
		.elapsed_s = (double)now_ns(e) / 1e9,
		.share = evaluator_spent(e),
		.tasks_per_s = e->elapsed_ns > 0 ? (double)e->replayed / ((double)e->elapsed_ns / 1e9) : 0,
		.best_ns = e->best_ns,
		.policy_ns = e->policy_ns,
	};
}

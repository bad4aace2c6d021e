/* core/trace/fxt_reader.c - raw FxT files of StarPU 1.3, 1.4 and 1.5 into a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No file says which StarPU wrote it: START_CODELET_BODY shows it (minor_of()). Files of several MPI ranks have clocks
 * of their own: they meet at the barriers that StarPU-MPI records after synchronising clocks, one at the start and, in
 * 1.4, one at the end; between the two, time is interpolated. Ranks of one host have one clock, which is more exact
 * than a barrier: a rank that was preempted leaves it late.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/trace/fxt_reader.h"

/* What has to be known of a file before its events can be read. */
struct input {
	struct fxt f;
	int rank, minor;
	int is_mpi;     /* StarPU-MPI wrote events, too */
	uint64_t start; /* tick of the first event as written */
	int nranks;     /* of the program; 0: not known */
	int nbarriers;
	uint64_t key;        /* of the barriers: a number that all ranks of an execution share */
	uint64_t barrier[2]; /* ticks of the first and the last one */
	uint64_t offset[2];  /* ns to add to a tick at, and from, these points: the sum wraps to a signed time */
};

/*
 * The StarPU that wrote this START_CODELET_BODY, behind (job, context, worker, node):
 *   1.3   has_name, and where it is 1 the name, in words of eight bytes;
 *   1.4   nothing, in some of its development versions the thread;
 *   1.5   thread, no_work. Its branch calls itself 1.4.99.
 * Thread 1 has no_work set, since it can only be the first thread of a container, which is no worker, and a name in one
 * word is never 1.
 */
static int minor_of(const struct fxt_event *body)
{
	int is_thread = fxt_param(body, 4) > 1;

	if (body->nparams == 6 && fxt_param(body, 5) <= 1 && (is_thread || fxt_param(body, 5) == 1))
		return 5;
	return body->nparams <= 4 || is_thread ? 4 : 3;
}

static void take_rank(struct input *in, const struct fxt_event *e)
{
	if (fxt_param(e, 0) < 1 << 15)
		in->rank = (int)fxt_param(e, 0);
	if (fxt_param(e, 1) <= 1 << 15)
		in->nranks = (int)fxt_param(e, 1);
}

static int scan(struct input *in, int index, struct ht_err *err)
{
	struct fxt_event e;
	int starpu = 0, rc;

	in->rank = index;
	/* The first event in the file is where StarPU counts from, even if another one's was a microsecond earlier. */
	in->start = in->f.first_tick;
	while ((rc = fxt_next(&in->f, &e, err)) > 0) {
		starpu |= e.code >= 0x5100 && e.code <= 0x52ff;
		in->is_mpi |= e.code >= 0x5200 && e.code <= 0x52ff;
		if (e.code == EV_START_BODY && !in->minor) {
			in->minor = minor_of(&e);
		} else if (e.code == EV_MPI_START) {
			take_rank(in, &e);
		} else if (e.code == EV_MPI_BARRIER) {
			uint64_t local = e.nparams > 4 && fxt_param(&e, 3) ? fxt_param(&e, 3) : e.tick;

			take_rank(in, &e);
			in->key = fxt_param(&e, 2);
			in->barrier[in->nbarriers ? 1 : 0] = local;
			in->nbarriers = in->nbarriers ? 2 : 1;
		}
	}
	if (rc < 0)
		return -1;
	if (!starpu)
		return ht_err_set(err,
		                  "%s: %zu events, none of them StarPU's: expected a trace of a StarPU application",
		                  in->f.path, in->f.nevents);
	return 0;
}

/*
 * One host name, and barriers that are no further apart than preemption makes them: clocks count from when a host was
 * started, so that those of two hosts with one name differ by more.
 */
static int have_one_clock(const struct input *in, int n)
{
	const int64_t most_ns = (int64_t)10 * 1000000000;

	for (int i = 0; i < n; i++) {
		int64_t apart = (int64_t)(in[i].barrier[0] - in[0].barrier[0]);

		if (!*in[0].f.host || strcmp(in[i].f.host, in[0].f.host) != 0 || !in[i].nbarriers || apart > most_ns ||
		    apart < -most_ns)
			return 0;
	}
	return n > 1;
}

/* All ranks count from the first event of the first of them. */
static void share_clock(struct input *in, int n)
{
	uint64_t start = in[0].start;

	for (int i = 1; i < n; i++)
		if (in[i].start < start)
			start = in[i].start;
	for (int i = 0; i < n; i++) {
		in[i].nbarriers = 0;
		in[i].offset[0] = -start;
	}
}

/* Barriers happen at one time on all ranks: the largest distance from a start to its barrier becomes their time. */
static int align(struct input *in, int n, struct ht_err *err)
{
	if (have_one_clock(in, n)) {
		share_clock(in, n);
		return 0;
	}
	for (int p = 0; p < 2; p++) {
		int64_t most = 0;

		for (int i = 0; i < n; i++)
			if (in[i].nbarriers > p && (int64_t)(in[i].barrier[p] - in[i].start) > most)
				most = (int64_t)(in[i].barrier[p] - in[i].start);
		for (int i = 0; i < n; i++)
			in[i].offset[p] = n > 1 && in[i].nbarriers > p ? (uint64_t)most - in[i].barrier[p] :
			                                                 -in[i].start;
	}
	for (int i = 0; i < n; i++) {
		int64_t drift = (int64_t)(in[i].offset[1] - in[i].offset[0]);

		if (in[i].nbarriers > 1 && (drift > TIME_LIMIT || drift < -TIME_LIMIT))
			return ht_err_set(err,
			                  "%s: from the first to the last MPI barrier its clock drifts by %lld ns: "
			                  "expected at most 13 days",
			                  in[i].f.path, (long long)drift);
	}
	return 0;
}

static int64_t time_of(const struct input *in, uint64_t tick)
{
	double drift;

	if (in->nbarriers < 2 || tick <= in->barrier[0] || in->barrier[1] <= in->barrier[0])
		return (int64_t)(tick + in->offset[0]);
	if (tick >= in->barrier[1])
		return (int64_t)(tick + in->offset[1]);
	drift = (double)(int64_t)(in->offset[1] - in->offset[0]) * (double)(tick - in->barrier[0]) /
	        (double)(in->barrier[1] - in->barrier[0]);
	return (int64_t)(tick + in->offset[0] + (uint64_t)(int64_t)drift);
}

static int read_file(struct fxt_reader *r, struct input *in, int several, struct ht_err *err)
{
	struct trace *t = r->b.t;
	size_t first_dep = t->ndeps;
	struct fxt_event e;
	int rc;

	r->path = in->f.path;
	r->rank = several ? in->rank : 0;
	r->minor = in->minor;
	fxt_rewind(&in->f);
	while ((rc = fxt_next(&in->f, &e, err)) > 0) {
		int64_t ns = time_of(in, e.written);

		if (ns > TIME_LIMIT || ns < -TIME_LIMIT)
			return ht_err_set(err,
			                  "%s: byte %llu: expected a time within 13 days of the first event, "
			                  "found %llu ns",
			                  r->path, (unsigned long long)e.offset, (unsigned long long)e.written);
		if (fxt_reader_event(r, &e, ns, err) != 0)
			return -1;
	}
	if (rc < 0)
		return -1;
	fxt_reader_end_of_file(r, first_dep);
	t->nevents += in->f.nevents;
	t->defects.unordered += in->f.unordered;
	t->defects.truncated_bytes += in->f.truncated_bytes;
	return 0;
}

/* A rank that ran nothing has files of the StarPU of the others. */
static void share_minor(struct input *in, int n)
{
	int minor = 0;

	for (int i = 0; i < n && !minor; i++)
		minor = in[i].minor;
	for (int i = 0; i < n; i++)
		if (!in[i].minor)
			in[i].minor = minor ? minor : 4;
}

static int check_ranks(const struct input *in, int n, struct ht_err *err)
{
	/* Barriers alone are not enough: a program that has its recording begin later does not record the first. */
	for (int i = 0; n > 1 && i < n; i++)
		if (!in[i].is_mpi)
			return ht_err_set(err,
			                  "%s has no event of StarPU-MPI, so it and %s are no ranks of one program: "
			                  "expected each by itself",
			                  in[i].f.path, in[i ? 0 : 1].f.path);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++) {
			if (in[i].rank == in[j].rank)
				return ht_err_set(err, "%s and %s are both of MPI rank %d: expected one file per rank",
				                  in[j].f.path, in[i].f.path, in[i].rank);
			if (in[i].nbarriers && in[j].nbarriers && in[i].key != in[j].key)
				return ht_err_set(err, "%s and %s are of two executions: expected the ranks of one",
				                  in[j].f.path, in[i].f.path);
		}
	return 0;
}

/* A rank that is not there, or of which StarPU has written only what came after its first dump, has no worker. */
static uint64_t missing_ranks(const struct input *in, int n, const struct trace *t)
{
	int nranks = 0, there = 0;

	for (int i = 0; i < n; i++) {
		int rank = n > 1 ? in[i].rank : 0, has = 0;

		for (size_t w = 0; w < t->nworkers && !has; w++)
			has = t->workers[w].rank == rank;
		there += has;
		if (in[i].rank >= nranks)
			nranks = in[i].rank + 1;
		if (in[i].nranks > nranks)
			nranks = in[i].nranks;
	}
	return (uint64_t)(nranks - there);
}

struct trace *trace_load_fxt(const char *const *paths, int npaths, struct ht_err *err)
{
	struct input *in = ht_alloc((size_t)npaths, sizeof(*in));
	struct fxt_reader r = {.isend_ns = TIME_NONE};
	struct trace *t = NULL;
	int begun = 0;

	if (npaths > TRACE_RANKS) {
		ht_err_set(err, "%s: one of %d files, expected at most %d ranks", paths[0], npaths, TRACE_RANKS);
		goto out;
	}
	for (int i = 0; i < npaths; i++)
		if (fxt_open(&in[i].f, paths[i], err) != 0 || scan(&in[i], i, err) != 0)
			goto out;
	if (check_ranks(in, npaths, err) != 0 || align(in, npaths, err) != 0)
		goto out;
	share_minor(in, npaths);
	trace_build_init(&r.b, TRACE_FXT);
	begun = 1;
	for (int i = 0; i < npaths; i++)
		if (npaths > 1 && in[i].rank >= r.b.t->nranks)
			r.b.t->nranks = in[i].rank + 1;
	r.b.t->starpu_minor = in[0].minor;
	r.b.t->host = arena_strndup(r.b.t->arena, in[0].f.host, sizeof(in[0].f.host) - 1);
	for (int i = 0; i < npaths; i++)
		if (read_file(&r, &in[i], npaths > 1, err) != 0)
			goto out;
	if (npaths > 1)
		fxt_match_messages(&r);
	begun = 0;
	t = trace_build_finish(&r.b, paths[0], err);
	if (t)
		t->defects.missing_ranks = missing_ranks(in, npaths, t);
out:
	if (begun) {
		fxt_reader_end_of_file(&r, r.b.t->ndeps);
		trace_build_abort(&r.b);
	}
	free(r.open);
	free(r.ended);
	free(r.ending);
	free(r.messages);
	free(r.releases);
	free(r.repeats);
	free(r.allocates_ns);
	for (int i = 0; i < npaths; i++)
		fxt_close(&in[i].f);
	free(in);
	return t;
}

/* replay/sim/ranks.c - the simulation of several MPI ranks, which send each other messages. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each rank is a simulation of its own, with the graph and the machine of the rank. Between their steps points happen
 * (core/dag/dag_messages.h): when the tasks before it have ended, and its messages are there. Messages are sent from
 * points, and what is behind a point is released when it is over: the rank's thread that communicates pushes the tasks
 * one after the other. What is received gets its memory as soon as nothing uses the data any more, before the message
 * is there (StarPU-MPI acquires it to write). Time goes on to whatever is next in any rank, in the network, or among
 * submissions of points.
 */
#include "replay/sim/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/memory/message_network.h"
#include "replay/memory/network.h"
#include "replay/memory/transfers.h"
#include "replay/sim/sim.h"
#include "sched/policy.h"

enum { SUBMITTED = 1 };

struct rank {
	struct ranks *all;
	struct dag *d;
	struct machine *m; /* NULL: the rank executes nothing */
	struct sim sim;
	uint32_t *global; /* per task of `d` */
	int is_open;
	int is_due;      /* something was released from outside */
	uint32_t *ready; /* what messages have made ready, and its thread that communicates has not pushed yet */
	size_t nready, capready, pushed;
	int64_t push_ns;     /* when it pushes the next one */
	uint32_t *expecting; /* arrivals, whose data waits for memory */
	size_t nexpecting, capexpecting;
	uint32_t early;       /* 1 + a message for which it has no memory yet; 0: none */
	uint32_t allocations; /* memory_allocations() when they were looked at */
	int64_t next_ns;
};

/* Messages by one of their points: of point p by[first[p]] .. by[first[p + 1] - 1]. */
struct messages_of {
	uint32_t *first, *by;
};

struct ranks {
	const struct dag *d;
	const struct dag_messages *m;
	struct rank *at;
	int n;
	uint32_t *place;    /* per task: in its rank */
	uint32_t *waits;    /* per point: what has to be before it */
	uint32_t *unposted; /* per point: the same without messages */
	uint32_t *unsent;   /* per point: its messages that have not arrived */
	uint32_t *happened; /* points, until they are dealt with */
	size_t nhappened, caphappened;
	uint32_t *staged; /* messages whose data is on its way to main memory */
	size_t nstaged, capstaged;
	uint32_t *unseen; /* messages that have arrived, and their rank has not seen it */
	size_t nunseen, capunseen;
	uint32_t *submission; /* points by the time of it */
	uint32_t nsubmitted;
	int ignore_submission;
	struct messages_of sent, received;
	struct message_network *network;
	int64_t now;
};

static void release_point(struct ranks *r, uint32_t point)
{
	if (--r->waits[point] == 0)
		*VEC_PUSH(r->happened, r->nhappened, r->caphappened) = point;
}

/* Whether the data of all messages to the point has memory; requests that otherwise. */
static int is_expected(struct ranks *r, uint32_t point)
{
	struct rank *x = &r->at[r->m->points[point].rank];
	int all = 1;

	for (uint32_t i = r->received.first[point]; x->is_open && i < r->received.first[point + 1]; i++) {
		uint32_t handle = r->m->messages[r->received.by[i]].to_handle;

		all &= handle >= r->d->nhandles || memory_expect(x->sim.memory, handle);
	}
	return all;
}

/* What was to be before the point, but messages, is over for one part. */
static void release_part(struct ranks *r, uint32_t point)
{
	struct rank *x = &r->at[r->m->points[point].rank];

	if (--r->unposted[point] == 0 && !is_expected(r, point)) {
		r->waits[point]++;
		*VEC_PUSH(x->expecting, x->nexpecting, x->capexpecting) = point;
		x->is_due = 1;
	}
	release_point(r, point);
}

static void release_expected(struct ranks *r, struct rank *x)
{
	size_t kept = 0;

	if (x->allocations == memory_allocations(x->sim.memory))
		return;
	x->allocations = memory_allocations(x->sim.memory);
	for (size_t i = 0; i < x->nexpecting; i++) {
		if (is_expected(r, x->expecting[i]))
			release_point(r, x->expecting[i]);
		else
			x->expecting[kept++] = x->expecting[i];
	}
	x->nexpecting = kept;
}

/* A task of the rank has ended: the points behind it wait for one less. */
static void on_ended(void *ctx, uint32_t task)
{
	struct rank *x = ctx;
	const struct csr *g = &x->all->m->before;
	uint32_t v = x->global[task];

	for (uint32_t i = g->succ_first[v]; i < g->succ_first[v + 1]; i++)
		release_part(x->all, g->succ[i] - x->all->d->ntasks);
}

/* To push a task takes the thread that communicates as long as one of a CPU; nothing where copies take no time. */
static int64_t push_takes_ns(const struct rank *x)
{
	return x->sim.threads ? x->sim.conditions.overheads.of[ARCH_CPU].push_ns : 0;
}

static int release_task(struct ranks *r, uint32_t task, struct ht_err *err)
{
	struct rank *x = &r->at[r->d->tasks[task].rank];

	if (sim_go_to(&x->sim, r->now, err) != 0)
		return -1;
	x->is_due = 1;
	if (!sim_release(&x->sim, r->place[task]))
		return 0;
	if (x->pushed == x->nready)
		x->push_ns = (x->push_ns > r->now ? x->push_ns : r->now) + push_takes_ns(x);
	*VEC_PUSH(x->ready, x->nready, x->capready) = r->place[task];
	return 0;
}

static int64_t next_push_ns(const struct rank *x)
{
	return x->pushed < x->nready ? x->push_ns : INT64_MAX;
}

static int push_due(struct ranks *r, struct rank *x, struct ht_err *err)
{
	while (next_push_ns(x) <= r->now) {
		if (sim_go_to(&x->sim, r->now, err) != 0)
			return -1;
		x->is_due = 1;
		x->sim.policy->push(x->sim.state, x->ready[x->pushed++], -1);
		if (x->pushed < x->nready)
			x->push_ns += push_takes_ns(x);
	}
	if (x->pushed == x->nready)
		x->pushed = x->nready = 0;
	return 0;
}

/* The point is over. */
static int release_after(struct ranks *r, uint32_t point, struct ht_err *err)
{
	const struct csr *g = &r->m->before;
	uint32_t v = r->d->ntasks + point;

	for (uint32_t i = g->succ_first[v]; i < g->succ_first[v + 1]; i++) {
		if (g->succ[i] >= r->d->ntasks)
			release_part(r, g->succ[i] - r->d->ntasks);
		else if (release_task(r, g->succ[i], err) != 0)
			return -1;
	}
	return 0;
}

static void send(struct ranks *r, uint32_t message)
{
	const struct dag_message *x = &r->m->messages[message];

	message_network_send(r->network, r->m->points[x->send].rank, r->m->points[x->arrival].rank, x->size_bytes,
	                     r->now, message);
}

/* Whether the data of the message is in main memory of its rank; asks for it otherwise. */
static int is_home(struct ranks *r, uint32_t message)
{
	const struct dag_message *x = &r->m->messages[message];
	struct rank *from = &r->at[r->m->points[x->send].rank];

	return !from->is_open || x->from_handle >= r->d->nhandles ||
	       memory_bring_home(from->sim.memory, x->from_handle, 0);
}

/*
 * Whether the receiver has memory for the message, if need be of StarPU-MPI's own; asks for that otherwise. Its thread
 * that communicates waits for that (1.4.10, mpi/src/mpi/starpu_mpi_mpi.c, _starpu_mpi_receive_early_data): until then
 * it neither sends nor receives another message, and sees none.
 */
static int is_awaited(struct ranks *r, uint32_t message)
{
	const struct dag_message *x = &r->m->messages[message];
	struct rank *from = &r->at[r->m->points[x->send].rank], *to = &r->at[r->m->points[x->arrival].rank];

	if (from->early || (to->early && to->early != message + 1))
		return 0;
	to->early = 0;
	if (!to->is_open || x->early >= r->d->nhandles || (!r->unposted[x->arrival] && is_expected(r, x->arrival)) ||
	    memory_expect(to->sim.memory, x->early))
		return 1;
	to->early = message + 1;
	to->is_due = 1;
	return 0;
}

static int is_leaving(struct ranks *r, uint32_t message)
{
	return is_home(r, message) && is_awaited(r, message);
}

static void send_staged(struct ranks *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nstaged; i++) {
		if (is_leaving(r, r->staged[i]))
			send(r, r->staged[i]);
		else
			r->staged[kept++] = r->staged[i];
	}
	r->nstaged = kept;
}

static int go_to(struct ranks *r, int rank, struct ht_err *err)
{
	r->at[rank].is_due |= r->at[rank].is_open;
	return r->at[rank].is_open ? sim_go_to(&r->at[rank].sim, r->now, err) : 0;
}

/* What has arrived at the point is valid; what is sent from it leaves, or is brought to main memory first. */
static int happen(struct ranks *r, uint32_t point, struct ht_err *err)
{
	int rank = r->m->points[point].rank;

	if (go_to(r, rank, err) != 0)
		return -1;
	for (uint32_t i = r->received.first[point]; i < r->received.first[point + 1]; i++) {
		uint32_t handle = r->m->messages[r->received.by[i]].to_handle;

		if (r->at[rank].is_open && handle < r->d->nhandles)
			memory_receive(r->at[rank].sim.memory, handle);
		handle = r->m->messages[r->received.by[i]].early;
		if (r->at[rank].is_open && handle < r->d->nhandles)
			memory_forget(r->at[rank].sim.memory, handle);
	}
	for (uint32_t i = r->sent.first[point]; i < r->sent.first[point + 1]; i++) {
		if (is_leaving(r, r->sent.by[i]))
			send(r, r->sent.by[i]);
		else
			*VEC_PUSH(r->staged, r->nstaged, r->capstaged) = r->sent.by[i];
	}
	return r->unsent[point] ? 0 : release_after(r, point, err);
}

/* What has arrived at ranks that wait for no memory. */
static void see_unseen(struct ranks *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nunseen; i++) {
		uint32_t point = r->m->messages[r->unseen[i]].arrival;

		if (r->at[r->m->points[point].rank].early)
			r->unseen[kept++] = r->unseen[i];
		else
			release_point(r, point);
	}
	r->nunseen = kept;
}

static int arrive(struct ranks *r, struct ht_err *err)
{
	uint32_t message;

	while (message_network_arrived(r->network, &message)) {
		const struct dag_message *x = &r->m->messages[message];

		*VEC_PUSH(r->unseen, r->nunseen, r->capunseen) = message;
		if (--r->unsent[x->send] == 0 && release_after(r, x->send, err) != 0)
			return -1;
	}
	see_unseen(r);
	return 0;
}

static int64_t next_submission_ns(const struct ranks *r)
{
	if (r->nsubmitted == r->m->npoints)
		return INT64_MAX;
	return r->ignore_submission ? 0 : r->m->points[r->submission[r->nsubmitted]].submit_ns;
}

/* What is due now: points that have happened, then the ranks. */
static int step(struct ranks *r, struct ht_err *err)
{
	do {
		for (size_t i = 0; i < r->nhappened; i++)
			if (happen(r, r->happened[i], err) != 0)
				return -1;
		r->nhappened = 0;
		for (int k = 0; k < r->n; k++) {
			struct rank *x = &r->at[k];

			if (push_due(r, x, err) != 0)
				return -1;
			if (!x->is_due && x->next_ns > r->now)
				continue;
			x->is_due = 0;
			if (sim_go_to(&x->sim, r->now, err) != 0 || sim_step(&x->sim, err) != 0)
				return -1;
			release_expected(r, x);
			x->next_ns = sim_next_ns(&x->sim);
		}
		send_staged(r);
		see_unseen(r);
	} while (r->nhappened);
	return 0;
}

static int64_t next_ns(const struct ranks *r)
{
	int64_t next = message_network_next_ns(r->network), submission = next_submission_ns(r);

	next = submission < next ? submission : next;
	for (int k = 0; k < r->n; k++) {
		next = r->at[k].next_ns < next ? r->at[k].next_ns : next;
		next = next_push_ns(&r->at[k]) < next ? next_push_ns(&r->at[k]) : next;
	}
	return next;
}

static uint32_t executed(const struct ranks *r)
{
	uint32_t sum = 0;

	for (int k = 0; k < r->n; k++)
		sum += r->at[k].is_open ? r->at[k].sim.executed : 0;
	return sum;
}

static int run(struct ranks *r, struct ht_err *err)
{
	int64_t next;

	for (int k = 0; k < r->n; k++) {
		if (r->at[k].is_open && sim_begin(&r->at[k].sim, err) != 0)
			return -1;
		r->at[k].next_ns = r->at[k].is_open ? sim_next_ns(&r->at[k].sim) : INT64_MAX;
	}
	while (executed(r) < r->d->ntasks && (next = next_ns(r)) != INT64_MAX) {
		r->now = next > r->now ? next : r->now;
		message_network_advance(r->network, r->now);
		if (arrive(r, err) != 0)
			return -1;
		while (next_submission_ns(r) <= r->now)
			release_part(r, r->submission[r->nsubmitted++]);
		if (step(r, err) != 0)
			return -1;
	}
	for (int k = 0; k < r->n; k++)
		if (r->at[k].is_open && sim_finish(&r->at[k].sim, err) != 0)
			return ht_err_wrap(err, "rank %d", k);
	return 0;
}

static void sort_messages(struct messages_of *of, const struct dag_messages *m, int received)
{
	of->first = ht_alloc((size_t)m->npoints + 2, sizeof(*of->first));
	of->by = ht_alloc(m->nmessages, sizeof(*of->by));
	for (uint32_t i = 0; i < m->nmessages; i++)
		of->first[(received ? m->messages[i].arrival : m->messages[i].send) + 2]++;
	for (uint32_t p = 2; p < m->npoints + 2; p++)
		of->first[p] += of->first[p - 1];
	for (uint32_t i = 0; i < m->nmessages; i++)
		of->by[of->first[(received ? m->messages[i].arrival : m->messages[i].send) + 1]++] = i;
}

static void prepare_points(struct ranks *r)
{
	const struct dag_messages *m = r->m;

	r->waits = ht_alloc(m->npoints, sizeof(*r->waits));
	r->unposted = ht_alloc(m->npoints, sizeof(*r->unposted));
	r->unsent = ht_alloc(m->npoints, sizeof(*r->unsent));
	r->submission = ht_alloc(m->npoints, sizeof(*r->submission));
	for (uint32_t p = 0; p < m->npoints; p++) {
		uint32_t v = r->d->ntasks + p;

		r->unposted[p] = m->before.pred_first[v + 1] - m->before.pred_first[v] + SUBMITTED;
		r->waits[p] = r->unposted[p];
		r->submission[p] = p;
	}
	for (uint32_t i = 0; i < m->nmessages; i++) {
		r->waits[m->messages[i].arrival]++;
		r->unsent[m->messages[i].send]++;
	}
	if (m->npoints)
		qsort_r(r->submission, m->npoints, sizeof(*r->submission), dag_points_by_submission, m->points);
	sort_messages(&r->sent, m, 0);
	sort_messages(&r->received, m, 1);
}

static int open_rank(struct ranks *r, int rank, const struct machine *m, const struct simulate_options *o,
                     struct ht_err *err)
{
	struct rank *x = &r->at[rank];
	struct simulate_options own = *o;

	x->all = r;
	x->d = dag_of_rank(r->d, rank, r->place);
	if (!x->d->ntasks)
		return 0;
	x->m = machine_of_rank(m, rank);
	x->global = ht_alloc(x->d->ntasks, sizeof(*x->global));
	own.window = NULL;
	if (sim_open(&x->sim, x->d, x->m, &own, err) != 0)
		return ht_err_wrap(err, "rank %d", rank);
	x->is_open = 1;
	x->sim.global = x->global;
	x->sim.ended = on_ended;
	x->sim.ended_ctx = x;
	return 0;
}

static int open_ranks(struct ranks *r, const struct machine *m, const struct simulate_options *o, struct ht_err *err)
{
	uint32_t *place = ht_alloc(r->d->ntasks, sizeof(*place)), *used = r->place;
	int rc = 0;

	r->place = place;
	for (int k = 0; rc == 0 && k < r->n; k++) {
		rc = open_rank(r, k, m, o, err);
		for (uint32_t t = 0; r->at[k].global && t < r->d->ntasks; t++) {
			if (r->d->tasks[t].rank != k)
				continue;
			used[t] = place[t];
			r->at[k].global[place[t]] = t;
		}
	}
	r->place = used;
	free(place);
	for (uint32_t t = 0; rc == 0 && t < r->d->ntasks; t++) {
		const struct csr *g = &r->m->before;

		r->at[r->d->tasks[t].rank].sim.pending[used[t]] += g->pred_first[t + 1] - g->pred_first[t];
	}
	return rc;
}

static void add_arrays(struct simulation *to, const struct simulation *from, const struct rank *x, int first_worker)
{
	memcpy(to->worker_busy_ns + first_worker, from->worker_busy_ns,
	       (size_t)x->m->nworkers * sizeof(*to->worker_busy_ns));
	for (uint32_t t = 0; to->tasks && t < x->d->ntasks; t++) {
		struct execution_task *task = &to->tasks[x->global[t]];

		*task = from->tasks[t];
		task->item = x->global[t];
		task->worker += first_worker;
	}
}

static void add_memory(struct simulation *to, const struct simulation *from, const struct rank *x, int first_node)
{
	for (int i = 0; i < from->nlinks; i++) {
		struct link_use *use = &to->links[to->nlinks++];

		*use = from->links[i];
		use->from += first_node;
		use->to += first_node;
	}
	for (size_t i = 0; i < from->ncopies; i++) {
		struct transfers_copy *copy = &to->copies[to->ncopies++];

		*copy = from->copies[i];
		copy->from = (int16_t)(copy->from + first_node);
		copy->to = (int16_t)(copy->to + first_node);
	}
	memcpy(to->memory + first_node, from->memory, (size_t)x->m->nnodes * sizeof(*to->memory));
}

static void add(struct simulation *to, const struct simulation *from)
{
	to->makespan_ns = from->makespan_ns > to->makespan_ns ? from->makespan_ns : to->makespan_ns;
	to->bytes_moved += from->bytes_moved;
	for (int a = 0; a < ARCH_COUNT; a++) {
		to->busy_ns[a] += from->busy_ns[a];
		to->executed[a] += from->executed[a];
		if (__builtin_add_overflow(to->wait_ns[a], from->wait_ns[a], &to->wait_ns[a]))
			to->wait_ns[a] = INT64_MAX;
	}
}

static int by_end(const void *a, const void *b)
{
	const struct transfers_copy *x = a, *y = b;

	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static int first_node_of(const struct machine *m, int rank)
{
	int i = 0;

	while (m->nodes[i].rank != rank)
		i++;
	return i;
}

static int first_worker_of(const struct machine *m, int rank)
{
	int i = 0;

	while (m->nodes[m->workers[i].node].rank != rank)
		i++;
	return i;
}

/* All ranks' results as that of one machine. */
static struct simulation *join(struct ranks *r, const struct machine *m, const struct simulate_options *o)
{
	struct simulation *made = ht_alloc(1, sizeof(*made)), **of = ht_alloc((size_t)r->n, sizeof(*of));
	size_t ncopies = 0;

	for (int k = 0; k < r->n; k++) {
		of[k] = r->at[k].is_open ? sim_take_result(&r->at[k].sim) : NULL;
		ncopies += of[k] ? of[k]->ncopies : 0;
	}
	made->worker_busy_ns = ht_alloc((size_t)m->nworkers, sizeof(*made->worker_busy_ns));
	made->tasks = o->keep_schedule ? ht_alloc(r->d->ntasks, sizeof(*made->tasks)) : NULL;
	if (o->transfers == TRANSFERS_ON) {
		made->links = ht_alloc((size_t)m->nlinks, sizeof(*made->links));
		made->memory = ht_alloc((size_t)m->nnodes, sizeof(*made->memory));
		made->copies = o->keep_schedule ? ht_alloc(ncopies, sizeof(*made->copies)) : NULL;
	}
	for (int k = 0; k < r->n; k++) {
		if (!of[k])
			continue;
		add(made, of[k]);
		add_arrays(made, of[k], &r->at[k], first_worker_of(m, k));
		if (o->transfers == TRANSFERS_ON)
			add_memory(made, of[k], &r->at[k], first_node_of(m, k));
		simulation_free(of[k]);
	}
	if (made->copies)
		qsort(made->copies, made->ncopies, sizeof(*made->copies), by_end);
	for (int a = 0; a < ARCH_COUNT; a++) {
		double total = (double)machine_workers_of(m, (enum arch)a) * (double)made->makespan_ns;

		made->idle_ratio[a] = total > 0 ? 1 - (double)made->busy_ns[a] / total : 0;
	}
	free(of);
	return made;
}

static void close_ranks(struct ranks *r)
{
	for (int k = 0; k < r->n; k++) {
		if (r->at[k].is_open)
			sim_close(&r->at[k].sim);
		dag_free(r->at[k].d);
		machine_free(r->at[k].m);
		free(r->at[k].global);
		free(r->at[k].ready);
		free(r->at[k].expecting);
	}
	free(r->at);
	free(r->place);
	free(r->waits);
	free(r->unposted);
	free(r->unsent);
	free(r->happened);
	free(r->staged);
	free(r->unseen);
	free(r->submission);
	free(r->sent.first);
	free(r->sent.by);
	free(r->received.first);
	free(r->received.by);
	message_network_free(r->network);
}

struct simulation *simulate_ranks(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                                  struct ht_err *err)
{
	static const struct machine_network at_once;
	struct ranks r = {.d = d, .m = d->messages, .n = d->nranks, .ignore_submission = o->ignore_submission};
	struct simulation *made = NULL;

	if (machine_ranks(m) != d->nranks) {
		ht_err_set(err, "the graph is of %d ranks, expected a machine of as many, found %d", d->nranks,
		           machine_ranks(m));
		return NULL;
	}
	r.at = ht_alloc((size_t)r.n, sizeof(*r.at));
	r.place = ht_alloc(d->ntasks, sizeof(*r.place));
	r.network = message_network_create(o->transfers == TRANSFERS_ON ? &m->network : &at_once, r.n);
	prepare_points(&r);
	if (open_ranks(&r, m, o, err) == 0 && run(&r, err) == 0)
		made = join(&r, m, o);
	close_ranks(&r);
	return made;
}

/* core/dag/live_dag.c - the tasks that are submitted and not yet executed, as a graph that grows and shrinks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nothing is allocated for a task alone: tasks, edges and accesses are elements of arrays with lists of free ones;
 * accesses of a task are neighbours, in blocks of powers of two. Per piece of data there are two groups of accessors,
 * as in generate/dependencies.c: the newest, which is still open, and the one before, which all members of the newest
 * wait for. A group is a list through its accesses, which a task leaves when it is done; a group that is neither any
 * more keeps its links, which only tasks that leave follow.
 */
#include "core/dag/live_dag.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/csr.h"
#include "core/trace/trace.h"

#define NONE LIVE_DAG_NONE

enum { MAX_BLOCKS = 32 };

enum concurrency { ALONE = 0, READERS, COMMUTERS, REDUCERS };

struct node {
	uint64_t number; /* of its submission, from 1; 0: free */
	double rank;
	uint32_t first_edge;
	uint32_t newer, older; /* in the order of submission; `newer` of a free one: the next free one */
	uint32_t nwaits;       /* live direct predecessors */
	uint32_t npreds;       /* at the submission, those of joins in place of the joins */
	uint32_t mark, edge;   /* the task that is submitted has this edge from here, where `mark` is its stamp */
	uint32_t nedges;
	uint8_t block;            /* its accesses have room for 1 << block */
	uint8_t is_join, is_send; /* a send is a join, too: nobody executes it */
};

struct edge {
	uint32_t to, next;
	double transfer_ns;
};

/* An access that is live: its neighbours in its group. */
struct link {
	uint32_t next, prev;
	uint32_t task : 31, is_lone : 1; /* in no group */
};

struct data {
	uint32_t newest, before; /* first accesses of the two groups */
	uint32_t uses, last;     /* `last`: the access that was added last */
	uint8_t concurrency;     /* of the newest group */
};

struct live_dag {
	struct dag view;
	size_t cap_types, cap_classes, cap_accesses, cap_lengths, cap_edges, cap_data;
	size_t nnodes, cap_nodes, nedges, ndata, nlengths, naccesses;
	double latency_ns, ns_per_byte;
	struct node *nodes;
	struct edge *edges;
	struct link *links; /* per access, as long as view.accesses */
	struct data *data;  /* per handle */
	double *length;     /* per class */
	uint32_t free_node, free_edge, free_data, free_block[MAX_BLOCKS];
	uint32_t oldest, newest, nlive, nnew;
	uint64_t submissions, bytes; /* bytes: of data with uses */
	uint32_t stamp;
	int lengths_changed;
	uint64_t edges_made, sweeps, visits; /* what it has cost: `visits` of tasks and edges by sweeps */
};

struct live_dag *live_dag_create(double latency_ns, double ns_per_byte)
{
	struct live_dag *l = ht_alloc(1, sizeof(*l));

	l->latency_ns = latency_ns;
	l->ns_per_byte = ns_per_byte;
	l->free_node = l->free_edge = l->free_data = l->oldest = l->newest = NONE;
	for (int i = 0; i < MAX_BLOCKS; i++)
		l->free_block[i] = NONE;
	return l;
}

void live_dag_free(struct live_dag *l)
{
	if (!l)
		return;
	free(l->view.tasks);
	free(l->view.types);
	free(l->view.classes);
	free(l->view.accesses);
	free(l->view.handle_bytes);
	free(l->view.handle_home);
	free(l->nodes);
	free(l->edges);
	free(l->links);
	free(l->data);
	free(l->length);
	free(l);
}

struct dag *live_dag_view(struct live_dag *l)
{
	return &l->view;
}

uint32_t live_dag_add_type(struct live_dag *l, const char *name)
{
	struct dag_type *t;
	size_t n = l->view.ntypes;

	t = VEC_PUSH(l->view.types, n, l->cap_types);
	*t = (struct dag_type){.name = name, .codelet = "", .model = ""};
	l->view.ntypes = (uint32_t)n;
	return (uint32_t)n - 1;
}

uint32_t live_dag_add_class(struct live_dag *l, uint32_t type)
{
	struct dag_class *c;
	size_t n = l->view.nclasses;

	*VEC_PUSH(l->length, l->nlengths, l->cap_lengths) = 0;
	c = VEC_PUSH(l->view.classes, n, l->cap_classes);
	c->codelet = type;
	for (int a = 0; a < ARCH_COUNT; a++)
		c->cost_ns[a] = c->deviation_ns[a] = -1;
	l->view.nclasses = (uint32_t)n;
	return (uint32_t)n - 1;
}

void live_dag_set_length(struct live_dag *l, uint32_t class_id, double length_ns)
{
	l->lengths_changed |= l->length[class_id] != length_ns;
	l->length[class_id] = length_ns;
}

/* The arrays of the view beside `data` grow with it. */
static void grow_handles(struct live_dag *l)
{
	size_t cap = l->cap_data;

	VEC_PUSH(l->data, l->ndata, l->cap_data);
	if (l->cap_data != cap) {
		l->view.handle_bytes = ht_realloc(l->view.handle_bytes, l->cap_data, sizeof(*l->view.handle_bytes));
		l->view.handle_home = ht_realloc(l->view.handle_home, l->cap_data, sizeof(*l->view.handle_home));
		memset(l->view.handle_bytes + cap, 0, (l->cap_data - cap) * sizeof(*l->view.handle_bytes));
		memset(l->view.handle_home + cap, 0, (l->cap_data - cap) * sizeof(*l->view.handle_home));
		memset(l->data + cap, 0, (l->cap_data - cap) * sizeof(*l->data));
		l->view.nhandles = (uint32_t)l->cap_data;
	}
}

uint32_t live_dag_add_handle(struct live_dag *l, uint64_t bytes, int32_t home)
{
	uint32_t h = l->free_data;

	if (h != NONE) {
		l->free_data = l->data[h].newest;
	} else {
		grow_handles(l);
		h = (uint32_t)l->ndata - 1;
	}
	l->data[h] = (struct data){.newest = NONE, .before = NONE, .last = NONE};
	l->view.handle_bytes[h] = bytes;
	l->view.handle_home[h] = home;
	return h;
}

void live_dag_drop_handle(struct live_dag *l, uint32_t handle)
{
	l->data[handle] = (struct data){.newest = l->free_data, .before = NONE};
	l->free_data = handle;
}

uint32_t live_dag_uses(const struct live_dag *l, uint32_t handle)
{
	return l->data[handle].uses;
}

uint64_t live_dag_bytes(const struct live_dag *l)
{
	return l->bytes;
}

static void use(struct live_dag *l, uint32_t handle)
{
	if (!l->data[handle].uses++)
		l->bytes += l->view.handle_bytes[handle];
}

static void end_use(struct live_dag *l, uint32_t handle)
{
	if (!--l->data[handle].uses)
		l->bytes -= l->view.handle_bytes[handle];
}

/* Room for 1 << block accesses: the first. */
static uint32_t take_block(struct live_dag *l, uint8_t block)
{
	uint32_t first = l->free_block[block];
	size_t n = (size_t)1 << block;

	if (first != NONE) {
		l->free_block[block] = l->links[first].next;
		return first;
	}
	first = (uint32_t)l->naccesses;
	if (l->naccesses + n > l->cap_accesses) {
		size_t cap = 2 * (l->naccesses + n);

		l->view.accesses = ht_realloc(l->view.accesses, cap, sizeof(*l->view.accesses));
		l->links = ht_realloc(l->links, cap, sizeof(*l->links));
		l->cap_accesses = cap;
		l->view.naccesses = (uint32_t)cap;
	}
	l->naccesses += n;
	return first;
}

/* With room for its accesses; not in the list yet. */
static uint32_t take_node(struct live_dag *l, uint32_t naccesses)
{
	uint32_t id = l->free_node;
	uint8_t block = 0;
	struct node *n;

	while ((uint32_t)1 << block < naccesses)
		block++;
	if (id != NONE) {
		l->free_node = l->nodes[id].newer;
	} else {
		size_t cap = l->cap_nodes;

		VEC_PUSH(l->nodes, l->nnodes, l->cap_nodes);
		if (cap != l->cap_nodes) {
			l->view.tasks = ht_realloc(l->view.tasks, l->cap_nodes, sizeof(*l->view.tasks));
			memset(l->view.tasks + cap, 0, (l->cap_nodes - cap) * sizeof(*l->view.tasks));
			l->view.ntasks = (uint32_t)l->cap_nodes;
		}
		id = (uint32_t)l->nnodes - 1;
	}
	n = &l->nodes[id];
	*n = (struct node){.first_edge = NONE, .newer = NONE, .block = block};
	l->view.tasks[id] = (struct dag_task){.trace_task = id, .naccesses = naccesses};
	l->view.tasks[id].first_access = take_block(l, block);
	return id;
}

/* The newest task of all. */
static void append(struct live_dag *l, uint32_t task)
{
	l->nodes[task].number = ++l->submissions;
	l->nodes[task].older = l->newest;
	*(l->newest == NONE ? &l->oldest : &l->nodes[l->newest].newer) = task;
	l->newest = task;
	l->nlive++;
	l->nnew++;
}

static uint32_t take_edge(struct live_dag *l)
{
	uint32_t e = l->free_edge;

	if (e != NONE) {
		l->free_edge = l->edges[e].next;
		return e;
	}
	(void)VEC_PUSH(l->edges, l->nedges, l->cap_edges);
	return (uint32_t)l->nedges - 1;
}

static double length_of(const struct live_dag *l, uint32_t task)
{
	return l->nodes[task].is_join ? 0 : l->length[l->view.tasks[task].class_id];
}

/*
 * A dependency; where the task reads what `from` wrote, `transfer_ns` is how long that is copied. Until the next sweep
 * the rank of `from` counts the new task alone.
 */
static void add_edge(struct live_dag *l, uint32_t from, uint32_t to, double transfer_ns)
{
	struct node *n = &l->nodes[from];

	if (from == to)
		return;
	if (n->mark != l->stamp) {
		uint32_t e = take_edge(l);

		l->edges[e] = (struct edge){.to = to, .next = n->first_edge};
		n->first_edge = n->edge = e;
		n->mark = l->stamp;
		l->nodes[to].nwaits++;
		l->nodes[to].npreds += n->is_join ? n->npreds : 1;
		n->nedges++;
		l->edges_made++;
	}
	l->edges[n->edge].transfer_ns += transfer_ns;
	n->rank = fmax(n->rank, length_of(l, from) + l->edges[n->edge].transfer_ns + l->nodes[to].rank);
}

/* A stamp that no task has as a mark. */
static void next_stamp(struct live_dag *l)
{
	if (++l->stamp)
		return;
	for (size_t i = 0; i < l->nnodes; i++)
		l->nodes[i].mark = 0;
	l->stamp = 1;
}

static enum concurrency concurrency_of(uint32_t mode)
{
	if (mode & ACCESS_W)
		return mode & ACCESS_COMMUTE ? COMMUTERS : ALONE;
	if (mode == ACCESS_R)
		return READERS;
	return mode == ACCESS_REDUX ? REDUCERS : ALONE;
}

static void enter_group(struct live_dag *l, uint32_t *first, uint32_t access, uint32_t task)
{
	l->links[access] = (struct link){.next = *first, .prev = NONE, .task = task};
	if (*first != NONE)
		l->links[*first].prev = access;
	*first = access;
}

/* All members of a group precede the task. */
static void wait_for_group(struct live_dag *l, uint32_t first, uint32_t task, const struct data_access *a)
{
	for (uint32_t i = first; i != NONE; i = l->links[i].next) {
		int has_data = a->mode & ACCESS_R && l->view.accesses[i].mode & ACCESS_W;

		add_edge(l, l->links[i].task, task,
		         has_data ? l->latency_ns + (double)l->view.handle_bytes[a->handle] * l->ns_per_byte : 0);
	}
}

/* Between the group that has just been closed and another one that may have several members as well. */
static void put_join(struct live_dag *l, uint32_t handle)
{
	struct data *d = &l->data[handle];
	uint32_t join = take_node(l, 1), first = d->before;
	uint32_t access = l->view.tasks[join].first_access;
	const struct data_access none = {handle, 0};

	l->nodes[join].is_join = 1;
	l->view.tasks[join].class_id = NONE;
	/* What members wrote, tasks after the join read. */
	l->view.accesses[access] = (struct data_access){handle, l->view.accesses[first].mode & ACCESS_W};
	append(l, join);
	next_stamp(l);
	wait_for_group(l, first, join, &none);
	d->before = NONE;
	use(l, handle);
	enter_group(l, &d->before, access, join);
}

/* The group that the access becomes a member of is the newest of its data from now on. */
static void open_group(struct live_dag *l, const struct data_access *a)
{
	struct data *d = &l->data[a->handle];
	enum concurrency c = concurrency_of(a->mode);

	if (c != ALONE && c == d->concurrency)
		return;
	d->before = d->newest;
	d->newest = NONE;
	d->concurrency = (uint8_t)c;
	if (c != ALONE && (d->before != NONE && l->links[d->before].next != NONE))
		put_join(l, a->handle);
}

/*
 * Copies the accesses to the task's. Of several accesses of one piece of data the first has the modes of all, and is
 * the one that counts; the others are `lone`, as scratch data is.
 */
static void copy_accesses(struct live_dag *l, uint32_t task, const struct live_task *t)
{
	uint32_t first = l->view.tasks[task].first_access;

	for (uint32_t i = 0; i < t->naccesses; i++) {
		struct data *d = &l->data[t->accesses[i].handle];
		uint32_t known = d->last - first;
		int is_again = known < i && l->view.accesses[d->last].handle == t->accesses[i].handle;

		l->view.accesses[first + i] = t->accesses[i];
		l->links[first + i] = (struct link){.next = NONE, .prev = NONE, .task = task};
		l->links[first + i].is_lone = is_again || t->accesses[i].mode & (ACCESS_SCRATCH | ACCESS_UNORDERED);
		if (is_again)
			l->view.accesses[d->last].mode |= t->accesses[i].mode;
		else
			d->last = first + i;
		use(l, t->accesses[i].handle);
	}
}

/* Joins come before the task in the list. */
uint32_t live_dag_submit(struct live_dag *l, const struct live_task *t)
{
	uint32_t task = take_node(l, t->naccesses), first = l->view.tasks[task].first_access;
	struct dag_task *seen = &l->view.tasks[task];

	seen->class_id = t->class_id;
	seen->priority = t->priority;
	copy_accesses(l, task, t);
	for (uint32_t i = first; i < first + t->naccesses; i++) {
		struct data_access a = l->view.accesses[i]; /* the array moves where a join is made */

		if (!l->links[i].is_lone)
			open_group(l, &a);
	}
	append(l, task);
	next_stamp(l);
	l->nodes[task].rank = length_of(l, task);
	for (uint32_t i = first; i < first + t->naccesses; i++) {
		const struct data_access *a = &l->view.accesses[i];

		if (l->links[i].is_lone)
			continue;
		wait_for_group(l, l->data[a->handle].before, task, a);
		enter_group(l, &l->data[a->handle].newest, i, task);
	}
	for (uint32_t i = 0; i < t->nafter; i++)
		if (live_dag_is_live(l, t->after[i]))
			add_edge(l, t->after[i], task, 0);
	return task;
}

void live_dag_send(struct live_dag *l, uint32_t handle)
{
	const struct data *d = &l->data[handle];
	uint32_t writers = d->newest, send;

	if (writers != NONE && !(l->view.accesses[writers].mode & ACCESS_W))
		writers = d->before;
	if (writers == NONE || !(l->view.accesses[writers].mode & ACCESS_W))
		return;
	send = take_node(l, 0);
	l->nodes[send].is_join = l->nodes[send].is_send = 1;
	l->view.tasks[send].class_id = NONE;
	append(l, send);
	next_stamp(l);
	for (uint32_t i = writers; i != NONE; i = l->links[i].next)
		add_edge(l, l->links[i].task, send, 0);
	l->view.nsends += l->view.nsends < UINT32_MAX;
}

static void release(struct live_dag *l, uint32_t task)
{
	struct node *n = &l->nodes[task];
	uint32_t block = l->view.tasks[task].first_access;

	for (uint32_t i = 0; i < l->view.tasks[task].naccesses; i++) {
		struct data *d = &l->data[l->view.accesses[block + i].handle];
		const struct link *k = &l->links[block + i];

		end_use(l, l->view.accesses[block + i].handle);
		if (k->prev != NONE)
			l->links[k->prev].next = k->next;
		else if (d->newest == block + i)
			d->newest = k->next;
		else if (d->before == block + i)
			d->before = k->next;
		if (k->next != NONE)
			l->links[k->next].prev = k->prev;
	}
	l->links[block].next = l->free_block[n->block];
	l->free_block[n->block] = block;
	*(n->older == NONE ? &l->oldest : &l->nodes[n->older].newer) = n->newer;
	*(n->newer == NONE ? &l->newest : &l->nodes[n->newer].older) = n->older;
	n->number = 0;
	n->newer = l->free_node;
	l->free_node = task;
	l->nlive--;
	if (!l->nlive)
		l->nnew = 0;
}

/* A successor that is not live any more has been done before its predecessor; its index may be another task's. */
void live_dag_done(struct live_dag *l, uint32_t task)
{
	uint32_t e = l->nodes[task].first_edge;
	uint64_t number = l->nodes[task].number;

	release(l, task);
	while (e != NONE) {
		uint32_t next = l->edges[e].next, to = l->edges[e].to;
		struct node *n = &l->nodes[to];

		l->edges[e].next = l->free_edge;
		l->free_edge = e;
		if (n->number > number && n->nwaits) {
			n->nwaits--;
			if (n->is_join && !n->nwaits)
				live_dag_done(l, to);
		}
		e = next;
	}
}

void live_dag_sweep(struct live_dag *l)
{
	double highest = 0;

	if (!l->nnew && !l->lengths_changed)
		return;
	l->sweeps++;
	for (uint32_t t = l->newest; t != NONE; t = l->nodes[t].older) {
		struct node *n = &l->nodes[t];
		double after = 0;

		l->visits++;
		for (uint32_t e = n->first_edge; e != NONE; e = l->edges[e].next) {
			const struct node *s = &l->nodes[l->edges[e].to];

			l->visits++;
			if (s->number > n->number)
				after = fmax(after, s->rank + l->edges[e].transfer_ns);
		}
		n->rank = n->is_send ? highest : length_of(l, t) + after;
		highest = fmax(highest, n->rank);
	}
	l->nnew = 0;
	l->lengths_changed = 0;
}

static void sweep_if_new(struct live_dag *l, uint32_t share)
{
	if (l->nnew > l->nlive / share)
		live_dag_sweep(l);
}

void live_dag_whole(struct live_dag *l)
{
	sweep_if_new(l, LIVE_DAG_WHOLE_SHARE);
}

double live_dag_rank_ns(struct live_dag *l, uint32_t task)
{
	sweep_if_new(l, LIVE_DAG_SHARE);
	return l->nodes[task].rank;
}

int live_dag_is_live(const struct live_dag *l, uint32_t task)
{
	return task < l->nnodes && l->nodes[task].number != 0;
}

/* The task and the joins on the way have been seen at the present stamp. */
static void visit_after(struct live_dag *l, uint32_t task, live_dag_visit *visit, void *arg)
{
	const struct node *from = &l->nodes[task];
	uint32_t seen = from->is_join && from->nedges > LIVE_DAG_AFTER_JOIN ? LIVE_DAG_AFTER_JOIN : from->nedges, i = 0;

	for (uint32_t e = from->first_edge; e != NONE && i < seen; e = l->edges[e].next, i++) {
		uint32_t to = l->edges[e].to;
		struct node *n = &l->nodes[to];

		if (n->number <= from->number || n->mark == l->stamp)
			continue;
		n->mark = l->stamp;
		if (n->is_join)
			visit_after(l, to, visit, arg);
		else
			visit(arg, to, n->npreds, from->nedges / seen + (i < from->nedges % seen));
	}
}

void live_dag_successors(struct live_dag *l, uint32_t task, live_dag_visit *visit, void *arg)
{
	next_stamp(l);
	visit_after(l, task, visit, arg);
}

uint64_t live_dag_number(const struct live_dag *l, uint32_t task)
{
	return l->nodes[task].number;
}

uint64_t live_dag_newest(const struct live_dag *l)
{
	return l->submissions;
}

/* Edges from the lists; those to a task whose index is another one's by now are none. Tasks have the numbers `edge`. */
static void copy_edges(const struct live_dag *l, struct dag *d)
{
	uint32_t *from = NULL, *to = NULL;
	size_t n = 0, nto = 0, cap_from = 0, cap_to = 0;
	struct csr g;

	for (uint32_t t = l->oldest; t != NONE; t = l->nodes[t].newer)
		for (uint32_t e = l->nodes[t].first_edge; e != NONE; e = l->edges[e].next) {
			const struct node *s = &l->nodes[l->edges[e].to];

			if (s->number <= l->nodes[t].number)
				continue;
			*VEC_PUSH(from, n, cap_from) = l->nodes[t].edge;
			*VEC_PUSH(to, nto, cap_to) = s->edge;
		}
	csr_build(&g, d->arena, d->ntasks, from, to, n);
	d->succ_first = g.succ_first;
	d->succ = g.succ;
	d->pred_first = g.pred_first;
	d->pred = g.pred;
	d->nedges = g.nedges;
	free(from);
	free(to);
}

/* That of submission, by the same numbers. Returns how many there are. */
static uint32_t copy_order(const struct live_dag *l, struct dag *d)
{
	uint32_t n = 0;

	d->order = arena_alloc(d->arena, d->ntasks, sizeof(*d->order));
	for (uint32_t t = l->oldest; t != NONE; t = l->nodes[t].newer)
		d->order[n++] = l->nodes[t].edge;
	return n;
}

/* What goes to other ranks, by the same numbers, and where it stands in the order. */
static void copy_sends(const struct live_dag *l, struct dag *d)
{
	struct dag_send *sends = NULL;
	size_t n = 0, cap = 0;
	uint32_t place = 0;

	for (uint32_t t = l->oldest; t != NONE; t = l->nodes[t].newer) {
		uint32_t send = l->nodes[t].edge;

		place++;
		for (uint32_t i = d->pred_first[send]; l->nodes[t].is_send && i < d->pred_first[send + 1]; i++)
			*VEC_PUSH(sends, n, cap) = (struct dag_send){d->pred[i], place};
	}
	d->nsends = (uint32_t)n;
	d->sends = arena_alloc(d->arena, n, sizeof(*sends));
	if (n)
		memcpy(d->sends, sends, n * sizeof(*sends));
	free(sends);
}

#define COPY(member, count, more) \
	d->member = arena_alloc(d->arena, (size_t)(count) + (more), sizeof(*d->member)); \
	if ((count) != 0) \
	memcpy(d->member, l->view.member, (size_t)(count) * sizeof(*d->member))

/* Types and classes, with one more, the last: of what is no task of the program. */
static struct dag *copy_classes(const struct live_dag *l)
{
	struct arena *a = arena_create();
	struct dag *d = arena_alloc(a, 1, sizeof(*d));
	struct dag_class none = {.codelet = l->view.ntypes};

	*d = l->view;
	d->arena = a;
	COPY(types, d->ntypes, 1);
	COPY(classes, d->nclasses, 1);
	COPY(devices, d->ndevices, 0);
	COPY(device_cost_ns, (size_t)d->nclasses * d->ndevices, d->ndevices);
	for (int i = 0; i < ARCH_COUNT; i++)
		none.deviation_ns[i] = -1;
	for (uint32_t c = 0; c < d->nclasses; c++)
		d->classes[c].count = 0;
	d->classes[d->nclasses++] = none;
	d->types[d->ntypes++] = (struct dag_type){.name = "", .codelet = "", .model = ""};
	return d;
}

static void set_class(struct dag *d, struct dag_task *task, const struct node *n)
{
	if (n->is_join)
		task->class_id = d->nclasses - 1;
	else
		d->classes[task->class_id].count++;
}

struct dag *live_dag_snapshot(struct live_dag *l)
{
	struct dag *d = copy_classes(l);
	uint32_t n;

	COPY(tasks, d->ntasks, 0);
	COPY(accesses, d->naccesses, 0);
	COPY(handle_bytes, d->nhandles, 0);
	COPY(handle_home, d->nhandles, 0);
	for (uint32_t t = l->oldest; t != NONE; t = l->nodes[t].newer)
		l->nodes[t].edge = t;
	copy_edges(l, d);
	n = copy_order(l, d);
	copy_sends(l, d);
	for (uint32_t t = 0; t < d->ntasks; t++) {
		if (t < l->nnodes && l->nodes[t].number) {
			set_class(d, &d->tasks[t], &l->nodes[t]);
			continue;
		}
		d->order[n++] = t;
		d->tasks[t].class_id = d->nclasses - 1;
		d->tasks[t].naccesses = 0;
	}
	return d;
}

static uint32_t *ascending(struct arena *a, uint64_t *keys, size_t n)
{
	uint32_t *sorted = arena_alloc(a, n, sizeof(*sorted));

	radix_sort_keys(keys, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)keys[i];
	free(keys);
	return sorted;
}

/* The live tasks; `edge` of each is its number there. */
static const uint32_t *list_tasks(struct live_dag *l, struct dag *d)
{
	uint64_t *keys = ht_alloc(l->nlive, sizeof(*keys));
	uint32_t n = 0, *task;

	for (uint32_t t = l->oldest; t != NONE; t = l->nodes[t].newer)
		keys[n++] = t;
	task = ascending(d->arena, keys, n);
	d->ntasks = n;
	for (uint32_t i = 0; i < n; i++)
		l->nodes[task[i]].edge = i;
	return task;
}

/* The data that these access; `last` of each is its number there, and no access of the next task's. */
static const uint32_t *list_handles(struct live_dag *l, struct dag *d, const uint32_t *task)
{
	uint64_t *keys = NULL;
	uint32_t *handle;
	size_t n = 0, cap = 0;

	d->naccesses = 0;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_task *t = &l->view.tasks[task[i]];

		d->naccesses += t->naccesses;
		for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++) {
			uint32_t h = l->view.accesses[a].handle;

			if (l->data[h].last < n && keys[l->data[h].last] == h)
				continue;
			l->data[h].last = (uint32_t)n;
			*VEC_PUSH(keys, n, cap) = h;
		}
	}
	handle = ascending(d->arena, keys, n);
	d->nhandles = (uint32_t)n;
	for (uint32_t i = 0; i < d->nhandles; i++)
		l->data[handle[i]].last = i;
	return handle;
}

struct dag *live_dag_part(struct live_dag *l, const uint32_t **task, const uint32_t **handle)
{
	struct dag *d = copy_classes(l);
	uint32_t n = 0;

	*task = list_tasks(l, d);
	*handle = list_handles(l, d, *task);
	d->tasks = arena_alloc(d->arena, d->ntasks, sizeof(*d->tasks));
	d->accesses = arena_alloc(d->arena, d->naccesses, sizeof(*d->accesses));
	d->handle_bytes = arena_alloc(d->arena, d->nhandles, sizeof(*d->handle_bytes));
	d->handle_home = arena_alloc(d->arena, d->nhandles, sizeof(*d->handle_home));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		struct dag_task *t = &d->tasks[i];
		const struct data_access *a;

		*t = l->view.tasks[(*task)[i]];
		a = &l->view.accesses[t->first_access];
		t->first_access = n;
		set_class(d, t, &l->nodes[(*task)[i]]);
		for (uint32_t k = 0; k < t->naccesses; k++)
			d->accesses[n++] = (struct data_access){l->data[a[k].handle].last, a[k].mode};
	}
	for (uint32_t h = 0; h < d->nhandles; h++) {
		d->handle_bytes[h] = l->view.handle_bytes[(*handle)[h]];
		d->handle_home[h] = l->view.handle_home[(*handle)[h]];
	}
	copy_edges(l, d);
	copy_order(l, d);
	copy_sends(l, d);
	return d;
}

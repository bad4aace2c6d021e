/* core/trace/paje_states.c - workers' states and copies of a paje.trace, as spans and copies of a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/paje_states.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/trace/trace_build.h"

enum { NO_SPAN = SPAN_COUNT };

/* A container that stands for a worker: its state now, and the one pushed on it. */
struct channel {
	uint32_t worker; /* plus 1; 0: of no worker */
	uint8_t kind, pushed;
	int64_t since_ns, pushed_ns;
};

struct paje_states {
	struct trace_builder *b;
	struct arena *arena;
	struct intern *names;     /* of containers and of copies' keys */
	struct channel *channels; /* by name */
	size_t nchannels;
	struct idmap copies; /* name -> index of the copy that has begun */
};

struct paje_states *paje_states_create(struct trace_builder *b)
{
	struct paje_states *s = ht_alloc(1, sizeof(*s));

	s->b = b;
	s->arena = arena_create();
	s->names = intern_create(s->arena);
	return s;
}

void paje_states_free(struct paje_states *s)
{
	if (!s)
		return;
	intern_free(s->names);
	arena_free(s->arena);
	idmap_fini(&s->copies);
	free(s->channels);
	free(s);
}

static struct channel *channel_of(struct paje_states *s, const char *container)
{
	uint32_t id = intern_str(s->names, container);

	if (id >= s->nchannels) {
		size_t n = id + 1 > 2 * s->nchannels ? id + 1 : 2 * s->nchannels;

		s->channels = ht_realloc(s->channels, n, sizeof(*s->channels));
		memset(s->channels + s->nchannels, 0, (n - s->nchannels) * sizeof(*s->channels));
		for (size_t i = s->nchannels; i < n; i++)
			s->channels[i].kind = s->channels[i].pushed = NO_SPAN;
		s->nchannels = n;
	}
	return &s->channels[id];
}

void paje_states_bind(struct paje_states *s, const char *container, uint32_t worker)
{
	struct channel *c = channel_of(s, container);

	if (!c->worker)
		c->worker = worker + 1;
}

static uint8_t kind_of(const char *value)
{
	static const struct {
		const char *name;
		enum trace_span_kind kind;
	} kinds[] = {
		{"Fi", SPAN_FETCH},      {"Po", SPAN_PUSH_OUTPUT}, {"C", SPAN_CALLBACK},
		{"Sc", SPAN_SCHEDULING}, {"Sl", SPAN_SLEEP},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(value, kinds[i].name) == 0)
			return (uint8_t)kinds[i].kind;
	return NO_SPAN;
}

static int is_state(const char *type)
{
	return strcmp(type, "S") == 0 || strcmp(type, "WS") == 0;
}

static void put(struct paje_states *s, const struct channel *c, uint8_t kind, int64_t from, int64_t to)
{
	if (kind != NO_SPAN && to > from)
		*VEC_PUSH(s->b->t->spans, s->b->t->nspans, s->b->cap_spans) = (struct trace_span){
			.start_ns = from,
			.end_ns = to,
			.worker = c->worker - 1,
			.kind = kind,
		};
}

void paje_states_set(struct paje_states *s, const char *container, const char *type, const char *value, int64_t ns)
{
	struct channel *c = is_state(type) ? channel_of(s, container) : NULL;

	if (!c || !c->worker)
		return;
	if (c->kind != SPAN_SCHEDULING || (strcmp(value, "Sl") != 0 && strcmp(value, "I") != 0))
		put(s, c, c->kind, c->since_ns, ns);
	c->kind = kind_of(value);
	c->since_ns = ns;
}

void paje_states_push(struct paje_states *s, const char *container, const char *type, const char *value, int64_t ns)
{
	struct channel *c = is_state(type) ? channel_of(s, container) : NULL;

	if (!c || !c->worker || c->pushed != NO_SPAN)
		return;
	c->pushed = kind_of(value);
	c->pushed_ns = ns;
}

void paje_states_pop(struct paje_states *s, const char *container, const char *type, int64_t ns)
{
	struct channel *c = is_state(type) ? channel_of(s, container) : NULL;

	if (!c || !c->worker)
		return;
	put(s, c, c->pushed, c->pushed_ns, ns);
	c->pushed = NO_SPAN;
}

static void see_node(struct trace *t, int node)
{
	if (node >= t->nnodes)
		t->nnodes = node + 1;
}

void paje_states_copy(struct paje_states *s, const char *type, const char *key, int node, int rank, uint64_t bytes,
                      int64_t ns)
{
	struct trace *t = s->b->t;
	struct trace_copy *c;
	uint8_t cause = 0;

	while (cause < COPY_CAUSES && strcmp(type, copy_cause_names[cause].paje) != 0)
		cause++;
	if (cause == COPY_CAUSES)
		return;
	see_node(t, node);
	idmap_put(&s->copies, intern_str(s->names, key), (uint32_t)t->ncopies);
	c = VEC_PUSH(t->copies, t->ncopies, s->b->cap_copies);
	*c = (struct trace_copy){.start_ns = ns,
	                         .end_ns = TIME_NONE,
	                         .size_bytes = bytes,
	                         .handle = TRACE_NONE,
	                         .from = (int16_t)node,
	                         .to = (int16_t)node,
	                         .rank = rank,
	                         .cause = cause};
}

void paje_states_copied(struct paje_states *s, const char *key, int node, int64_t ns)
{
	uint32_t id = idmap_get(&s->copies, intern_str(s->names, key));
	struct trace *t = s->b->t;

	if (id == IDMAP_NONE || t->copies[id].start_ns > ns)
		return;
	see_node(t, node);
	t->copies[id].to = (int16_t)node;
	t->copies[id].end_ns = ns;
}

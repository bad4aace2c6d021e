/* sched/waiters.c - which workers wait for a task, and which of them a push wakes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/waiters.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "sched/policy.h"

enum waiters_mode waiters_mode_of(int drivers, const struct policy_world *world)
{
	if (drivers >= 0)
		return (enum waiters_mode)drivers;
	return world->simulated ? WAITERS_BLOCKING : WAITERS_POLLING;
}

void waiters_init(struct waiters *w, const struct policy_world *world, enum waiters_mode mode)
{
	const struct machine *m = world->machine;

	w->world = world;
	w->mode = mode;
	w->nwords = (m->nworkers + 63) / 64;
	w->waiting = ht_alloc((size_t)w->nwords, sizeof(*w->waiting));
	w->polling = ht_alloc((size_t)w->nwords, sizeof(*w->polling));
	w->notified = ht_alloc((size_t)w->nwords, sizeof(*w->notified));
	for (int a = 0; a < ARCH_COUNT; a++)
		w->of[a] = ht_alloc((size_t)w->nwords, sizeof(*w->of[a]));
	for (int i = 0; i < m->nworkers; i++)
		w->of[m->workers[i].arch][i / 64] |= UINT64_C(1) << (i % 64);
}

void waiters_fini(struct waiters *w)
{
	free(w->waiting);
	free(w->polling);
	free(w->notified);
	for (int a = 0; a < ARCH_COUNT; a++)
		free(w->of[a]);
}

static void set_bit(uint64_t *bits, int worker)
{
	bits[worker / 64] |= UINT64_C(1) << (worker % 64);
}

void waiters_pop(struct waiters *w, int worker)
{
	enum arch a = w->world->machine->workers[worker].arch;

	if (a == ARCH_CUDA || a == ARCH_OPENCL || a == ARCH_HIP || a == ARCH_SYCL)
		w->notified[worker / 64] &= ~(UINT64_C(1) << (worker % 64));
}

void waiters_took(struct waiters *w, int worker)
{
	if (w->mode == WAITERS_BLOCKING)
		w->waiting[worker / 64] &= ~(UINT64_C(1) << (worker % 64));
}

void waiters_found_empty(struct waiters *w, int worker)
{
	set_bit(w->mode == WAITERS_POLLING ? w->polling : w->waiting, worker);
}

void waiters_searched(struct waiters *w, int worker)
{
	set_bit(w->waiting, worker);
}

static uint64_t workers_of(const struct waiters *w, int word, arch_mask archs)
{
	uint64_t bits = 0;

	for (int a = 0; archs >> a; a++) {
		if (archs >> a & 1)
			bits |= w->of[a][word];
	}
	return bits;
}

static void wake_word(struct waiters *w, uint64_t *bits, int word, uint64_t workers)
{
	uint64_t chosen = bits[word] & workers;

	bits[word] &= ~chosen;
	for (; chosen; chosen &= chosen - 1)
		w->world->wake(w->world->ctx, word * 64 + __builtin_ctzll(chosen));
}

/*
 * Notifies workers in their order, up to and with the first that waits and has not been notified since its last pop. A
 * notified worker pops again whether it was asleep or not.
 */
static void notify_in_turn(struct waiters *w, arch_mask able, int pusher)
{
	for (int i = 0; i < w->nwords; i++) {
		for (uint64_t left = workers_of(w, i, able); left; left &= left - 1) {
			int worker = i * 64 + __builtin_ctzll(left);
			uint64_t bit = left & -left;

			w->world->wake(w->world->ctx, worker);
			if (worker == pusher || !(w->waiting[i] & bit) || w->notified[i] & bit)
				continue;
			w->notified[i] |= bit;
			return;
		}
	}
}

void waiters_notify(struct waiters *w, arch_mask able, arch_mask see, int pusher)
{
	if (w->mode == WAITERS_BLOCKING) {
		notify_in_turn(w, able, pusher);
		return;
	}
	for (int i = 0; i < w->nwords; i++) {
		uint64_t left = w->waiting[i] ? w->waiting[i] & workers_of(w, i, able) : 0;

		if (left) {
			wake_word(w, w->waiting, i, left & -left);
			break;
		}
	}
	for (int i = 0; i < w->nwords; i++) {
		if (w->polling[i])
			wake_word(w, w->polling, i, workers_of(w, i, see));
	}
}

void waiters_pass_on(struct waiters *w, arch_mask able, int worker)
{
	for (int i = 0; i < w->nwords; i++) {
		uint64_t left = workers_of(w, i, able);

		if (worker / 64 == i)
			left &= ~(UINT64_C(1) << (worker % 64));
		if (w->mode == WAITERS_POLLING) {
			wake_word(w, w->waiting, i, left);
			continue;
		}
		w->notified[i] |= left & w->waiting[i];
		for (; left; left &= left - 1)
			w->world->wake(w->world->ctx, i * 64 + __builtin_ctzll(left));
	}
}

void waiters_notify_all(struct waiters *w, arch_mask able)
{
	for (int i = 0; i < w->nwords; i++) {
		if (w->waiting[i] | w->polling[i]) {
			wake_word(w, w->waiting, i, workers_of(w, i, able));
			wake_word(w, w->polling, i, workers_of(w, i, able));
		}
	}
}

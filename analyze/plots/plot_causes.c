/* analyze/plots/plot_causes.c - what workers did while they executed nothing: names, colours, and a sentence. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/plot_causes.h"

#include <stdio.h>

#include "analyze/data/timeline.h"

uint32_t cause_colour(int cause)
{
	static const uint32_t rgb[CAUSES] = {
		[WORKER_EXECUTING] = 0xffffff, [WORKER_WAITING] = 0xe4c6ee, [WORKER_SCHEDULING] = 0xb9b9b9,
		[WORKER_READY] = 0xffecb0,     [WORKER_STARVED] = 0xd5e4ec, [WORKER_TAIL] = 0xf0f0ee,
		[CAUSE_SLOWER] = 0xdde8d5,
	};

	return rgb[cause];
}

const char *const cause_names[CAUSES] = {
	[WORKER_EXECUTING] = "executing",
	[WORKER_WAITING] = "waiting for data",
	[WORKER_SCHEDULING] = "runtime",
	[WORKER_READY] = "idle, tasks ready",
	[WORKER_STARVED] = "idle, none ready",
	[WORKER_TAIL] = "tail",
	[CAUSE_SLOWER] = "idle, ready tasks faster elsewhere",
};

int cause_is_known(const struct worker_times *x, int cause)
{
	return x && !x->unknown && (cause != WORKER_WAITING || x->waits_recorded) &&
	       (cause != WORKER_SCHEDULING || x->runtime_recorded);
}

int64_t cause_ns(const struct worker_time *t, int cause)
{
	return cause == CAUSE_SLOWER ? t->slower_ns : t->ns[cause] - (cause == WORKER_READY ? t->slower_ns : 0);
}

static int main_cause(const struct worker_time *t)
{
	int most = WORKER_WAITING;

	for (int cause = WORKER_WAITING; cause < CAUSES; cause++)
		most = cause_ns(t, cause) > cause_ns(t, most) ? cause : most;
	return most;
}

const char *causes_title(const struct worker_times *x, char buf[CAUSES_TITLE])
{
	static const char *const why[CAUSES] = {
		[WORKER_EXECUTING] = "",
		[WORKER_WAITING] = "waits for data",
		[WORKER_SCHEDULING] = "the runtime is at work",
		[WORKER_READY] = "while tasks were ready",
		[WORKER_STARVED] = "no task was ready",
		[WORKER_TAIL] = "nothing was left to do",
		[CAUSE_SLOWER] = "ready tasks are faster elsewhere",
	};
	int used = 0;

	*buf = '\0';
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double all = (double)x->elapsed_ns * x->arch_workers[a];
		double idle = all > 0 && !x->unknown ? 1 - (double)x->arch[a].ns[WORKER_EXECUTING] / all : 0;

		if (!x->arch_workers[a] || x->unknown || used >= CAUSES_TITLE)
			continue;
		used += snprintf(buf + used, (size_t)(CAUSES_TITLE - used), "%s%s idle %.0f %%", used ? ", " : "",
		                 arch_name(a), 100 * idle);
		if (100 * idle >= 1 && used < CAUSES_TITLE)
			used += snprintf(buf + used, (size_t)(CAUSES_TITLE - used), ": %s",
			                 why[main_cause(&x->arch[a])]);
	}
	return buf;
}

int causes_part(const struct worker_times *x, uint32_t worker, const struct worker_segment *s, int64_t from_ns,
                int64_t part_ns, int64_t *to_ns)
{
	enum worker_state state = (enum worker_state)s->state;
	int is_idle = state == WORKER_IDLE || state == WORKER_TAIL;
	int64_t to = is_idle && s->end_ns - from_ns > part_ns ? from_ns + part_ns : s->end_ns;

	*to_ns = to;
	if (!is_idle)
		return state;
	if (2 * worker_times_suited_ns(x, worker, from_ns, to) >= to - from_ns)
		return WORKER_READY;
	if (2 * worker_times_ready_ns(x, worker, from_ns, to) >= to - from_ns)
		return CAUSE_SLOWER;
	return state == WORKER_IDLE ? WORKER_STARVED : state;
}

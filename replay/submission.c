/* replay/submission.c - when the tasks of a replay are submitted: as in the run, all at once, or in a window. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/submission.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "replay/sim/simulate.h"

/* "window=N"; 0: it is not that. */
static uint32_t window_of(const char *text)
{
	char *end;
	unsigned long n;

	if (strncmp(text, "window=", 7) || text[7] < '0' || text[7] > '9')
		return 0;
	n = strtoul(text + 7, &end, 10);
	return *end || n > UINT32_MAX ? 0 : (uint32_t)n;
}

int submission_check(const char *when, struct ht_err *err)
{
	if (!strcmp(when, "recorded") || !strcmp(when, "none") || window_of(when))
		return 0;
	return ht_err_set(err,
	                  "--submission is recorded, none, or window=N with a number of tasks of at least 1, "
	                  "found \"%s\"",
	                  when);
}

void submission_open(struct submission *s, const char *when, const struct trace *t, const struct dag *d)
{
	*s = (struct submission){.ignore = !strcmp(when, "none")};
	if (s->ignore)
		return;
	window_find(&s->window, t, d);
	if (window_of(when)) {
		s->window.most = window_of(when);
		s->window.least = s->window.most - 1;
	}
}

void submission_fini(struct submission *s)
{
	window_fini(&s->window);
}

void submission_set(const struct submission *s, struct simulate_options *how)
{
	how->ignore_submission = s && s->ignore;
	how->window = s ? &s->window : NULL;
}

/* core/base/interrupt.c - Ctrl-C as a question: whether the user wants an end, asked where it suits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signals are blocked, and looked for among the pending ones: nothing runs asynchronously, no state is global. */
#include "core/base/interrupt.h"

#include <stddef.h>
#include <time.h>

static const int ending[] = {SIGINT, SIGTERM};

enum { ENDING = sizeof(ending) / sizeof(*ending) };

/* A blocked signal becomes pending on Linux even where it is ignored. */
static int is_ignored(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int interrupt_is_status(int status)
{
	return status == INTERRUPT_STATUS + SIGINT || status == INTERRUPT_STATUS + SIGTERM;
}

void interrupt_begin(struct interrupt *i)
{
	sigset_t set;

	sigemptyset(&set);
	for (int k = 0; k < ENDING; k++)
		if (!is_ignored(ending[k]))
			sigaddset(&set, ending[k]);
	pthread_sigmask(SIG_BLOCK, &set, &i->mask);
}

int interrupt_pending(void)
{
	sigset_t pending;

	if (sigpending(&pending) != 0)
		return 0;
	for (int k = 0; k < ENDING; k++)
		if (sigismember(&pending, ending[k]) == 1 && !is_ignored(ending[k]))
			return ending[k];
	return 0;
}

int interrupt_end(const struct interrupt *i)
{
	const struct timespec at_once = {0, 0};
	int signal = interrupt_pending();
	sigset_t set;

	sigemptyset(&set);
	for (int k = 0; k < ENDING; k++)
		if (!sigismember(&i->mask, ending[k]) && !is_ignored(ending[k]))
			sigaddset(&set, ending[k]);
	while (sigtimedwait(&set, NULL, &at_once) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &i->mask, NULL);
	return signal;
}

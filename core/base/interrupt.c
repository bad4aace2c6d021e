/* core/base/interrupt.c - Ctrl-C as a question: whether the user wants an end, asked where it suits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signals are blocked, and looked for among the pending ones: nothing runs asynchronously, no state is global. */
#include "core/base/interrupt.h"

#include <stddef.h>
#include <time.h>

const int interrupt_signals[INTERRUPT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* A blocked signal becomes pending on Linux even where it is ignored. */
static int is_ignored(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int interrupt_signal_of(int status)
{
	return status > INTERRUPT_STATUS && status < INTERRUPT_STATUS + NSIG ? status - INTERRUPT_STATUS : 0;
}

int interrupt_is_signal(int signal)
{
	for (int k = 0; k < INTERRUPT_SIGNALS; k++)
		if (signal == interrupt_signals[k])
			return 1;
	return 0;
}

int interrupt_is_status(int status)
{
	return interrupt_is_signal(status - INTERRUPT_STATUS);
}

void interrupt_begin(struct interrupt *i)
{
	sigset_t set;

	sigemptyset(&set);
	for (int k = 0; k < INTERRUPT_SIGNALS; k++)
		if (!is_ignored(interrupt_signals[k]))
			sigaddset(&set, interrupt_signals[k]);
	pthread_sigmask(SIG_BLOCK, &set, &i->mask);
}

int interrupt_pending(void)
{
	sigset_t pending;

	if (sigpending(&pending) != 0)
		return 0;
	for (int k = 0; k < INTERRUPT_SIGNALS; k++)
		if (sigismember(&pending, interrupt_signals[k]) == 1 && !is_ignored(interrupt_signals[k]))
			return interrupt_signals[k];
	return 0;
}

int interrupt_end(const struct interrupt *i)
{
	const struct timespec at_once = {0, 0};
	int signal = interrupt_pending();
	sigset_t set;

	sigemptyset(&set);
	for (int k = 0; k < INTERRUPT_SIGNALS; k++)
		if (!sigismember(&i->mask, interrupt_signals[k]) && !is_ignored(interrupt_signals[k]))
			sigaddset(&set, interrupt_signals[k]);
	while (sigtimedwait(&set, NULL, &at_once) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &i->mask, NULL);
	return signal;
}

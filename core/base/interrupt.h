/* core/base/interrupt.h - Ctrl-C as a question: whether the user wants an end, asked where it suits. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_INTERRUPT_H
#define CORE_BASE_INTERRUPT_H

#include <signal.h>

/* A command that a signal has ended has this and the signal's number as its status, as shells do. */
enum { INTERRUPT_STATUS = 128 };

/* The signal that has ended a program with this status; 0: none. */
int interrupt_signal_of(int status);

/* Those that ask a command to end: INT, TERM, and HUP, which the end of a terminal or of its connection sends. */
enum { INTERRUPT_SIGNALS = 3 };
extern const int interrupt_signals[INTERRUPT_SIGNALS];
int interrupt_is_signal(int signal);

/* Whether a command that one of these signals has ended has this status. */
int interrupt_is_status(int status);

struct interrupt {
	sigset_t mask; /* of the caller, before */
};

/*
 * From here to interrupt_end() the interrupt_signals end nothing. One that the caller ignores goes on being ignored.
 * Threads that are started in between inherit that. Pairs are not nested.
 */
void interrupt_begin(struct interrupt *i);

/* The signal that has come since interrupt_begin(), 0: none. Any thread may ask. */
int interrupt_pending(void);

/* The same, for the last time: the signal is taken, and signals do again what they did before. */
int interrupt_end(const struct interrupt *i);

#endif

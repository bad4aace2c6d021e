/* plugin/sessions.h - a program that starts StarPU several times, recorded: the trace of each session is kept. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_SESSIONS_H
#define PLUGIN_SESSIONS_H

/*
 * At the begin of a session: the trace of the one before, which would be written over at the end of this one, becomes
 * session_1, session_2, ... beside it, those of ranks 1, 2, ... session_1_1, session_1_2, ... Rank 0 does so for all,
 * below STARPU_FXT_PREFIX.
 */
void sessions_keep(void);

/* Where HETEROTUNE_RECORD is set, StarPU records from here on, even if the program has turned that off. */
void sessions_record(void);

#endif

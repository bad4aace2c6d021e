/* auto/steps.h - the steps of `auto`: numbered, timed, and those left out whose result is there already. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_STEPS_H
#define AUTO_STEPS_H

#include <stdint.h>

#include "core/base/progress.h"

struct command;
struct ht_err;

enum { STEP_COMMANDS = 3, STEP_WORDS = 32 };

#define STEPS_FIRST "command" /* is in every file of steps (identity_save()) */

/*
 * A command as a user would call it, its standard output in DIR/`log`. Words end with NULL. One that begins with '@' is
 * a file or a run below DIR that the command reads, with '>' a file that it writes, or a directory of files, with '!' a
 * directory that it makes: what was there before is removed, but for a directory of files. No result depends on words
 * that begin with "--jobs=".
 */
struct step_command {
	const struct command *command;
	const char *log;
	const char *words[STEP_WORDS];
};

struct step {
	const char *name; /* "tuning" */
	int talks;        /* prints on the user's screen: its beginning gets a line of its own */
	struct step_command commands[STEP_COMMANDS]; /* those without a command end them */
};

/* What was done, as DIR/steps has it: a line "NAME: NUMBER" for each step, the number being that of its inputs. */
struct steps {
	const char *dir;
	int count, number; /* of all, and of the one under way */
	int fresh;         /* some step was not left out, so none after it is */
	struct progress line;
	double begin_s;
	struct done {
		char *name;
		uint64_t key;
	} * done;
	size_t ndone, cap;
	int lock; /* DIR, opened; -1: not locked */
};

/* Of a clock that only goes on. */
double steps_now_s(void);

/* Reads DIR/steps; where there is none, or what is there is none, nothing was done. steps_free() it. */
void steps_open(struct steps *s, const char *dir, int count);
void steps_free(struct steps *s);

/*
 * The same of a DIR that is there, to write to it: until steps_free() no other process gets it. -1: another one has it,
 * or there is something in it and no steps of `auto`; nothing is to be freed.
 */
int steps_take(struct steps *s, const char *dir, int count, struct ht_err *err);

/* Whether that was done with these inputs, and every step before it. */
int steps_is_done(const struct steps *s, const char *name, uint64_t key);

int steps_has(const struct steps *s, const char *name); /* with whatever inputs */

/* Writes down that it is done; what came after it is not any more. -1: that cannot be written. */
int steps_put(struct steps *s, const char *name, uint64_t key, struct ht_err *err);

/* The next step begins; it ends with steps_end(), steps_keep() or not at all. */
void steps_begin(struct steps *s, const char *name, int talks);

/* It is done; steps_put(). */
int steps_end(struct steps *s, const char *name, uint64_t key, struct ht_err *err);

/* It is left out; why: for the user. */
void steps_keep(struct steps *s, const char *name, const char *why);

/* A step of commands, from begin to end. The status of the last command, 0: all went well; -1: the sentence in err. */
int steps_run(struct steps *s, const struct step *step, struct ht_err *err);

/* What of a command's output goes to its log. */
enum steps_log { STEPS_LOG_OUTPUT, STEPS_LOG_ERRORS_TOO };

/* Runs a command with its output in DIR/`log`. Its status, or -1 when the log cannot be written. */
int steps_command(const char *dir, const struct command *c, const char *log, enum steps_log what, int argc, char **argv,
                  struct ht_err *err);

/* A number of a file's contents, of a run also of the time it was recorded; 0: it is not there. */
uint64_t steps_fingerprint(const char *path);

#endif

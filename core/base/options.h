/* core/base/options.h - command lines: one table per command gives the parsing, the checks and --help. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_OPTIONS_H
#define CORE_BASE_OPTIONS_H

struct ht_err;

enum option_kind {
	OPTION_END = 0,
	OPTION_FLAG,  /* int *: set to 1 */
	OPTION_TEXT,  /* const char **: given again, the last one holds */
	OPTION_ONCE,  /* the same, NULL before: given again, it is an error */
	OPTION_TEXTS, /* struct option_list *: may be given again; takes every following word up to the next option */
	OPTION_INT,   /* int64_t *, not negative */
	OPTION_COUNT, /* the same, at least 1 */
	OPTION_REAL,  /* double *, not negative */
	OPTION_LIST,  /* prints usage->list and stops, as --help does */
	OPTION_GROUP, /* no option: a heading of --help */
};

struct option_list {
	const char **items;
	int count;
};

struct option_spec {
	enum option_kind kind;
	char letter;      /* 0 where there is no short form */
	const char *name; /* "output", without dashes */
	void *value;
	const char *argument; /* what --help calls the value: "FILE" */
	const char *help;
};

struct option_usage {
	const char *command;  /* "replay" */
	const char *synopsis; /* "RUN --policy NAME" */
	const char *summary;  /* one line */
	const char *epilogue; /* examples; may be NULL */
	void (*list)(void);   /* of OPTION_LIST */
};

/* What options_parse() returns where it does not return a number of words. */
enum { OPTIONS_FAILED = -1, OPTIONS_SHOWN = -2 };

/*
 * Reads the options of argv[1..argc-1] wherever they stand. Stops at "--": what follows is the positional rest in full
 * (a command to run). Positional words are moved to the front of argv from index 0, a NULL after them; their number is
 * returned. OPTIONS_FAILED: a bad option, the sentence in err. OPTIONS_SHOWN: --help or a list was asked for and
 * printed.
 */
int options_parse(int argc, char **argv, const struct option_spec *specs, const struct option_usage *usage,
                  struct ht_err *err);
void option_list_fini(struct option_list *l);

#endif

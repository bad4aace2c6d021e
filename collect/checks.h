/* collect/checks.h - what recording, tuning and production need of a machine, and whether it is there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_CHECKS_H
#define COLLECT_CHECKS_H

enum check_state {
	CHECK_OK,
	CHECK_MISSING, /* something does not work, or is not as good */
	CHECK_FATAL,   /* nothing can be recorded */
};

enum { CHECK_TEXT = 512 };

struct check_result {
	enum check_state state;
	char found[CHECK_TEXT]; /* what is there, or is not */
	char to_do[CHECK_TEXT]; /* "": nothing */
};

struct check {
	const char *name;
	void (*look)(struct check_result *r);
};

/* In the order to show them, the last one without a name. */
extern const struct check checks[];

#endif

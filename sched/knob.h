/* sched/knob.h - the knobs of a policy: one table says their names, values, ranges, defaults and places. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_KNOB_H
#define SCHED_KNOB_H

#include <stddef.h>

struct ht_err;

/* The type of the member that a knob sets. */
enum knob_type {
	KNOB_WORD,     /* int: the index of the word in `values` */
	KNOB_NUMBER,   /* double */
	KNOB_COUNT,    /* int64_t */
	KNOB_PER_ARCH, /* int[ARCH_COUNT]; the name ends in "_ARCH", which stands for "_cpu", "_cuda", ... */
	KNOB_TEXT,     /* struct knob_text: the policy checks it */
};

/* Borrowed from the options; `at` is NULL where the knob is not given. */
struct knob_text {
	const char *at;
	int len;
};

/* A row of a policy's table, which ends with a row without a name. The macros below make rows. */
struct knob {
	const char *name;
	enum knob_type type;
	const char *values; /* as users read it; the words of a KNOB_WORD, separated by '|' */
	double dflt;        /* where the knob is not given; a policy whose default depends on the run has -1 here */
	double min, max;    /* a `min` of -INFINITY: any number */
	size_t offset;      /* of the member in the struct that knobs_read() fills */
};

#define WORD_KNOB(owner, member, knob, words, preset) \
	{ \
		.name = knob, .type = KNOB_WORD, .values = words, .dflt = preset, \
		.offset = offsetof(struct owner, member) \
	}
#define NUMBER_KNOB(owner, member, knob, unit, preset, most) \
	{ \
		.name = knob, .type = KNOB_NUMBER, .values = unit, .dflt = preset, .max = most, \
		.offset = offsetof(struct owner, member) \
	}
#define COUNT_KNOB(owner, member, knob, unit, preset, least, most) \
	{ \
		.name = knob, .type = KNOB_COUNT, .values = unit, .dflt = preset, .min = least, .max = most, \
		.offset = offsetof(struct owner, member) \
	}
#define ARCH_KNOB(owner, member, knob, unit, preset, least, most) \
	{ \
		.name = knob "_ARCH", .type = KNOB_PER_ARCH, .values = unit, .dflt = preset, .min = least, \
		.max = most, .offset = offsetof(struct owner, member) \
	}
#define TEXT_KNOB(owner, member, knob, what) \
	{ \
		.name = knob, .type = KNOB_TEXT, .values = what, .offset = offsetof(struct owner, member) \
	}
#define LAST_KNOB \
	{ \
		.name = NULL \
	}

/*
 * Reads "a=1,b=x" into `values`, the struct that the offsets of the table are of: members whose knobs are not given get
 * their defaults, and of a knob that is given twice the first one counts. `knobs` NULL: the policy has none. 0, or -1
 * with a sentence that names `policy`: a name that the table does not have, or a value that is out of range.
 */
int knobs_read(const char *policy, const struct knob *knobs, const char *options, void *values, struct ht_err *err);

/* The same for one knob; whatever else the options have is not looked at. */
int knob_read(const char *policy, const struct knob *knob, const char *options, void *values, struct ht_err *err);

#endif

/* core/trace/fxt.h - the events of one raw FxT file, in the order of time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_FXT_H
#define CORE_TRACE_FXT_H

#include <stddef.h>
#include <stdint.h>

struct ht_err;

/*
 * Layout: a big-endian word that names the architecture, blocks of (size, type,
 * subtype), the information block (1) and the block of 64-bit user events (0x201), which runs to the end of the file
 * when its size is 0. An event is tick (ns), thread, code << 8 | (parameters + 1), then its parameters, each 8 bytes;
 * the words of an event need not be aligned.
 *
 * libfxt can read these files too, but trusts them: a damaged one makes it abort. Traces arrive damaged (a killed run,
 * a full disk), so this reader checks every length against the file.
 *
 * A file is read piece by piece, whatever its size: in memory there are the events of some megabytes, and those that
 * later ones may still have to precede, as threads write a little late. fxt_open() finds how late, in a pass of its
 * own.
 */
struct fxt_index {
	uint64_t tick;
	uint64_t at; /* of the event in data[] */
};

struct fxt {
	char *path;
	char host[65]; /* from the UNAME block; "" */
	size_t nevents;
	uint64_t first_tick;      /* of the first event as written */
	uint64_t unordered;       /* events that came before their predecessor */
	uint64_t truncated_bytes; /* after the last whole event */
	/* Of this reader alone: */
	int fd;
	uint64_t begin, end;      /* of the events, in the file */
	uint64_t late;            /* most ticks by which an event is earlier than one before it in the file */
	uint64_t offset;          /* in the file, of what is read next */
	unsigned char *data;      /* events that were read and not yet given, and the beginning of one more */
	size_t size, cap, whole;  /* bytes of data[], of whole events */
	struct fxt_index *events; /* of data[], sorted by tick, ties in file order */
	size_t count, cap_events, next, safe; /* next: the one to give; before `safe` no further event can come */
	uint64_t newest;                      /* largest tick read */
};

struct fxt_event {
	uint64_t tick;
	uint64_t written; /* the tick in the file: the end of a flush is later than what is beside it */
	uint64_t offset;  /* in the file */
	uint32_t code;
	uint32_t nparams;
	const unsigned char *params; /* nparams words, unaligned, until the next event is asked for */
};

/* Checks the whole file. The first fxt_next() is at its beginning. */
int fxt_open(struct fxt *f, const char *path, struct ht_err *err);
void fxt_close(struct fxt *f); /* also for a zeroed struct */

/* The next event in time, ties in the order of the file: 1; 0: there is none; -1: the file has changed. */
int fxt_next(struct fxt *f, struct fxt_event *e, struct ht_err *err);

/* Back to the beginning. */
void fxt_rewind(struct fxt *f);

/* Parameter i, 0 when the event has fewer (StarPU's own reader does the same). */
uint64_t fxt_param(const struct fxt_event *e, uint32_t i);

/* The string that starts at parameter i: not terminated, *len its length (0 when the event is shorter). */
const char *fxt_string(const struct fxt_event *e, uint32_t i, size_t *len);

#endif

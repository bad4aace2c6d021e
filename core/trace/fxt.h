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
 */
struct fxt_index {
	uint64_t tick;
	uint64_t offset; /* of the event in the file */
};

struct fxt {
	unsigned char *data;
	size_t size;
	struct fxt_index *events; /* sorted by tick, ties in file order */
	size_t nevents;
	uint64_t unordered;       /* events that came before their predecessor */
	uint64_t truncated_bytes; /* after the last whole event */
	char host[65];            /* from the UNAME block; "" */
	char *path;
};

struct fxt_event {
	uint64_t tick, tid;
	uint32_t code;
	uint32_t nparams;
	const unsigned char *params; /* nparams words, unaligned */
};

int fxt_open(struct fxt *f, const char *path, struct ht_err *err);
void fxt_close(struct fxt *f); /* also for a zeroed struct */

/* The i-th event in time. Never fails: every event was checked when the file was opened. */
struct fxt_event fxt_event_at(const struct fxt *f, size_t i);

/* Parameter i, 0 when the event has fewer (StarPU's own reader does the same). */
uint64_t fxt_param(const struct fxt_event *e, uint32_t i);

/* The string that starts at parameter i: not terminated, *len its length (0 when the event is shorter). */
const char *fxt_string(const struct fxt_event *e, uint32_t i, size_t *len);

#endif

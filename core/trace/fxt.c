/* core/trace/fxt.c - the events of one raw FxT file, in the order of time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/fxt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"

enum {
	BLOCK_INFOS = 1,
	BLOCK_UNAME = 0x11,
	BLOCK_USER_RAW32 = 0x200,
	BLOCK_USER_RAW64 = 0x201,
	BLOCK_HEADER = 16,
	EVENT_HEADER = 24,
	MAX_WORDS = 255, /* the low byte of the code word */
};

static uint32_t load32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* "Linux HOST ...": the second word. */
static void read_uname(struct fxt *f, size_t at, size_t size)
{
	const char *s = (const char *)f->data + at + BLOCK_HEADER + 4, *host;
	size_t len, n;

	if (size < BLOCK_HEADER + 4)
		return;
	len = load32(f->data + at + BLOCK_HEADER);
	if (len > size - BLOCK_HEADER - 4)
		len = size - BLOCK_HEADER - 4;
	host = memchr(s, ' ', len);
	if (!host)
		return;
	host++;
	len -= (size_t)(host - s);
	for (n = 0; n < len && n < sizeof(f->host) - 1 && host[n] != ' ' && host[n]; n++)
		f->host[n] = host[n];
}

/* The blocks inside the information block; what is odd there is skipped, nothing depends on it. */
static void read_infos(struct fxt *f, size_t at, size_t end)
{
	while (at + BLOCK_HEADER <= end) {
		uint64_t size = load64(f->data + at);

		if (size < BLOCK_HEADER || size > end - at)
			return;
		if (load32(f->data + at + 8) == BLOCK_UNAME)
			read_uname(f, at, size);
		at += size;
	}
}

static int index_events(struct fxt *f, size_t at, size_t end, struct ht_err *err)
{
	size_t cap = 0;
	uint64_t last = 0;

	/* One pass to know how many: an array grown by doubling would cost twice its memory at its peak. */
	for (size_t pass = 0, p = at; pass < 2; pass++, p = at) {
		size_t n = 0;

		while (end - p >= EVENT_HEADER) {
			uint64_t word = load64(f->data + p + 16);
			uint64_t words = word & 0xff;
			size_t size;

			if (words == 0 && word == 0)
				break; /* zeroes: the unused end of a buffer */
			if (words == 0 || word >> 40)
				return ht_err_set(err,
				                  "%s: byte %zu: not an FxT event: expected a code word, found 0x%llx",
				                  f->path, p + 16, (unsigned long long)word);
			size = EVENT_HEADER + (words - 1) * 8;
			if (size > end - p)
				break;
			if (pass) {
				f->events[n].tick = load64(f->data + p);
				f->events[n].offset = p;
				f->unordered += f->events[n].tick < last;
				last = f->events[n].tick;
			}
			n++;
			p += size;
		}
		if (pass == 0) {
			cap = n;
			f->events = ht_alloc(cap, sizeof(*f->events));
			f->truncated_bytes = end - p;
		}
	}
	f->nevents = cap;
	return 0;
}

/* Natural merge sort: linear where the events are almost in order, as they are, and n log n on any input. Stable. */
static void sort_events(struct fxt *f)
{
	size_t n = f->nevents;
	struct fxt_index *a = f->events, *b, *from, *to;

	/* Short displacements first: threads that wrote a microsecond late. */
	for (size_t i = 1, moves = 0; i < n && moves < 64 * 1024; i++) {
		struct fxt_index e = a[i];
		size_t j = i;

		for (; j > 0 && a[j - 1].tick > e.tick && i - j < 64; j--, moves++)
			a[j] = a[j - 1];
		a[j] = e;
	}
	b = ht_alloc(n, sizeof(*b));
	from = a;
	to = b;
	for (;;) {
		size_t i = 0, runs = 0;

		while (i < n) {
			size_t lo = i, mid, hi, x, y, o;

			for (mid = lo + 1; mid < n && from[mid - 1].tick <= from[mid].tick; mid++)
				;
			for (hi = mid < n ? mid + 1 : n; hi < n && from[hi - 1].tick <= from[hi].tick; hi++)
				;
			runs++;
			if (lo == 0 && mid == n)
				goto sorted;
			for (x = lo, y = mid, o = lo; o < hi; o++)
				to[o] = y >= hi || (x < mid && from[x].tick <= from[y].tick) ? from[x++] : from[y++];
			i = hi;
		}
		struct fxt_index *t = from;

		from = to;
		to = t;
	}
sorted:
	if (from != a)
		memcpy(a, from, n * sizeof(*a));
	free(b);
}

static int read_blocks(struct fxt *f, struct ht_err *err)
{
	size_t at = 4;
	uint32_t arch;

	if (f->size == 0)
		return ht_err_set(err, "%s: is empty, expected a raw FxT trace", f->path);
	if (f->size < 4 + BLOCK_HEADER)
		return ht_err_set(err, "%s: has %zu bytes, too few for an FxT trace", f->path, f->size);
	arch = (uint32_t)f->data[0] << 24 | (uint32_t)f->data[1] << 16 | (uint32_t)f->data[2] << 8 | f->data[3];
	if (arch == 0 || arch > 0xff)
		return ht_err_set(err, "%s: byte 0: not an FxT trace: expected an architecture number, found 0x%08x",
		                  f->path, arch);
	while (f->size - at >= BLOCK_HEADER) {
		uint64_t size = load64(f->data + at);
		uint32_t type = load32(f->data + at + 8);
		size_t left = f->size - at;

		if (type == BLOCK_USER_RAW32)
			return ht_err_set(err, "%s: byte %zu: events of a 32-bit program, expected 64-bit ones",
			                  f->path, at);
		/* The events are last, and their size is written when the program ends well. */
		if (type == BLOCK_USER_RAW64 && (size == 0 || size > left))
			size = left;
		if (size < BLOCK_HEADER || size > left)
			return ht_err_set(err, "%s: byte %zu: expected a block of 16 to %zu bytes, found %llu", f->path,
			                  at, left, (unsigned long long)size);
		if (type == BLOCK_USER_RAW64) {
			if (index_events(f, at + BLOCK_HEADER, at + size, err) != 0)
				return -1;
			if (f->nevents == 0)
				return ht_err_set(err, "%s: byte %zu: the trace has no events", f->path, at);
			return 0;
		}
		if (type == BLOCK_INFOS)
			read_infos(f, at + BLOCK_HEADER, at + size);
		at += size;
	}
	return ht_err_set(err, "%s: byte %zu: the file ends before its events: truncated, or not a trace of StarPU",
	                  f->path, at);
}

/* Reads the file rather than maps it: a program that runs again cuts it to nothing, and a mapping with it. */
static int read_data(struct fxt *f, struct ht_err *err)
{
	struct stat st;
	int fd = file_open(f->path, &st, err);
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	f->data = ht_alloc((size_t)st.st_size, 1);
	while (f->size < (size_t)st.st_size && n != 0) {
		n = read(fd, f->data + f->size, (size_t)st.st_size - f->size);
		if (n < 0 && errno != EINTR)
			break;
		f->size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		ht_err_set(err, "%s: cannot be read: %s", f->path, strerror(errno));
	close(fd);
	return n < 0 ? -1 : 0;
}

int fxt_open(struct fxt *f, const char *path, struct ht_err *err)
{
	*f = (struct fxt){.path = ht_strndup(path, strlen(path))};
	if (read_data(f, err) != 0 || read_blocks(f, err) != 0) {
		fxt_close(f);
		return -1;
	}
	if (f->unordered)
		sort_events(f);
	return 0;
}

void fxt_close(struct fxt *f)
{
	free(f->data);
	free(f->events);
	free(f->path);
	*f = (struct fxt){0};
}

struct fxt_event fxt_event_at(const struct fxt *f, size_t i)
{
	const unsigned char *p = f->data + f->events[i].offset;
	uint64_t word = load64(p + 16);

	return (struct fxt_event){
		.tick = f->events[i].tick,
		.tid = load64(p + 8),
		.code = (uint32_t)(word >> 8),
		.nparams = (uint32_t)(word & 0xff) - 1,
		.params = p + EVENT_HEADER,
	};
}

uint64_t fxt_param(const struct fxt_event *e, uint32_t i)
{
	return i < e->nparams ? load64(e->params + (size_t)i * 8) : 0;
}

const char *fxt_string(const struct fxt_event *e, uint32_t i, size_t *len)
{
	const char *s = (const char *)e->params + (size_t)i * 8;

	*len = i < e->nparams ? strnlen(s, (size_t)(e->nparams - i) * 8) : 0;
	return *len ? s : "";
}

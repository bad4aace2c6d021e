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
	PIECE = 1 << 22,
	FLUSH_ENDED = 0xfff4,
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

/* All of `n` bytes from `at` on, or -1. */
static int read_at(const struct fxt *f, uint64_t at, void *to, size_t n, struct ht_err *err)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(f->fd, (char *)to + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ht_err_set(err, "%s: cannot be read: %s", f->path, strerror(errno));
		if (got == 0)
			return ht_err_set(err, "%s: has changed while it was read: expected %llu bytes, found %llu",
			                  f->path, (unsigned long long)(at + n), (unsigned long long)(at + done));
		done += (size_t)got;
	}
	return 0;
}

/* "Linux HOST ...": the second word. */
static int read_uname(struct fxt *f, uint64_t at, uint64_t size, struct ht_err *err)
{
	unsigned char head[BLOCK_HEADER + 4];
	char text[256];
	const char *host;
	size_t len, n;

	if (size < sizeof(head))
		return 0;
	if (read_at(f, at, head, sizeof(head), err) != 0)
		return -1;
	len = load32(head + BLOCK_HEADER);
	len = len > size - sizeof(head) ? (size_t)(size - sizeof(head)) : len;
	len = len > sizeof(text) ? sizeof(text) : len;
	if (read_at(f, at + sizeof(head), text, len, err) != 0)
		return -1;
	host = memchr(text, ' ', len);
	if (!host)
		return 0;
	host++;
	len -= (size_t)(host - text);
	for (n = 0; n < len && n < sizeof(f->host) - 1 && host[n] != ' ' && host[n]; n++)
		f->host[n] = host[n];
	return 0;
}

/* The blocks inside the information block; what is odd there is skipped, nothing depends on it. */
static int read_infos(struct fxt *f, uint64_t at, uint64_t end, struct ht_err *err)
{
	while (at + BLOCK_HEADER <= end) {
		unsigned char head[BLOCK_HEADER];
		uint64_t size;

		if (read_at(f, at, head, sizeof(head), err) != 0)
			return -1;
		size = load64(head);
		if (size < BLOCK_HEADER || size > end - at)
			return 0;
		if (load32(head + 8) == BLOCK_UNAME && read_uname(f, at, size, err) != 0)
			return -1;
		at += size;
	}
	return 0;
}

/*
 * The size of the event that data[at] begins; 0: there is not all of it, or *is_end: zeroes, which are the unused end
 * of a buffer. -1 where it is none.
 */
static long event_size(const struct fxt *f, size_t at, int *is_end, struct ht_err *err)
{
	const unsigned char *p = f->data + at;
	uint64_t word, words;
	long size;

	if (f->size - at < EVENT_HEADER)
		return 0;
	word = load64(p + 16);
	words = word & 0xff;
	*is_end = word == 0;
	if (*is_end)
		return 0;
	if (words == 0 || word >> 40)
		return ht_err_set(err, "%s: byte %llu: not an FxT event: expected a code word, found 0x%llx", f->path,
		                  (unsigned long long)(f->offset - f->size + at + 16), (unsigned long long)word);
	size = EVENT_HEADER + (long)(words - 1) * 8;
	return (size_t)size > f->size - at ? 0 : size;
}

/* Drops the first `gone` bytes, and reads more behind the others. */
static int read_more(struct fxt *f, size_t gone, struct ht_err *err)
{
	size_t n;

	f->size -= gone;
	f->whole -= gone;
	if (f->size)
		memmove(f->data, f->data + gone, f->size);
	if (f->size >= f->cap / 2) {
		f->cap = f->cap ? 2 * f->cap : PIECE;
		f->data = ht_realloc(f->data, f->cap, 1);
	}
	n = f->end - f->offset < f->cap - f->size ? (size_t)(f->end - f->offset) : f->cap - f->size;
	if (read_at(f, f->offset, f->data + f->size, n, err) != 0)
		return -1;
	f->size += n;
	f->offset += n;
	return 0;
}

/*
 * The buffer after one that is flushed begins with the end of that, which takes seconds, and then has the events of
 * threads that did not wait for it: they are not late, that one is early. So it has the time of what is before it.
 */
static uint64_t tick_of(const unsigned char *event, uint64_t newest)
{
	uint64_t tick = load64(event);

	return load64(event + 16) >> 8 == FLUSH_ENDED && newest && tick > newest ? newest : tick;
}

/* One pass over all events: how many there are, and how late. What is behind the last whole one is left out. */
static int check_events(struct fxt *f, struct ht_err *err)
{
	uint64_t last = 0, newest = 0, all = f->end;
	int is_end = 0;

	while (!is_end && f->offset < f->end) {
		long size;

		if (read_more(f, f->whole, err) != 0)
			return -1;
		while ((size = event_size(f, f->whole, &is_end, err)) > 0) {
			uint64_t tick = tick_of(f->data + f->whole, newest);

			f->first_tick = f->nevents ? f->first_tick : tick;
			f->unordered += tick < last;
			newest = tick > newest ? tick : newest;
			f->late = newest - tick > f->late ? newest - tick : f->late;
			last = tick;
			f->nevents++;
			f->whole += (size_t)size;
		}
		if (size < 0)
			return -1;
	}
	f->end = f->offset - f->size + f->whole;
	f->truncated_bytes = all - f->end;
	return 0;
}

static int is_sorted(const struct fxt_index *a, size_t n)
{
	size_t i = 1;

	while (i < n && a[i - 1].tick <= a[i].tick)
		i++;
	return i >= n;
}

/* Natural merge sort: linear where the events are almost in order, as they are, and n log n on any input. Stable. */
static void sort_events(struct fxt_index *a, size_t n)
{
	struct fxt_index *b, *from, *to;

	/* Short displacements first: threads that wrote a microsecond late. */
	for (size_t i = 1, moves = 0; i < n && moves < 64 * 1024; i++) {
		struct fxt_index e = a[i];
		size_t j = i;

		for (; j > 0 && a[j - 1].tick > e.tick && i - j < 64; j--, moves++)
			a[j] = a[j - 1];
		a[j] = e;
	}
	if (is_sorted(a, n))
		return;
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

static int read_blocks(struct fxt *f, uint64_t file_size, struct ht_err *err)
{
	unsigned char head[BLOCK_HEADER];
	uint64_t at = 4;
	uint32_t arch;

	if (file_size == 0)
		return ht_err_set(err, "%s: is empty, expected a raw FxT trace", f->path);
	if (file_size < 4 + BLOCK_HEADER)
		return ht_err_set(err, "%s: has %llu bytes, too few for an FxT trace", f->path,
		                  (unsigned long long)file_size);
	if (read_at(f, 0, head, 4, err) != 0)
		return -1;
	arch = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
	if (arch == 0 || arch > 0xff)
		return ht_err_set(err, "%s: byte 0: not an FxT trace: expected an architecture number, found 0x%08x",
		                  f->path, arch);
	while (file_size - at >= BLOCK_HEADER) {
		uint64_t left = file_size - at, size;
		uint32_t type;

		if (read_at(f, at, head, sizeof(head), err) != 0)
			return -1;
		size = load64(head);
		type = load32(head + 8);
		if (type == BLOCK_USER_RAW32)
			return ht_err_set(err, "%s: byte %llu: events of a 32-bit program, expected 64-bit ones",
			                  f->path, (unsigned long long)at);
		/* The events are last, and their size is written when the program ends well. */
		if (type == BLOCK_USER_RAW64 && (size == 0 || size > left))
			size = left;
		if (size < BLOCK_HEADER || size > left)
			return ht_err_set(err, "%s: byte %llu: expected a block of 16 to %llu bytes, found %llu",
			                  f->path, (unsigned long long)at, (unsigned long long)left,
			                  (unsigned long long)size);
		if (type == BLOCK_USER_RAW64) {
			f->begin = f->offset = at + BLOCK_HEADER;
			f->end = at + size;
			if (check_events(f, err) != 0)
				return -1;
			if (f->nevents == 0)
				return ht_err_set(err, "%s: byte %llu: the trace has no events", f->path,
				                  (unsigned long long)at);
			return 0;
		}
		if (type == BLOCK_INFOS && read_infos(f, at + BLOCK_HEADER, at + size, err) != 0)
			return -1;
		at += size;
	}
	return ht_err_set(err, "%s: byte %llu: the file ends before its events: truncated, or not a trace of StarPU",
	                  f->path, (unsigned long long)at);
}

int fxt_open(struct fxt *f, const char *path, struct ht_err *err)
{
	struct stat st;
	int fd = file_open(path, &st, err);

	*f = (struct fxt){.fd = fd};
	if (fd < 0)
		return -1;
	f->path = ht_strndup(path, strlen(path));
	if (read_blocks(f, (uint64_t)st.st_size, err) != 0) {
		fxt_close(f);
		return -1;
	}
	fxt_rewind(f);
	return 0;
}

void fxt_close(struct fxt *f)
{
	if (f->path)
		close(f->fd);
	free(f->data);
	free(f->events);
	free(f->path);
	*f = (struct fxt){0};
}

void fxt_rewind(struct fxt *f)
{
	f->offset = f->begin;
	f->size = f->whole = f->count = f->next = f->safe = 0;
	f->newest = 0;
}

/* Before it no further event can come: so many of the sorted ones. */
static size_t safe_events(const struct fxt *f)
{
	size_t low = f->next, high = f->count;

	if (f->offset == f->end)
		return f->count;
	while (low < high && f->newest >= f->late) {
		size_t middle = low + (high - low) / 2;

		if (f->events[middle].tick <= f->newest - f->late)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The events of another piece, sorted with those that could not be given yet. */
static int next_piece(struct fxt *f, struct ht_err *err)
{
	size_t gone = f->whole;
	int is_end = 0;
	long size;

	for (size_t i = f->next; i < f->count; i++)
		gone = f->events[i].at < gone ? f->events[i].at : gone;
	f->count -= f->next;
	if (f->count)
		memmove(f->events, f->events + f->next, f->count * sizeof(*f->events));
	f->next = 0;
	for (size_t i = 0; i < f->count; i++)
		f->events[i].at -= gone;
	if (read_more(f, gone, err) != 0)
		return -1;
	while ((size = event_size(f, f->whole, &is_end, err)) > 0) {
		struct fxt_index *e = VEC_PUSH(f->events, f->count, f->cap_events);

		e->tick = tick_of(f->data + f->whole, f->newest);
		e->at = f->whole;
		f->newest = e->tick > f->newest ? e->tick : f->newest;
		f->whole += (size_t)size;
	}
	if (size < 0)
		return -1;
	if (is_end || (f->offset == f->end && f->whole < f->size))
		return ht_err_set(err, "%s: has changed while it was read: expected an event before byte %llu", f->path,
		                  (unsigned long long)f->end);
	sort_events(f->events, f->count);
	f->safe = safe_events(f);
	return 0;
}

int fxt_next(struct fxt *f, struct fxt_event *e, struct ht_err *err)
{
	const unsigned char *p;
	uint64_t word;

	while (f->next == f->safe) {
		if (f->offset == f->end && f->next == f->count)
			return 0;
		if (next_piece(f, err) != 0)
			return -1;
	}
	p = f->data + f->events[f->next].at;
	word = load64(p + 16);
	*e = (struct fxt_event){
		.tick = f->events[f->next++].tick,
		.written = load64(p),
		.offset = f->offset - f->size + (uint64_t)(p - f->data),
		.code = (uint32_t)(word >> 8),
		.nparams = (uint32_t)(word & 0xff) - 1,
		.params = p + EVENT_HEADER,
	};
	return 1;
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

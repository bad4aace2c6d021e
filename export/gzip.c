/* export/gzip.c - a file in the form of gzip, without its compression: for readers that insist on the name .gz. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "export/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "core/base/alloc.h"

enum { BLOCK = 65535 };

struct gzip {
	FILE *to;
	uint32_t crc, size, table[256];
};

/* The polynomial of RFC 1952, bits reversed. */
static void make_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int k = 0; k < 8; k++)
			v = v & 1 ? 0xedb88320u ^ v >> 1 : v >> 1;
		table[i] = v;
	}
}

static void put_little(FILE *f, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		putc((int)(v >> 8 * i & 255), f);
}

static void put_block(FILE *f, const char *data, size_t len, int last)
{
	putc(last, f); /* block of type 00, stored, up to the next byte */
	put_little(f, (uint32_t)len, 2);
	put_little(f, ~(uint32_t)len, 2);
	fwrite(data, 1, len, f);
}

static ssize_t write_some(void *cookie, const char *data, size_t len)
{
	struct gzip *g = cookie;

	for (size_t i = 0; i < len; i++)
		g->crc = g->table[(g->crc ^ (unsigned char)data[i]) & 255] ^ g->crc >> 8;
	g->size += (uint32_t)len;
	for (size_t at = 0; at < len; at += BLOCK)
		put_block(g->to, data + at, len - at < BLOCK ? len - at : BLOCK, 0);
	return (ssize_t)len;
}

static int end(void *cookie)
{
	struct gzip *g = cookie;

	put_block(g->to, "", 0, 1);
	put_little(g->to, ~g->crc, 4);
	put_little(g->to, g->size, 4);
	free(g);
	return 0;
}

FILE *gzip_stored(FILE *to)
{
	static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
	struct gzip *g = ht_alloc(1, sizeof(*g));
	FILE *f = fopencookie(g, "w", (cookie_io_functions_t){.write = write_some, .close = end});

	if (!f) {
		free(g);
		return NULL;
	}
	*g = (struct gzip){.to = to, .crc = ~0u};
	make_table(g->table);
	fwrite(head, 1, sizeof(head), to);
	setvbuf(f, NULL, _IOFBF, BLOCK);
	return f;
}

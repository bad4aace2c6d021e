/* tests/lib/mangle.h - a good file made bad in many ways, for a reader that must survive all of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_MANGLE_H
#define TESTS_LIB_MANGLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* xorshift64: the same sequence on every machine. */
static inline uint64_t mangle_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * One copy as `path`, given to `reader`; its answer: 1 when it refused with a sentence or gave a structure that holds.
 */
static inline int mangle_try(const char *path, const char *text, size_t len, int (*reader)(const char *, void *),
                             void *ctx)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(text, 1, len, f) != len || fclose(f) != 0)
		abort();
	return reader(path, ctx);
}

/*
 * The reader gets every 1/20th of the file, then `copies` copies with one to four bytes changed. The copies have the
 * file's own name, in a directory of their own. How many the reader did not survive.
 */
static inline int mangle(const char *path, int copies, uint64_t seed, int (*reader)(const char *path, void *ctx),
                         void *ctx)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char dir[] = "/tmp/heterotune-mangle-XXXXXX", copy[512], text[1 << 16];
	FILE *f = fopen(path, "rb");
	size_t len = f ? fread(text, 1, sizeof(text), f) : 0;
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
	int bad = 0;

	if (!f || len == 0 || len == sizeof(text) || !mkdtemp(dir))
		abort();
	fclose(f);
	snprintf(copy, sizeof(copy), "%s/%s", dir, base);
	for (int i = 0; i < 20; i++)
		bad += !mangle_try(copy, text, len * (size_t)i / 20, reader, ctx);
	for (int i = 0; i < copies; i++) {
		size_t at[4];
		char was[4];
		int n = (int)(mangle_next(&state) % 4) + 1;

		for (int k = 0; k < n; k++) {
			static const char favourites[] = "0129-.#<>\"/ \n\0n\xff";

			at[k] = mangle_next(&state) % len;
			was[k] = text[at[k]];
			text[at[k]] = mangle_next(&state) % 2 ?
			                      (char)mangle_next(&state) :
			                      favourites[mangle_next(&state) % (sizeof(favourites) - 1)];
		}
		bad += !mangle_try(copy, text, len, reader, ctx);
		while (n-- > 0)
			text[at[n]] = was[n];
	}
	unlink(copy);
	rmdir(dir);
	return bad;
}

#endif

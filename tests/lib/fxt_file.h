/* tests/lib/fxt_file.h - raw FxT files written by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_FXT_FILE_H
#define TESTS_LIB_FXT_FILE_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * What stands before the events, which run until the end of the file: architecture word, information block, in it
 * "Linux HOST" where the host has a name.
 */
static inline void write_head_of(FILE *f, const char *host)
{
	static const unsigned char arch[4] = {0, 0, 0, 2};
	char text[64];
	const uint32_t length = (uint32_t)snprintf(text, sizeof(text), "Linux %s", host ? host : "");
	const uint64_t uname[2] = {16 + 4 + length, 0x11}, infos[2] = {16 + (host ? uname[0] : 0), 1},
		       events[2] = {0, 0x201};

	fwrite(arch, 1, 4, f);
	fwrite(infos, 8, 2, f);
	if (host) {
		fwrite(uname, 8, 2, f);
		fwrite(&length, 4, 1, f);
		fwrite(text, 1, length, f);
	}
	fwrite(events, 8, 2, f);
}

static inline void write_head(FILE *f)
{
	write_head_of(f, NULL);
}

/* An event with n whole parameters, then, where there is one, a string padded to words. */
static inline void event(FILE *f, uint64_t ns, unsigned code, const char *text, int n, ...)
{
	uint64_t words = text ? (strlen(text) + 7) / 8 : 0,
		 head[3] = {ns, 0, (uint64_t)code << 8 | ((uint64_t)n + words + 1)};
	char padded[256] = {0};
	va_list ap;

	fwrite(head, 8, 3, f);
	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		uint64_t v = va_arg(ap, uint64_t);

		fwrite(&v, 8, 1, f);
	}
	va_end(ap);
	if (text) {
		memcpy(padded, text, strlen(text));
		fwrite(padded, 8, words, f);
	}
}

#define U(x) ((uint64_t)(x))

/* Two tasks on a CPU and a CUDA worker as StarPU 1.4 writes them; the second event is late by one. */
static inline void write_14(FILE *f)
{
	event(f, 1000, 0x5100, NULL, 7, U(0x101), U(0), U(0), U(1), U(0), U(0), U(70));
	event(f, 999, 0x5122, NULL, 2, U(0), U(70));
	event(f, 1000, 0x5100, NULL, 7, U(0x100), U(1), U(0), U(0), U(3), U(0), U(71));
	event(f, 1100, 0x517c, "M8x8x4", 4, U(0xabc0), U(256), U(256), U(0));
	event(f, 1200, 0x511a, NULL, 7, U(1), U(-1), U(-1), U(1), U(5), U(0), U(9));
	event(f, 1210, 0x512b, "potrf", 2, U(1), U(9));
	event(f, 1220, 0x511c, "model_of_potrf", 2, U(1), U(9));
	event(f, 1230, 0x511a, NULL, 7, U(2), U(4), U(7), U(2), U(3), U(0), U(9));
	event(f, 1240, 0x512b, "gemm", 2, U(2), U(9));
	event(f, 1250, 0x5113, "task", 4, U(1), U(2), U(0), U(1));
	event(f, 1300, 0x5104, NULL, 3, U(1), U(5), U(9));
	event(f, 1350, 0x5105, NULL, 3, U(1), U(5), U(71));
	event(f, 1400, 0x5102, NULL, 4, U(1), U(0), U(1), U(0));
	event(f, 1400, 0x511b, NULL, 4, U(1), U(0xabc0), U(256), U(3 | 64)); /* STARPU_RW | STARPU_LOCALITY */
	event(f, 1400, 0x513e, NULL, 7, U(0), U(256), U(0x617e5fe6), U(2000000), U(0), U(1), U(1));
	event(f, 1900, 0x5103, "cpu0_impl0", 5, U(1), U(256), U(0x617e5fe6), U(1), U(71));
	event(f, 1950, 0x5125, NULL, 2, U(1), U(71));
	event(f, 1960, 0x5133, NULL, 6, U(0), U(1), U(256), U(77), U(1), U(0xabc0));
	event(f, 1961, 0x5135, NULL, 2, U(0), U(1));
	event(f, 1967, 0x5136, NULL, 2, U(0), U(1));
	event(f, 2060, 0x5134, NULL, 5, U(0), U(1), U(256), U(77), U(1));
	event(f, 2070, 0x5130, NULL, 4, U(1), U(70), U(0xabc0), U(0));
	event(f, 2071, 0x5128, NULL, 4, U(1), U(70), U(0xabc0), U(-12));
	event(f, 2071, 0x5127, NULL, 5, U(1), U(70), U(256), U(0xabc0), U(0));
	event(f, 2072, 0x5127, NULL, 5, U(1), U(71), U(256), U(0xabc0), U(0)); /* of another thread */
	event(f, 2072, 0x5128, NULL, 4, U(1), U(70), U(0xabc0), U(256));
	event(f, 2073, 0x5158, NULL, 3, U(1), U(70), U(0xabc0));
	event(f, 2074, 0x5182, NULL, 2, U(0xabc0), U(1));
	event(f, 2075, 0x5159, NULL, 3, U(1), U(70), U(0xabc0));
	event(f, 2076, 0x5156, NULL, 4, U(1), U(70), U(256), U(0xabc0));
	event(f, 2077, 0x5156, NULL, 4, U(1), U(70), U(256), U(0));
	event(f, 2090, 0x5104, NULL, 3, U(2), U(3), U(71));
	event(f, 2100, 0x5102, NULL, 4, U(2), U(0), U(0), U(1));
	event(f, 2600, 0x5103, "cuda0_impl0", 5, U(2), U(512), U(0x24c84a50), U(0), U(70));
	event(f, 2650, 0x5125, NULL, 2, U(2), U(70));
}

/*
 * What StarPU 1.5 writes otherwise than 1.4: a thread and no_work behind a body, no_work in front of the architecture
 * at its end, a parent in front of a description, names of sub-data before they are registered. Task 1 runs, task 2 has
 * no codelet and "runs" where task 1 did, task 3 runs on SYCL; data 0xabc0 is the parent of 0xdef0, whose address is
 * used again at the end.
 */
static inline void write_15(FILE *f)
{
	event(f, 1000, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(3), U(0), U(70));
	event(f, 1000, 0x5100, NULL, 7, U(0x108), U(1), U(0), U(1), U(0), U(0), U(71));
	event(f, 1100, 0x517c, "M16x8x4", 5, U(0xabc0), U(512), U(512), U(0), U(0));
	event(f, 1110, 0x511d, "A", 1, U(0xdef0));
	event(f, 1111, 0x511e, NULL, 4, U(0xdef0), U(2), U(4), U(1));
	event(f, 1112, 0x517c, "M8x8x4", 5, U(0xdef0), U(256), U(256), U(-1), U(0xabc0));
	event(f, 1200, 0x511a, NULL, 7, U(1), U(-1), U(-1), U(1), U(5), U(0), U(9));
	event(f, 1210, 0x512b, "potrf", 2, U(1), U(9));
	event(f, 1230, 0x511a, NULL, 7, U(2), U(-1), U(-1), U(2), U(0), U(0), U(9));
	event(f, 1240, 0x512b, "barrier", 2, U(2), U(9));
	event(f, 1250, 0x5113, "task", 4, U(1), U(2), U(0), U(1));
	event(f, 1400, 0x5102, NULL, 6, U(1), U(0), U(0), U(0), U(70), U(0));
	event(f, 1400, 0x511b, NULL, 4, U(1), U(0xdef0), U(256), U(3));
	event(f, 1400, 0x513e, NULL, 8, U(0), U(256), U(0x617e5fe6), U(2000000), U(0), U(0), U(1), U(70));
	event(f, 1900, 0x5103, "cpu0_impl0", 6, U(1), U(256), U(0x617e5fe6), U(0), U(70), U(0));
	event(f, 1950, 0x5102, NULL, 6, U(2), U(0), U(0), U(0), U(70), U(1));
	event(f, 1951, 0x5103, "", 6, U(2), U(0), U(0), U(0), U(70), U(1));
	event(f, 1952, 0x5125, NULL, 2, U(2), U(70));
	event(f, 1953, 0x5125, NULL, 2, U(1), U(70));
	event(f, 2000, 0x5102, NULL, 6, U(3), U(0), U(1), U(1), U(71), U(0));
	event(f, 2300, 0x5103, "sycl0_impl0", 6, U(3), U(512), U(0x24c84a50), U(1), U(71), U(0));
	event(f, 2310, 0x511f, NULL, 1, U(0xdef0));
	event(f, 2320, 0x511d, "B", 1, U(0xdef0));
	event(f, 2330, 0x517c, "V4", 5, U(0xdef0), U(16), U(16), U(0), U(0));
}

#endif

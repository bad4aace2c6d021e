/* tests/fuzz/guided.c - libFuzzer on one reader of files: READER in the environment names it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tests/fuzz/readers.h"

static char dir[] = "/dev/shm/heterotune-guided-XXXXXX";
static const struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void clean(void)
{
	dir_remove(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("READER");

	(void)argc, (void)argv;
	reader = name ? reader_find(name) : NULL;
	if (!reader || !mkdtemp(dir) || reader_prepare(reader, dir) != 0) {
		fprintf(stderr, "READER=%s: expected one of tests/fuzz/readers.c, in the root of the tree\n",
		        name ? name : "");
		exit(2);
	}
	atexit(clean);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int refused;
	const char *wrong = reader_run(reader, dir, data, size, &refused);

	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	return 0;
}

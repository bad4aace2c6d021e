/* tests/unit/test_readers.c - every reader on its corpus: a file is refused in one sentence or read whole. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "tests/fuzz/readers.h"
#include "tests/lib/check.h"

enum { MAX_FILE = 1 << 20 };

static const struct reader *reader; /* of the case that runs */

/* Files that begin with "bad" are refused, those that begin with "good" are read; of the others either holds. */
static void on_file(const char *dir, const char *corpus, const char *name)
{
	char *path = ht_asprintf("%s/%s", corpus, name);
	size_t size;
	char *bytes = file_read(path, MAX_FILE, &size, NULL);
	int refused = 0;
	const char *wrong = bytes ? reader_run(reader, dir, bytes, size, &refused) : "cannot be read";

	if (!wrong && (strncmp(name, "good", 4) == 0 ? refused : strncmp(name, "bad", 3) == 0 && !refused))
		wrong = refused ? "is refused" : "is not refused";
	if (wrong)
		printf("# %s: %s\n", path, wrong);
	CHECK(!wrong);
	free(bytes);
	free(path);
}

static void corpus_of_reader(void)
{
	char dir[] = "/tmp/heterotune-test-XXXXXX", *corpus = ht_asprintf("tests/fuzz/corpus/%s", reader->name);
	DIR *d = opendir(corpus);
	struct dirent *e;
	int n = 0;

	REQUIRE(d && mkdtemp(dir) && reader_prepare(reader, dir) == 0);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.') {
			on_file(dir, corpus, e->d_name);
			n++;
		}
	CHECK(n > 0);
	closedir(d);
	dir_remove(dir);
	free(corpus);
}

int main(void)
{
	for (reader = readers; reader->name; reader++)
		check_run(reader->name, corpus_of_reader);
	return check_done();
}

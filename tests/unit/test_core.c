/* tests/unit/test_core.c - memory, strings as numbers, maps, error sentences, paths and files. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/intern.h"
#include "tests/lib/check.h"
#include "tests/lib/held.h"

static void arenas_are_zeroed_and_aligned(void)
{
	static const size_t sizes[] = {0, 1, 15, 16, 17, 1000, 65536, 65537, 1 << 20};
	const size_t before = held_bytes();
	struct arena *a = arena_create();
	unsigned char *pieces[900];
	int bad = 0;

	for (int i = 0; i < 900; i++) {
		size_t size = sizes[i % 9];

		pieces[i] = arena_alloc(a, size, 1);
		bad += (uintptr_t)pieces[i] % 16 != 0;
		for (size_t k = 0; k < size; k++)
			bad += pieces[i][k] != 0;
		memset(pieces[i], i & 0xff, size);
	}
	/* Nobody has got what was another's. */
	for (int i = 0; i < 900; i++)
		for (size_t k = 0; k < sizes[i % 9]; k++)
			bad += pieces[i][k] != (i & 0xff);
	CHECK_INT(bad, 0);
	CHECK(held_bytes() - before < 130u << 20);
	CHECK_STR(arena_strndup(a, "abcdef", 3), "abc");
	arena_free(a);
	arena_free(NULL);
}

/* Sizes that do not fit end the program with status 2 and a sentence. */
static void too_much_is_said(void)
{
	for (int which = 0; which < 3; which++) {
		int fd[2], status = 0;
		char text[256] = "";
		pid_t pid;

		fflush(stdout);
		CHECK_INT(pipe(fd), 0);
		pid = fork();
		if (pid == 0) {
			struct arena *a = arena_create();
			volatile size_t half = SIZE_MAX / 2;

			dup2(fd[1], 2);
			if (which == 0)
				arena_alloc(a, half, 4);
			else if (which == 1)
				ht_realloc(NULL, half, 4);
			else
				arena_alloc(a, SIZE_MAX - 8, 1);
			_exit(0);
		}
		close(fd[1]);
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
		CHECK(read(fd[0], text, sizeof(text) - 1) > 0);
		close(fd[0]);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
		CHECK_HAS(text, "heterotune: out of memory: asked for");
	}
}

static void arrays_grow(void)
{
	struct {
		int *items;
		size_t count, cap;
	} v = {0};
	int bad = 0;

	for (int i = 0; i < 1000; i++) {
		int *p = VEC_PUSH(v.items, v.count, v.cap);

		bad += *p != 0;
		*p = i;
	}
	for (int i = 0; i < 1000; i++)
		bad += v.items[i] != i;
	CHECK_INT(bad, 0);
	CHECK_INT(v.count, 1000);
	free(v.items);
}

static void texts_have_one_number(void)
{
	struct arena *a = arena_create();
	struct intern *in = intern_create(a);
	char text[16];
	int bad = 0;

	CHECK_INT(intern_str(in, ""), 0);
	CHECK_INT(intern_id(in, "abc", 0), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		bad += intern_str(in, text) != (uint32_t)i + 1;
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		bad += intern_str(in, text) != (uint32_t)i + 1 || strcmp(intern_text(in, (uint32_t)i + 1), text) != 0;
	}
	CHECK_INT(bad, 0);
	CHECK_INT(intern_count(in), 5001);
	/* A prefix is another text; what stands after a NUL is not looked at. */
	CHECK(intern_id(in, "s42x", 3) == intern_str(in, "s42"));
	CHECK(intern_id(in, "s42", 2) == intern_str(in, "s4"));
	CHECK(intern_id(in,
	                "s4\0"
	                "2",
	                4) == intern_str(in, "s4"));
	CHECK(intern_str(in, "s42x") == 5001);
	intern_free(in);
	intern_free(NULL);
	arena_free(a);
}

static void maps_keep_every_key(void)
{
	struct idmap m = {0};
	int bad = 0;

	CHECK_INT(idmap_get(&m, 0), IDMAP_NONE);
	for (uint64_t i = 0; i < 20000; i++)
		idmap_put(&m, i * 4096, (uint32_t)i); /* addresses of pages */
	idmap_put(&m, UINT64_MAX, 7);
	for (uint64_t i = 0; i < 20000; i++)
		bad += idmap_get(&m, i * 4096) != (uint32_t)i || idmap_get(&m, i * 4096 + 1) != IDMAP_NONE;
	CHECK_INT(bad, 0);
	CHECK_INT(m.count, 20001);
	idmap_put(&m, 0, 99);
	CHECK_INT(idmap_get(&m, 0), 99);
	CHECK_INT(idmap_get(&m, UINT64_MAX), 7);
	CHECK_INT(m.count, 20001);
	idmap_fini(&m);
	CHECK_INT(idmap_get(&m, 0), IDMAP_NONE);
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU seconds to put n keys i * step into a map. */
static double time_to_put(uint64_t n, uint64_t step)
{
	struct idmap m = {0};
	double begin = cpu_s();

	for (uint64_t i = 1; i <= n; i++)
		idmap_put(&m, i * step, (uint32_t)i);
	CHECK_INT(idmap_get(&m, step), 1);
	idmap_fini(&m);
	return cpu_s() - begin;
}

/*
 * Multiples of the inverse of the golden ratio are 1, 2, 3, ... after Fibonacci hashing: all in one slot, where its
 * upper bits are taken. 100,000 of them took 1,000 times as long as others.
 */
static void no_keys_meet_in_one_slot(void)
{
	static const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	double chosen = 1, other = 0;

	CHECK(inverse * UINT64_C(0x9e3779b97f4a7c15) == 1);
	for (int attempt = 0; attempt < 5 && chosen > 4 * other; attempt++) {
		other = time_to_put(100000, 4096);
		chosen = time_to_put(100000, inverse);
	}
	CHECK(chosen <= 4 * other);
}

static void sentences_stay_one_line(void)
{
	struct ht_err err;
	char longest[2000];

	CHECK_INT(ht_err_set(&err, "found \"%s\"", "a\nb\033[1m\tc\177"), -1);
	CHECK_STR(err.text, "found \"a?b?[1m\tc?\"");
	CHECK_INT(ht_err_wrap(&err, "%s", "x\ny"), -1);
	CHECK_STR(err.text, "x?y: found \"a?b?[1m\tc?\"");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ht_err_wrap(&err, "%s", "head");
	ht_err_wrap(&err, "head of %s", longest);
	CHECK_INT(strlen(err.text), sizeof(err.text) - 1);
	CHECK(strncmp(err.text, "head of xxx", 11) == 0);
	CHECK_INT(ht_err_set(NULL, "nobody listens"), -1);
	CHECK_INT(ht_err_wrap(NULL, "nobody listens"), -1);
}

static void paths_are_absolute(void)
{
	char dir[] = "/tmp/heterotune-test-XXXXXX", cwd[PATH_MAX], *p, *want;

	CHECK(getcwd(cwd, sizeof(cwd)) && mkdtemp(dir) && chdir(dir) == 0);
	p = path_absolute("not/there//");
	want = ht_asprintf("%s/not/there", dir);
	CHECK_STR(p, want);
	free(p);
	free(want);
	p = path_absolute("/");
	CHECK_STR(p, "/");
	free(p);
	p = path_unused("/usr/bin/prog", ".ht");
	CHECK_STR(p, "prog.ht");
	CHECK_INT(fclose(fopen(p, "w")), 0);
	free(p);
	p = path_unused("prog", ".ht");
	CHECK_STR(p, "prog-2.ht");
	free(p);
	p = path_unused("runs/prog.ht/", ".plots");
	CHECK_STR(p, "prog.plots");
	free(p);
	CHECK_INT(unlink("prog.ht"), 0);
	CHECK_INT(chdir(cwd), 0);
	CHECK_INT(rmdir(dir), 0);
}

static void directories_and_files(void)
{
	char dir[] = "/tmp/heterotune-test-XXXXXX", *deep, *file, *text;
	struct outfile o;
	struct ht_err err = {""};
	size_t len = 0;

	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(dir_create("", &err), -1);
	CHECK_HAS(err.text, "cannot be made a directory: No such file");
	deep = ht_asprintf("%s/a//b/c", dir);
	file = ht_asprintf("%s/file", deep);
	CHECK_INT(dir_create(deep, &err), 0);
	CHECK_INT(dir_create(deep, &err), 0);
	CHECK_INT(outfile_open(&o, file, &err), 0);
	fputs("twelve bytes", o.f);
	CHECK(!file_exists(file)); /* not before it is whole */
	CHECK_INT(outfile_commit(&o, &err), 0);
	outfile_abort(&o);
	CHECK_INT(dir_create(file, &err), -1);
	CHECK_HAS(err.text, "cannot be made a directory");
	text = file_read(file, 12, &len, &err);
	CHECK_STR(text, "twelve bytes");
	CHECK_INT(len, 12);
	free(text);
	CHECK(file_read(file, 11, &len, &err) == NULL);
	CHECK_HAS(err.text, "is larger than the 11 bytes");
	CHECK(file_read(deep, 11, &len, &err) == NULL);
	CHECK_HAS(err.text, "is a directory");
	CHECK_INT(outfile_open(&o, deep, &err), -1);
	CHECK_INT(outfile_open(&o, file, &err), 0);
	fputs("given up", o.f);
	outfile_abort(&o);
	text = file_read(file, 100, NULL, &err);
	CHECK_STR(text, "twelve bytes");
	free(text);
	dir_remove(dir);
	CHECK(!file_exists(dir));
	free(deep);
	free(file);
}

int main(void)
{
	RUN(arenas_are_zeroed_and_aligned);
	RUN(too_much_is_said);
	RUN(arrays_grow);
	RUN(texts_have_one_number);
	RUN(maps_keep_every_key);
	RUN(no_keys_meet_in_one_slot);
	RUN(sentences_stay_one_line);
	RUN(paths_are_absolute);
	RUN(directories_and_files);
	return check_done();
}

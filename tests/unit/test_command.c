/* tests/unit/test_command.c - what all commands do with a command line, and the exit status they end with. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/options.h"
#include "tests/lib/check.h"

enum { MAX_WORDS = 8 };

struct asked {
	struct option_list names;
	int calls, words;
	const char *first;
};

/* Its first word is the exit status. */
static int answer(char **words, void *options, struct ht_err *err)
{
	struct asked *a = options;

	a->calls++;
	a->first = words[0];
	for (a->words = 0; words[a->words];)
		a->words++;
	return strcmp(words[0], "fail") == 0 ? ht_err_set(err, "as it was asked") : atoi(words[0]);
}

static void print_list(void)
{
	puts("# a list");
}

/* `line` is cut at blanks; what it prints on standard error is left in `said`. */
static int run(const char *line, int failed, struct asked *a, char said[512])
{
	const struct option_spec specs[] = {
		{OPTION_TEXTS, 0, "names", &a->names, "NAME...", "several"},
		{OPTION_LIST, 0, "list", NULL, NULL, "a list"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {.command = "test",
	                                   .synopsis = "WORD",
	                                   .summary = "A test.",
	                                   .list = print_list};
	char *argv[MAX_WORDS + 1] = {NULL}, *copy = strdup(line);
	FILE *saved = stderr, *f = fmemopen(said, 512, "w");
	int argc = 0, status;

	*a = (struct asked){0};
	memset(said, 0, 512);
	for (char *save = NULL, *s = strtok_r(copy, " ", &save); s; s = strtok_r(NULL, " ", &save))
		argv[argc++] = s;
	stderr = f;
	status = command_run(argc, argv, specs, &usage,
	                     &(struct command_answer){"one or two WORDs", 1, 2, failed, answer}, a);
	stderr = saved;
	fclose(f);
	CHECK(a->names.items == NULL && a->names.count == 0);
	free(copy);
	return status;
}

static void test_answers(void)
{
	struct asked a;
	char said[512];

	CHECK_INT(run("test 0", 0, &a, said), STATUS_DONE);
	CHECK_STR(said, "");
	CHECK_INT(a.words, 1);
	CHECK_INT(run("test 1 x --names a b", 0, &a, said), STATUS_NO);
	CHECK_INT(a.words, 2);
	CHECK_INT(run("test fail", 0, &a, said), STATUS_CANNOT);
	CHECK_STR(said, "heterotune: test: as it was asked\n");
	CHECK_INT(run("test fail", STATUS_FAILED, &a, said), STATUS_FAILED);
}

static void test_refusals(void)
{
	struct asked a;
	char said[512];

	CHECK_INT(run("test", 0, &a, said), STATUS_CANNOT);
	CHECK_HAS(said, "expected one or two WORDs, found 0");
	CHECK_INT(run("test 0 1 2", STATUS_FAILED, &a, said), STATUS_FAILED);
	CHECK_HAS(said, "found 3");
	CHECK_INT(run("test --names 0", 0, &a, said), STATUS_CANNOT);
	CHECK_HAS(said, "found none: it stands before --names");
	CHECK_INT(run("test 0 --other", 0, &a, said), STATUS_CANNOT);
	CHECK_HAS(said, "unknown option --other");
	CHECK_INT(a.calls, 0);
}

static void test_list(void)
{
	struct asked a;
	char said[512];

	CHECK_INT(run("test fail --list", 0, &a, said), STATUS_DONE);
	CHECK_INT(a.calls, 0);
	CHECK_INT(run("test --list=x", 0, &a, said), STATUS_CANNOT);
	CHECK_HAS(said, "takes no value");
}

int main(void)
{
	RUN(test_answers);
	RUN(test_refusals);
	RUN(test_list);
	return check_done();
}

/* tests/unit/test_options.c - command lines. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/options.h"
#include "tests/lib/check.h"

enum { MAX_WORDS = 12 };

struct parsed {
	const char *output, *other, *policy;
	struct option_list files;
	int64_t count;
	double real;
	int flag;
	char *words[MAX_WORDS + 1];
	int n;
	struct ht_err err;
};

/* `line` is cut at blanks; ~ stands for an empty word. */
static void parse(struct parsed *p, char *line)
{
	const struct option_spec specs[] = {
		{OPTION_GROUP, 0, NULL, NULL, NULL, "what comes out"},
		{OPTION_TEXT, 'o', "output", &p->output, "FILE", "a text"},
		{OPTION_TEXT, 0, "outside", &p->other, "FILE", "its first letters are those of another"},
		{OPTION_ONCE, 'p', "policy", &p->policy, "NAME", "a text, once"},
		{OPTION_TEXTS, 0, "files", &p->files, "FILE...", "several"},
		{OPTION_INT, 'n', "count", &p->count, "N", "a number"},
		{OPTION_COUNT, 0, "jobs", &p->count, "N", "a number of at least 1"},
		{OPTION_REAL, 0, "real", &p->real, "X", "a number"},
		{OPTION_FLAG, 'v', "verbose", &p->flag, NULL, "a flag"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {.command = "test", .synopsis = "WORDS", .summary = "A test."};
	int argc = 0;

	*p = (struct parsed){0};
	p->words[argc++] = (char *)"test";
	for (char *save = NULL, *s = strtok_r(line, " ", &save); s && argc < MAX_WORDS; s = strtok_r(NULL, " ", &save))
		p->words[argc++] = strcmp(s, "~") == 0 ? s + 1 : s;
	p->n = options_parse(argc, p->words, specs, &usage, &p->err);
}

static void refuses(const char *line, const char *why)
{
	struct parsed p;
	char text[128];

	snprintf(text, sizeof(text), "%s", line);
	parse(&p, text);
	CHECK_INT(p.n, OPTIONS_FAILED);
	CHECK_HAS(p.err.text, why);
	option_list_fini(&p.files);
}

static void nonsense_is_refused(void)
{
	static const char *const table[][2] = {
		{"--nonsense", "unknown option --nonsense"},
		{"-x", "unknown option -x"},
		{"--out x", "short for more than one"},
		{"--=5", "unknown option --"},
		{"--count", "--count wants a value: N"},
		{"--count x", "found x"},
		{"--count -1", "found -1"},
		{"--count 1x", "found 1x"},
		{"--count ~", "--count wants"},
		{"--count=", "--count wants"},
		{"--count 9223372036854775808", "found 9223372036854775808"},
		{"--count 1.5", "found 1.5"},
		{"--count 0x10", "found 0x10"},
		{"--real nan", "found nan"},
		{"--real inf", "found inf"},
		{"--real -1", "found -1"},
		{"--real 1e999", "found 1e999"},
		{"--real 1,5", "found 1,5"},
		{"--verbose=1", "takes no value: found 1"},
		{"-vx", "takes no value: found x"},
		{"-o", "--output wants a value"},
		{"-n 5 -n", "--count wants a value"},
		{"--jobs 0", "--jobs wants a whole number of at least 1: found 0"},
		{"-p a --policy=b", "--policy is given twice: found a and b"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		refuses(table[i][0], table[i][1]);
}

static void words_and_options_in_any_order(void)
{
	char line[] = "first -o a.xml second --count=12 -v third --real 0.5 -";
	struct parsed p;

	parse(&p, line);
	CHECK_INT(p.n, 4);
	CHECK_STR(p.words[0], "first");
	CHECK_STR(p.words[1], "second");
	CHECK_STR(p.words[2], "third");
	CHECK_STR(p.words[3], "-");
	CHECK(p.words[4] == NULL);
	CHECK_STR(p.output, "a.xml");
	CHECK_INT(p.count, 12);
	CHECK_INT(p.flag, 1);
	CHECK_NEAR(p.real, 0.5, 1e-15);
}

static void forms_of_a_value(void)
{
	char joined[] = "-oa=b -n7", abbreviated[] = "--outp=x=y --outs z --c 3", last[] = "-n 1 -n 2";
	struct parsed p;

	parse(&p, joined);
	CHECK_STR(p.output, "a=b");
	CHECK_INT(p.count, 7);
	parse(&p, abbreviated);
	CHECK_STR(p.output, "x=y");
	CHECK_STR(p.other, "z");
	CHECK_INT(p.count, 3);
	parse(&p, last);
	CHECK_INT(p.count, 2);
	CHECK_INT(p.n, 0);
}

static void a_list_ends_at_the_next_option(void)
{
	char line[] = "--files a b -v c --files d";
	struct parsed p;

	parse(&p, line);
	CHECK_INT(p.files.count, 3);
	CHECK_STR(p.files.items[1], "b");
	CHECK_STR(p.files.items[2], "d");
	CHECK_INT(p.n, 1);
	CHECK_STR(p.words[0], "c");
	option_list_fini(&p.files);
	CHECK_INT(p.files.count, 0);
}

/* After -- stands a command with options of its own. */
static void a_command_is_left_alone(void)
{
	char line[] = "-v -- prog -o x --help --", empty[] = "--";
	struct parsed p;

	parse(&p, line);
	CHECK_INT(p.n, 5);
	CHECK_STR(p.words[0], "prog");
	CHECK_STR(p.words[3], "--help");
	CHECK_STR(p.words[4], "--");
	CHECK(p.words[5] == NULL);
	CHECK(p.output == NULL);
	parse(&p, empty);
	CHECK_INT(p.n, 0);
}

int main(void)
{
	RUN(nonsense_is_refused);
	RUN(words_and_options_in_any_order);
	RUN(forms_of_a_value);
	RUN(a_list_ends_at_the_next_option);
	RUN(a_command_is_left_alone);
	return check_done();
}

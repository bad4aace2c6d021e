/* tests/fuzz/verdict.c - one command run inside this process, and what is wrong with how it ended. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/verdict.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands.h"
#include "core/base/file.h"

/* Those that start no application. */
static const struct command *const commands[] = {
	&cmd_import, &cmd_graph,   &cmd_analyze, &cmd_check,   &cmd_plot,   &cmd_report,
	&cmd_tune,   &cmd_control, &cmd_replay,  &cmd_compare, &cmd_export,
};

enum { MAX_TEXT = 1 << 20 };

void verdict_open(struct verdict *v)
{
	v->out = memfd_create("out", 0);
	v->err = memfd_create("err", 0);
	if (v->out < 0 || v->err < 0)
		abort();
}

static void empty(int fd)
{
	if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		abort();
}

/* The first MAX_TEXT bytes, NUL-terminated. */
static const char *text_of(int fd, char *text)
{
	ssize_t n = pread(fd, text, MAX_TEXT - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The outputs of the last command: how many there were. They are gone then. */
int verdict_clear(void)
{
	DIR *d = opendir(".");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		if (strncmp(e->d_name, "out", 3) == 0) {
			dir_remove(e->d_name);
			unlink(e->d_name);
			n++;
		}
	if (d)
		closedir(d);
	return n;
}

static const char *wrong_refusal(const char *err)
{
	const char *end = strchr(err, '\n');

	if (strncmp(err, "heterotune: ", 12) != 0)
		return "the refusal does not begin with the command";
	if (!end || end[1])
		return "the refusal is not one line";
	for (const char *s = err; s < end; s++)
		if ((unsigned char)*s < ' ' && *s != '\t')
			return "the refusal has control characters";
	return NULL;
}

/* The number after the key of a JSON object, -1 without one. */
static int64_t json_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* What ends at `at` and has this key. */
static int has_key(const char *out, const char *at, const char *key)
{
	const size_t length = strlen(key);

	return (size_t)(at - out) >= length && strncmp(at - length, key, length) == 0;
}

/* Only differences may be below zero, and what tasks took beside what was expected of them, as of two recordings. */
static int has_negative_time(const char *out)
{
	static const char *const signed_keys[] = {"\"durations", "\"difference", "\"first", "\"second"};

	for (const char *at = strstr(out, "_ns\": -"); at; at = strstr(at + 1, "_ns\": -")) {
		int is_signed = 0;

		for (size_t i = 0; i < sizeof(signed_keys) / sizeof(*signed_keys); i++)
			is_signed |= has_key(out, at, signed_keys[i]);
		if (!is_signed)
			return 1;
	}
	return 0;
}

/* What JSON says of a replay or a search. */
static const char *wrong_json(const char *out, int bounded)
{
	int64_t makespan_ns = json_number(out, "\"makespan_ns\": "), bound_ns = json_number(out, "\"bound_ns\": ");

	if (strstr(out, ": nan") || strstr(out, ": -nan") || strstr(out, ": inf") || strstr(out, ": -inf"))
		return "JSON without a number";
	if (has_negative_time(out))
		return "a negative time";
	if (bounded && bound_ns >= 0 && makespan_ns < bound_ns)
		return "a makespan below its bound";
	return NULL;
}

static int has_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return 1;
	return 0;
}

const char *verdict_run(struct verdict *v, int argc, char **argv, int *status)
{
	static char out[MAX_TEXT], err[MAX_TEXT];
	const struct command *c = NULL;
	const char *wrong = NULL;
	/* Durations that are drawn, and the run's own, may be shorter than those that the bound is of. */
	int bounded = !has_word(argc, argv, "--jitter") && !has_word(argc, argv, "recorded"), outputs;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		c = strcmp(commands[i]->name, argv[0]) == 0 ? commands[i] : c;
	*status = STATUS_CANNOT;
	if (!c)
		return NULL;
	empty(v->out);
	empty(v->err);
	*status = c->run(argc, argv);
	fflush(stdout);
	fflush(stderr);
	outputs = verdict_clear();
	text_of(v->out, out);
	text_of(v->err, err);
	if (*status == STATUS_CANNOT) {
		wrong = outputs ? "an output is left behind" : wrong_refusal(err);
		if (!wrong && *out)
			wrong = "half of a result";
	} else if (*status != STATUS_DONE && (*status != STATUS_NO || (c != &cmd_check && c != &cmd_compare))) {
		wrong = "a status that is not one of this command";
	} else if (*out == '{') {
		wrong = wrong_json(out, bounded);
	}
	return wrong;
}

void verdict_log(struct verdict *v, FILE *f, const char *name)
{
	static char err[MAX_TEXT];

	fprintf(f, "%s: %s", name, text_of(v->err, err));
	fflush(f);
}

void verdict_print(struct verdict *v, FILE *f)
{
	static char err[MAX_TEXT];
	int lines = 0;

	for (const char *s = text_of(v->err, err); *s && lines < 24; s += strcspn(s, "\n"), s += *s == '\n', lines++)
		fprintf(f, "#   %.*s\n", (int)strcspn(s, "\n"), s);
}

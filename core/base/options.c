/* core/base/options.c - command lines: one table per command gives the parsing, the checks and --help. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/nearest.h"
#include "core/base/wrap.h"

enum { WIDTH = 80 };

/* Prints the words of `text` from column `at` on; text in brackets is not broken. */
static void print_synopsis(const char *text, int at)
{
	int indent = at + 1;

	while (*text) {
		size_t n = *text == '[' ? strcspn(text, "]") : 0;
		char *word;

		n += strcspn(text + n, " ");
		word = ht_strndup(text, n);
		at = wrap_piece(stdout, word, at, indent, WIDTH);
		free(word);
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void print_help(const struct option_spec *specs, const struct option_usage *u)
{
	int width = 0, at;

	at = printf("usage: heterotune %s", u->command);
	print_synopsis(u->synopsis, at);
	putchar('\n');
	wrap_text(stdout, u->summary, 0, 0, WIDTH);
	fputs("\n\n", stdout);
	for (const struct option_spec *s = specs; s->kind; s++) {
		int w = s->name ? (int)strlen(s->name) + (s->argument ? (int)strlen(s->argument) + 1 : 0) : 0;

		if (w > width)
			width = w;
	}
	for (const struct option_spec *s = specs; s->kind; s++) {
		char text[128];

		if (s->kind == OPTION_GROUP) {
			printf("\n%s\n", s->help);
			continue;
		}
		snprintf(text, sizeof(text), "%s%s%s", s->name, s->argument ? " " : "", s->argument ? s->argument : "");
		at = printf("  %c%c%s--%-*s  ", s->letter ? '-' : ' ', s->letter ? s->letter : ' ',
		            s->letter ? ", " : "  ", width, text);
		wrap_text(stdout, s->help, at, at, WIDTH);
		putchar('\n');
	}
	printf("      --%-*s  %s\n", width, "help", "this text");
	if (u->epilogue)
		printf("\n%s", u->epilogue);
}

static void unknown(const struct option_spec *specs, const struct option_usage *usage, const char *arg, size_t len,
                    struct ht_err *err)
{
	size_t dashes = strspn(arg, "-");
	struct nearest n = {.word = arg + dashes, .len = len > dashes ? len - dashes : 0};
	char meant[NEAREST_TEXT];

	for (const struct option_spec *s = specs; s->kind; s++)
		if (s->name && dashes > 1)
			nearest_try(&n, s->name);
	ht_err_set(err, "unknown option %.*s: see --help%s%s", (int)len, arg,
	           strstr(usage->synopsis, " -- ") && !n.best ? "; a program and its options stand after --" : "",
	           nearest_text(&n, "--", meant));
}

static const struct option_spec *find(const struct option_spec *specs, const struct option_usage *usage,
                                      const char *arg, size_t len, struct ht_err *err)
{
	const struct option_spec *hit = NULL;

	if (arg[1] != '-') {
		for (const struct option_spec *s = specs; s->kind; s++)
			if (s->letter && s->letter == arg[1] && len == 2)
				return s;
	} else {
		for (const struct option_spec *s = specs; s->kind && len > 2; s++) {
			if (!s->name || strncmp(s->name, arg + 2, len - 2) != 0)
				continue;
			if (strlen(s->name) == len - 2)
				return s;
			if (hit) {
				ht_err_set(err, "option %.*s is short for more than one: --%s, --%s", (int)len, arg,
				           hit->name, s->name);
				return NULL;
			}
			hit = s;
		}
	}
	if (!hit)
		unknown(specs, usage, arg, len, err);
	return hit;
}

static void list_add(struct option_list *l, const char *item)
{
	l->items = ht_realloc(l->items, (size_t)l->count + 1, sizeof(*l->items));
	l->items[l->count++] = item;
}

static int store(const struct option_spec *s, const char *text, struct ht_err *err)
{
	char *end = NULL;

	errno = 0;
	switch (s->kind) {
	case OPTION_ONCE:
		if (*(const char **)s->value)
			return ht_err_set(err, "--%s is given twice: found %s and %s", s->name,
			                  *(const char **)s->value, text);
		*(const char **)s->value = text;
		return 0;
	case OPTION_TEXT: *(const char **)s->value = text; return 0;
	case OPTION_TEXTS: list_add(s->value, text); return 0;
	case OPTION_INT:
		*(int64_t *)s->value = strtoll(text, &end, 10);
		if (end == text || *end || errno || *(int64_t *)s->value < 0)
			return ht_err_set(err, "--%s wants a whole number that is not negative: found %s", s->name,
			                  text);
		return 0;
	case OPTION_COUNT:
		*(int64_t *)s->value = strtoll(text, &end, 10);
		if (end == text || *end || errno || *(int64_t *)s->value < 1)
			return ht_err_set(err, "--%s wants a whole number of at least 1: found %s", s->name, text);
		return 0;
	case OPTION_REAL:
		*(double *)s->value = strtod(text, &end);
		if (end == text || *end || errno || !isfinite(*(double *)s->value) || *(double *)s->value < 0)
			return ht_err_set(err, "--%s wants a number that is not negative: found %s", s->name, text);
		return 0;
	default: return 0;
	}
}

int options_parse(int argc, char **argv, const struct option_spec *specs, const struct option_usage *usage,
                  struct ht_err *err)
{
	int positional = 0;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value = NULL;
		const struct option_spec *s;
		size_t len;

		if (strcmp(arg, "--") == 0) {
			while (++i < argc)
				argv[positional++] = argv[i];
			break;
		}
		if (arg[0] != '-' || arg[1] == '\0') {
			argv[positional++] = argv[i];
			continue;
		}
		if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
			print_help(specs, usage);
			return OPTIONS_SHOWN;
		}
		len = strcspn(arg, "=");
		if (arg[1] != '-') /* -oFILE */
			len = strlen(arg) > 2 ? 2 : len;
		s = find(specs, usage, arg, len, err);
		if (!s)
			return -1;
		if (arg[len])
			value = arg + len + (arg[1] == '-');
		if (s->kind == OPTION_FLAG || s->kind == OPTION_LIST) {
			if (value)
				return ht_err_set(err, "--%s takes no value: found %s", s->name, value);
			if (s->kind == OPTION_LIST) {
				usage->list();
				return OPTIONS_SHOWN;
			}
			*(int *)s->value = 1;
			continue;
		}
		if (!value) {
			if (i + 1 >= argc)
				return ht_err_set(err, "--%s wants a value: %s", s->name, s->argument);
			value = argv[++i];
		}
		if (store(s, value, err) != 0)
			return -1;
		while (s->kind == OPTION_TEXTS && i + 1 < argc && argv[i + 1][0] != '-')
			list_add(s->value, argv[++i]);
	}
	argv[positional] = NULL;
	return positional;
}

void option_list_fini(struct option_list *l)
{
	free(l->items);
	*l = (struct option_list){0};
}

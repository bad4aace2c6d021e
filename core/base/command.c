/* core/base/command.c - what all commands do: options, words, an answer, or a sentence why not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/command.h"

#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/options.h"
#include "core/base/terminal.h"

int command_error(const char *name, const struct ht_err *err)
{
	fflush(stdout);
	fprintf(stderr, "%sheterotune: %s:%s %s\n", terminal_style(stderr, TERMINAL_RED), name,
	        terminal_style(stderr, TERMINAL_PLAIN), err->text);
	return STATUS_CANNOT;
}

/* Words that an option took which takes every word up to the next option: NULL, there is none. */
static const struct option_spec *taker(const struct option_spec *specs)
{
	for (; specs->kind; specs++)
		if (specs->kind == OPTION_TEXTS && ((const struct option_list *)specs->value)->count)
			return specs;
	return NULL;
}

/* The first command line of the examples, in *len its length. */
static const char *example(const struct option_usage *usage, int *len)
{
	const char *at = usage->epilogue ? strstr(usage->epilogue, "  heterotune ") : NULL;

	*len = at ? (int)strcspn(at + 2, "\n") : 0;
	return at ? at + 2 : "";
}

static int check_words(int n, const struct option_spec *specs, const struct option_usage *usage,
                       const struct command_answer *how, struct ht_err *err)
{
	const struct option_spec *greedy = taker(specs);
	int len;

	if (n >= how->least && (how->most < 0 || n <= how->most))
		return 0;
	if (n == 0 && greedy)
		return ht_err_set(err,
		                  "expected %s, found none: it stands before --%s, which takes every word after it",
		                  how->words, greedy->name);
	if (n < how->least && *example(usage, &len))
		return ht_err_set(err, "expected %s, found %d: as in '%.*s'", how->words, n, len, example(usage, &len));
	return ht_err_set(err, "expected %s, found %d: see --help", how->words, n);
}

int command_run(int argc, char **argv, const struct option_spec *specs, const struct option_usage *usage,
                const struct command_answer *how, void *options)
{
	struct ht_err err = {""};
	int n = options_parse(argc, argv, specs, usage, &err), status = -1;

	if (n == OPTIONS_SHOWN)
		status = STATUS_DONE;
	else if (n >= 0 && check_words(n, specs, usage, how, &err) == 0)
		status = how->answer(argv, options, &err);
	if (status < 0) {
		command_error(usage->command, &err);
		status = how->failed ? how->failed : STATUS_CANNOT;
	}
	for (; specs->kind; specs++)
		if (specs->kind == OPTION_TEXTS)
			option_list_fini(specs->value);
	return status;
}

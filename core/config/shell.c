/* core/config/shell.c - words for a POSIX shell. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/file.h"

static char *quoted(const char *word)
{
	char *text = ht_strndup("'", 1);

	for (; *word; word++)
		if (*word == '\'')
			ht_append(&text, "'\\''");
		else
			ht_append(&text, "%c", *word);
	ht_append(&text, "'");
	return text;
}

void shell_export(FILE *f, const char *name, const char *value)
{
	char *text = quoted(value);

	fprintf(f, "export %s=%s\n", name, text);
	free(text);
}

char *shell_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";

	return *word && !word[strspn(word, plain)] ? ht_strndup(word, strlen(word)) : quoted(word);
}

char *shell_heterotune(void)
{
	static const char name[] = "heterotune";
	const char *called = program_invocation_name;
	size_t len = strlen(called), end = sizeof(name) - 1;
	int is_it = len > end && strcmp(called + len - end, name) == 0 && called[len - end - 1] == '/';

	return is_it && !path_has_program(name) ? shell_word(called) : ht_strndup(name, end);
}

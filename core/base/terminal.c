/* core/base/terminal.c - what a terminal can show: styles, and how many columns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A stream in memory has no descriptor. The variable is Open MPI's. */
int terminal_is(FILE *f)
{
	return fileno(f) >= 0 && isatty(fileno(f)) && !getenv("OMPI_COMM_WORLD_RANK");
}

const char *terminal_style(FILE *f, enum terminal_style s)
{
	/* ECMA-48 SGR: 0 default, 1 bold, 31 red, 32 green, 33 yellow */
	static const char *const codes[] = {"\033[0m", "\033[1m", "\033[31m", "\033[32m", "\033[33m"};
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (!terminal_is(f) || !term || !*term || strcmp(term, "dumb") == 0 || (no_color && *no_color))
		return "";
	return codes[s];
}

int terminal_columns(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	int given = columns ? atoi(columns) : 0;
	struct winsize size;

	if (!terminal_is(f))
		return 0;
	if (given > 0)
		return given;
	return ioctl(fileno(f), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void terminal_write(FILE *f, enum terminal_style s, const char *text, size_t len)
{
	fprintf(f, "%s%.*s%s", terminal_style(f, s), (int)len, text, terminal_style(f, TERMINAL_PLAIN));
}

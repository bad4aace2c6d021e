/* core/base/progress.c - how far a command is: a bar on a terminal, nothing elsewhere. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80, MOST_COLUMNS = 1000, LEAST_BAR = 10, MOST_BAR = 30 };

#define GREEN "\033[32m"
#define PLAIN "\033[0m"

static int is_columns(long n)
{
	return n > 0 && n <= MOST_COLUMNS;
}

int progress_columns(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && is_columns(size.ws_col))
		return size.ws_col;
	return columns && is_columns(strtol(columns, NULL, 10)) ? (int)strtol(columns, NULL, 10) : USUAL_COLUMNS;
}

void progress_init(struct progress *p, FILE *f)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	*p = (struct progress){.f = f, .is_terminal = isatty(fileno(f))};
	p->has_colour = p->is_terminal && !(no_colour && *no_colour) && !(term && strcmp(term, "dumb") == 0);
}

void progress_bar(struct progress *p, double share, const char *text)
{
	/* The last column stays free: a terminal may go to the next line there. */
	int columns = progress_columns(p->f) - 1, bar, done, left;

	if (!p->is_terminal)
		return;
	bar = columns / 4 < LEAST_BAR ? LEAST_BAR : columns / 4 > MOST_BAR ? MOST_BAR : columns / 4;
	done = share <= 0 ? 0 : share >= 1 ? bar : (int)(share * bar);
	left = columns - bar - (int)strlen("[] 100 %  ");
	progress_clear(p);
	fprintf(p->f, "[%s", p->has_colour ? GREEN : "");
	for (int i = 0; i < bar; i++)
		putc(i < done ? '#' : '-', p->f);
	fprintf(p->f, "%s] %3d %%  %.*s", p->has_colour ? PLAIN : "",
	        share <= 0 ? 0 :
	        share >= 1 ? 100 :
	                     (int)(share * 100),
	        left > 0 ? left : 0, text);
	fflush(p->f);
	p->width = columns;
}

void progress_clear(struct progress *p)
{
	if (p->width)
		fprintf(p->f, "\r%*s\r", p->width, "");
	p->width = 0;
}

/* core/base/progress.c - how far a command is: a bar on a terminal, nothing elsewhere. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/progress.h"

#include <string.h>

#include "core/base/table.h"
#include "core/base/terminal.h"

enum { USUAL_COLUMNS = 80, LEAST_BAR = 10, MOST_BAR = 30 };

void progress_init(struct progress *p, FILE *f)
{
	*p = (struct progress){.f = f, .is_terminal = terminal_is(f)};
}

void progress_bar(struct progress *p, double share, const char *text)
{
	/* The last column stays free: a terminal may go to the next line there. */
	int known = terminal_columns(p->f), columns = (known ? known : USUAL_COLUMNS) - 1, bar, done, left;
	size_t len;

	if (!p->is_terminal)
		return;
	bar = columns / 8 < LEAST_BAR ? LEAST_BAR : columns / 8 > MOST_BAR ? MOST_BAR : columns / 8;
	done = share <= 0 ? 0 : share >= 1 ? bar : (int)(share * bar);
	left = columns - bar - (int)strlen("[] 100 %  ");
	len = text_shortened(text, left > 3 ? left : 3);
	progress_clear(p);
	fprintf(p->f, "[%s", terminal_style(p->f, TERMINAL_GREEN));
	for (int i = 0; i < bar; i++)
		putc(i < done ? '#' : '-', p->f);
	fprintf(p->f, "%s] %3d %%  %.*s%s", terminal_style(p->f, TERMINAL_PLAIN),
	        share <= 0 ? 0 :
	        share >= 1 ? 100 :
	                     (int)(share * 100),
	        (int)len, text, text[len] ? "..." : "");
	fflush(p->f);
	p->width = columns;
}

void progress_clear(struct progress *p)
{
	if (p->width)
		fprintf(p->f, "\r%*s\r", p->width, "");
	p->width = 0;
}

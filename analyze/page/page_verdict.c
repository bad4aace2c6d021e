/* analyze/page/page_verdict.c - the top of a page: what to do, and the command for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/page/glossary.h"
#include "analyze/page/html.h"
#include "analyze/page/page.h"
#include "analyze/report/report.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/config/shell.h"
#include "core/metrics/reference.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* Columns before the text of a verdict, of the marks of its tables, the last of these, and before lines that hang. */
enum { LABEL = 11, MARK = 2, HANG = 2 };

/* A label and what stands after it, each line from the column of marks on. */
struct paragraph {
	char label[LABEL + 1];
	char *text;
};

/* The lines from *at on that belong together: up to the next label, or the end. */
static struct paragraph next_paragraph(const char **at)
{
	struct paragraph p = {.label = ""};
	size_t size, n = strcspn(*at, "\n"), label = n < LABEL ? n : LABEL;
	FILE *f = open_memstream(&p.text, &size);

	memcpy(p.label, *at, label);
	for (p.label[label] = '\0'; label > 0 && p.label[label - 1] == ' '; label--)
		p.label[label - 1] = '\0';
	for (int first = 1; **at && (first || **at == ' '); first = 0) {
		n = strcspn(*at, "\n");
		if (f && first && n > LABEL)
			fprintf(f, "%*s%.*s", MARK, "", (int)(n - LABEL), *at + LABEL);
		else if (f && n > LABEL)
			fprintf(f, "\n%.*s", (int)(n - LABEL + MARK), *at + LABEL - MARK);
		*at += n;
		*at += **at == '\n';
	}
	if (f)
		fclose(f);
	return p;
}

/* A table is in columns; a paragraph was only broken for a terminal. */
static int is_table(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		const char *gap = strstr(text + strspn(text, " "), "   ");

		n = strcspn(text, "\n");
		if (gap && gap < text + n)
			return 1;
	}
	return 0;
}

/* Lines that hang go on with what stands above; another one begins something else. */
static void put_flowing(FILE *f, const char *text)
{
	char *sentence = ht_alloc(strlen(text) + 2, 1);
	size_t used = 0;

	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n"), mark = n < MARK ? n : MARK;
		int hangs = strspn(line, " ") >= MARK + HANG;

		if (line != text && !hangs) {
			sentence[used] = '\0';
			glossary_text(f, sentence);
			fputs("<br>", f);
			used = 0;
		} else if (line != text) {
			sentence[used++] = ' ';
			mark = MARK + HANG;
		}
		memcpy(sentence + used, line + mark, n - mark);
		used += n - mark;
		line += n + (line[n] == '\n');
	}
	sentence[used] = '\0';
	glossary_text(f, sentence);
	free(sentence);
}

static void put_columns(FILE *f, char *text)
{
	char *rest = NULL;

	fputs("<pre class=\"columns\">", f);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		html_text(f, line);
		putc('\n', f);
	}
	fputs("</pre>", f);
}

static void put_command(FILE *f, const char *command)
{
	fputs("<div class=\"command\"><code>", f);
	html_words(f, command, strlen(command));
	fputs("</code></div>\n", f);
}

static void put_paragraph(FILE *f, const struct paragraph *p)
{
	fputs("<dt>", f);
	html_text(f, p->label);
	fputs("</dt><dd>", f);
	if (is_table(p->text)) {
		put_columns(f, p->text);
	} else {
		put_flowing(f, p->text);
	}
	fputs("</dd>\n", f);
}

/* First the headline, then the command, then all else in its order. */
static void put_printed(FILE *f, const char *verdict)
{
	static const char *const leading[] = {"verdict", "use it"};

	for (int k = 0; k < 2; k++)
		for (const char *at = verdict; *at;) {
			struct paragraph p = next_paragraph(&at);

			if (p.text && strcmp(p.label, leading[k]) == 0 && k == 0) {
				fputs("<p>", f);
				put_flowing(f, p.text);
				fputs("</p>\n", f);
			} else if (p.text && strcmp(p.label, leading[k]) == 0) {
				put_command(f, p.text + (*p.text ? MARK : 0));
			}
			free(p.text);
		}
	fputs("<dl>\n", f);
	for (const char *at = verdict; *at;) {
		struct paragraph p = next_paragraph(&at);

		if (p.text && strcmp(p.label, leading[0]) != 0 && strcmp(p.label, leading[1]) != 0 &&
		    strcmp(p.label, "files") != 0)
			put_paragraph(f, &p);
		free(p.text);
	}
	fputs("</dl>\n", f);
}

/* What became of the prediction. */
static void put_verified(FILE *f, const struct page *p)
{
	int64_t before_ns = p->report->makespan_ns,
		ns = p->verified ? trace_makespan_ns(p->verified->run->trace, NULL) : 0;
	char a[16], b[16];

	if (ns > 0 && before_ns > 0)
		fprintf(f, "; the last run under it took %s, %+.1f %% against the recorded run (%s)", time_text(a, ns),
		        100 * ((double)ns / (double)before_ns - 1), time_text(b, before_ns));
}

static void put_config(FILE *f, const struct page *p)
{
	const struct config *c = p->tuned;
	const struct config_trial *ours = config_trial_find(c, c->chosen);
	const struct config_trial *own = config_trial_find(c, CONFIG_TRIAL_RECORDED_ORDER);
	const int64_t before_ns = own ? reference_of(own->makespan_ns, p->report->makespan_ns) : 0;
	const char *application = *p->report->run->command ? p->report->run->command : "CMD...";
	char words[CONFIG_WORDS], variables[CONFIG_WORDS], a[16], b[16], *path = shell_word(p->config_path), *command;

	fputs("<p>Tuned: ", f);
	html_text(f, config_words(c, words));
	if (ours && before_ns > 0)
		fprintf(f, ", predicted to take %s, %+.1f %% against the %s (%s)", time_text(a, ours->makespan_ns),
		        100 * ((double)ours->makespan_ns / (double)before_ns - 1),
		        before_ns == own->makespan_ns ? CONFIG_TRIAL_RECORDED_ORDER : "recorded run",
		        time_text(b, before_ns));
	put_verified(f, p);
	fputs("</p>\n", f);
	command = config_needs_library(c) ? ht_asprintf("heterotune run %s -- %s", path, application) :
	                                    ht_asprintf("%s %s", config_variables(c, variables), application);
	put_command(f, command);
	free(command);
	free(path);
}

void page_verdict(FILE *f, const struct page *p)
{
	if (!p->verdict && !p->tuned)
		return;
	fputs("<section class=\"answer\" aria-label=\"Verdict\">\n", f);
	if (p->verdict)
		put_printed(f, p->verdict);
	else
		put_config(f, p);
	fputs("</section>\n", f);
}

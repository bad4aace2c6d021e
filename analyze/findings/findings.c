/* analyze/findings/findings.c - the table of checks; findings in order, as text, JSON and CSV. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/base/terminal.h"
#include "core/base/json.h"
#include "core/base/wrap.h"
#include "core/dag/dag.h"
#include "core/run/run.h"

const struct finding_check *const finding_checks[] = {
	&finding_recording,
	&finding_task_size,
	&finding_critical_path,
	&finding_area,
	&finding_transfers,
	&finding_links,
	&finding_again,
	&finding_scheduling,
	&finding_ready,
	&finding_starvation,
	&finding_faster_elsewhere,
	&finding_tail,
	&finding_architecture,
	&finding_where,
	&finding_spread,
	&finding_model_impossible,
	&finding_model_copied,
	&finding_model_missing,
	&finding_model_run,
	&finding_model_devices,
	&finding_model_hosts,
	&finding_model_samples,
	&finding_model_deviation,
	&finding_cores,
	&finding_crowd,
	&finding_priorities,
	&finding_calibration,
	NULL,
};

struct finding *finding_add(struct findings *out, const struct finding_check *check, double severity, const char *fmt,
                            ...)
{
	struct finding *f = VEC_PUSH(out->items, out->count, out->cap);
	va_list ap;

	*f = (struct finding){.name = check->name, .severity = fmin(1, fmax(0, severity))};
	va_start(ap, fmt);
	vsnprintf(f->sentence, sizeof(f->sentence), fmt, ap);
	va_end(ap);
	return f;
}

void finding_advise(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->advice, sizeof(f->advice), fmt, ap);
	va_end(ap);
}

void finding_show(struct finding *f, const char *name, double value)
{
	assert(f->nevidence < FINDING_MAX_EVIDENCE);
	f->evidence[f->nevidence++] = (struct finding_evidence){name, value};
}

/* An insertion sort: few, and equal ones keep their order. */
void findings_sort(struct findings *f)
{
	for (size_t i = 1; i < f->count; i++) {
		struct finding x = f->items[i];
		size_t j = i;

		for (; j > 0 && f->items[j - 1].severity < x.severity; j--)
			f->items[j] = f->items[j - 1];
		f->items[j] = x;
	}
}

void findings_collect(struct findings *out, const struct finding_input *in)
{
	for (int i = 0; finding_checks[i]; i++)
		finding_checks[i]->check(in, finding_checks[i], out);
	findings_sort(out);
}

void findings_fini(struct findings *f)
{
	free(f->items);
	*f = (struct findings){0};
}

size_t findings_wrong(const struct findings *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->items[i].severity > 0;
	return n;
}

enum { INDENT = 4, WIDTH = 80 };

/* A finding's sentence and advice, each with a stop, after a mark of INDENT columns. */
static void put_finding(const struct finding *x, FILE *to)
{
	const char *const parts[] = {x->sentence, x->advice};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && *parts[i]; i++) {
		char *text = ht_asprintf("%s.", parts[i]);

		if (i > 0)
			fprintf(to, "%*s", INDENT, "");
		wrap_text(to, text, INDENT, INDENT, WIDTH);
		putc('\n', to);
		free(text);
	}
}

void findings_text(const struct findings *f, FILE *to)
{
	size_t wrong = findings_wrong(f);

	if (wrong == 0)
		fputs("The checks find nothing wrong.\n", to);
	else
		fprintf(to, "The checks find %zu thing%s wrong:\n\n", wrong, wrong == 1 ? "" : "s");
	for (size_t i = 0; i < f->count; i++) {
		if (i == wrong)
			fputs("\nTo know, but not wrong:\n\n", to);
		if (i < wrong)
			fprintf(to, "%s%2zu.%s ", terminal_style(to, TERMINAL_YELLOW), i + 1,
			        terminal_style(to, TERMINAL_PLAIN));
		else
			fputs("  - ", to);
		put_finding(&f->items[i], to);
	}
}

void findings_csv(const struct findings *f, FILE *to)
{
	struct csv c = {.f = to};

	fputs("name,severity,sentence,advice,evidence,value\n", to);
	for (size_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		for (int e = 0; e < x->nevidence || e == 0; e++) {
			csv_text(&c, x->name);
			csv_num(&c, x->severity);
			csv_text(&c, x->sentence);
			csv_text(&c, x->advice);
			csv_text(&c, e < x->nevidence ? x->evidence[e].name : "");
			csv_num(&c, e < x->nevidence ? x->evidence[e].value : NAN);
			csv_end(&c);
		}
	}
}

void findings_json(const struct findings *f, struct json *j)
{
	json_open(j, "findings", '[');
	for (size_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		json_open(j, NULL, '{');
		json_str(j, "name", x->name);
		json_num(j, "severity", x->severity);
		json_str(j, "sentence", x->sentence);
		json_str(j, "advice", x->advice);
		json_open(j, "evidence", '{');
		for (int e = 0; e < x->nevidence; e++)
			json_num(j, x->evidence[e].name, x->evidence[e].value);
		json_close(j, '}');
		json_close(j, '}');
	}
	json_close(j, ']');
}

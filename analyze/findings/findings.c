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
#include "core/base/json.h"
#include "core/base/terminal.h"
#include "core/base/wrap.h"
#include "core/dag/dag.h"
#include "core/dag/held.h"
#include "core/trace/trace.h"

const struct finding_check finding_checks[] = {
	{"recording", "the recording has gaps or was cut off", finding_recording, 0},
	{"parallel", "tasks ran on several workers together, as replays do not", finding_parallel, 0},
	{"contexts", "there were several scheduling contexts, of which replays know nothing", finding_contexts, 0},
	{"task-size", "tasks take less than what StarPU does for each", finding_task_size, 0},
	{"submission", "workers are idle because tasks are submitted late", finding_submission, 0},
	{"critical-path", "the longest chain of tasks takes 90 % of the run", finding_critical_path, 0},
	{"area", "the work shared out perfectly takes 90 % of the run", finding_area, 0},
	{"commuting", "tasks that commute wait for each other", finding_commuting, 0},
	{"transfers", "workers wait for data", finding_loss, 0},
	{"links", "what was copied needs 70 % of the run", finding_links, 0},
	{"copied-again", "data is copied to where it was before", finding_again, 0},
	{"pinning", "main memory for data is allocated for 5 % of the run", finding_pinning, 0},
	{"scheduling", "workers are busy with the runtime", finding_loss, 0},
	{"ready", "workers are idle while tasks that suit them are ready", finding_loss, 0},
	{"starvation", "workers are idle without a ready task", finding_loss, 0},
	{"faster-elsewhere", "workers are idle while what is ready is faster elsewhere", finding_loss, 0},
	{"tail", "workers have nothing left to do long before the end", finding_loss, 0},
	{"architecture", "tasks run where they are slow while a fast worker is idle", finding_architecture, 0},
	{"where", "a type never ran where its model could let it", finding_where, 0},
	{"where-unknown", "nothing says what a type takes where it can run", finding_where_unknown, 0},
	{"spread", "durations of a type on an architecture differ by more than 30 %", finding_spread, 0},
	{"model-impossible", "models are faster than any device", finding_model_impossible, 1},
	{"model-copied", "a model is a copy of another codelet's", finding_model_copied, 1},
	{"model-missing", "models lack an architecture that ran", finding_model_missing, 0},
	{"model-run", "models say other durations, or less spread, than the run had", finding_model_run, 0},
	{"model-devices", "one of several devices is ten times as slow", finding_model_devices, 1},
	{"model-hosts", "models of two machines differ by more than three times", finding_model_hosts, 1},
	{"model-samples", "costs rest on a single measurement", finding_model_samples, 1},
	{"model-deviation", "costs rest on a model that varies by more than 30 %", finding_model_deviation, 1},
	{"cores", "workers are bound to the same core", finding_cores, 0},
	{"crowd", "there are more workers than cores", finding_crowd, 0},
	{"busy", "other programs used 10 % of the cores", finding_busy, 0},
	{"priorities", "Heteroprio would read the priorities as buckets", finding_priorities, 0},
	{"calibration", "priorities are set, and Heteroprio's auto-calibration ignores them", finding_calibration, 0},
	{0},
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

void finding_show_all(struct finding *f, const struct finding_evidence *evidence)
{
	for (; evidence->name; evidence++) {
		assert(f->nevidence < FINDING_MAX_EVIDENCE);
		f->evidence[f->nevidence++] = *evidence;
	}
}

struct finding_durations (*finding_durations(const struct finding_input *in))[ARCH_COUNT]
{
	struct finding_durations(*of)[ARCH_COUNT] = ht_alloc(in->dag->nclasses, sizeof(*of));
	uint8_t *held = held_find(in->dag, in->trace);

	for (uint32_t i = 0; i < in->dag->ntasks; i++) {
		const struct trace_task *t = &in->trace->tasks[in->dag->tasks[i].trace_task];
		struct finding_durations *d = &of[in->dag->tasks[i].class_id][in->trace->workers[t->worker].arch];
		double ns = (double)(t->end_ns - t->start_ns);

		if (held[i])
			continue;
		d->n++;
		d->sum += ns;
		d->squares += ns * ns;
	}
	free(held);
	return of;
}

static int is_alike(const struct finding *a, const struct finding *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->advice, b->advice) == 0 &&
	       (a->severity > 0) == (b->severity > 0);
}

int findings_share_advice(const struct findings *f, size_t i)
{
	return i > 0 && is_alike(&f->items[i - 1], &f->items[i]);
}

/* Moves the item at `from` to `to`, which is not behind it. */
static void move_ahead(struct findings *f, size_t from, size_t to)
{
	struct finding x = f->items[from];

	memmove(&f->items[to + 1], &f->items[to], (from - to) * sizeof(x));
	f->items[to] = x;
}

/* Insertions: they are few, and equal ones keep their order. */
void findings_sort(struct findings *f)
{
	for (size_t i = 1, j; i < f->count; i++) {
		for (j = i; j > 0 && f->items[j - 1].severity < f->items[i].severity;)
			j--;
		move_ahead(f, i, j);
	}
	for (size_t i = 2, j; i < f->count; i++) {
		for (j = i; j > 0 && !is_alike(&f->items[j - 1], &f->items[i]);)
			j--;
		if (j > 0)
			move_ahead(f, i, j);
	}
}

void findings_collect(struct findings *out, const struct finding_input *in)
{
	for (const struct finding_check *c = finding_checks; c->name; c++)
		c->check(in, c, out);
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
		n += f->items[i].severity > 0 && !findings_share_advice(f, i);
	return n;
}

enum { INDENT = 4, WIDTH = 80 };

/* A line, or several, from column INDENT on; the cursor is there. */
static void put_sentence(const char *sentence, FILE *to)
{
	char *text = ht_asprintf("%s.", sentence);

	wrap_text(to, text, INDENT, INDENT, WIDTH);
	putc('\n', to);
	free(text);
}

void findings_text(const struct findings *f, FILE *to)
{
	size_t wrong = findings_wrong(f), number = 0;

	if (wrong == 0)
		fputs("The checks find nothing wrong.\n", to);
	else
		fprintf(to, "The checks find %zu thing%s wrong:\n\n", wrong, wrong == 1 ? "" : "s");
	for (size_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		if (x->severity <= 0 && (i == 0 || f->items[i - 1].severity > 0))
			fputs("\nTo know, but not wrong:\n\n", to);
		if (findings_share_advice(f, i))
			fprintf(to, "%*s", INDENT, "");
		else if (x->severity > 0)
			fprintf(to, "%s%2zu.%s ", terminal_style(to, TERMINAL_YELLOW), ++number,
			        terminal_style(to, TERMINAL_PLAIN));
		else
			fputs("  - ", to);
		put_sentence(x->sentence, to);
		if (*x->advice && (i + 1 == f->count || !findings_share_advice(f, i + 1))) {
			fprintf(to, "%*s", INDENT, "");
			put_sentence(x->advice, to);
		}
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

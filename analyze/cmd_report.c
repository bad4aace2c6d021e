/* analyze/cmd_report.c - heterotune report: all that is known of a run, on one page. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/page/page.h"
#include "analyze/plots/drawing.h"
#include "analyze/report/report.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/base/options.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/dag/dag.h"
#include "core/dag/other_type.h"
#include "core/run/run.h"

struct report_options {
	const char *out, *config, *predicted, *verified, *verdict;
};

enum { MAX_VERDICT = 1 << 20 };

/* What a page borrows. */
struct sources {
	struct report report;
	struct config *tuned;
	char *verdict;
	struct run *others[PAGE_RUNS - 1];
	struct drawing drawings[PAGE_RUNS];
};

static int add_run(struct page *p, struct sources *s, const char *label, const struct run *run, struct ht_err *err)
{
	struct drawing *d = &s->drawings[p->nruns];

	p->runs[p->nruns++] = (struct page_run){label, run->scheduler, "", run, d};
	return drawing_init(d, run, err);
}

static int add_other(struct page *p, struct sources *s, const char *label, const char *path, struct ht_err *err)
{
	struct run *r = path ? run_open(path, err) : NULL;
	const struct dag_type *other = r ? other_type(r->dag, s->report.run->dag) : NULL;

	if (!path)
		return 0;
	/* A run without the scheduler library has no names where the other one has those of functions. */
	if (other && (*other->codelet || *other->model))
		fprintf(stderr,
		        "heterotune: report: %s: has tasks of %s, and %s has none: it may be of another application\n",
		        path, other->name, s->report.run->path);
	s->others[p->nruns - 1] = r;
	return r ? add_run(p, s, label, r, err) : -1;
}

/* Whatever STARPU_SCHED was: the config outweighs it, and may be the scheduler of the run as it is. */
static void say_verified(struct page_run *r, const struct sources *s)
{
	const char *recorded = s->report.run->scheduler;
	int is_kept = s->tuned && config_effort(s->tuned, recorded) == CONFIG_EFFORT_NONE;

	r->under = is_kept ? recorded : "the config";
	r->what = is_kept ? " again, in its last run" : ", in its last run";
}

static int gather(struct page *p, struct sources *s, const char *path, const struct report_options *how,
                  struct ht_err *err)
{
	if (report_open(&s->report, path, err) != 0)
		return -1;
	if (report_add_all(&s->report, err) != 0)
		return ht_err_wrap(err, "%s", path);
	s->tuned = how->config ? config_load(how->config, err) : NULL;
	s->verdict = how->verdict ? file_read(how->verdict, MAX_VERDICT, NULL, err) : NULL;
	if ((how->config && !s->tuned) || (how->verdict && !s->verdict))
		return -1;
	*p = (struct page){.report = &s->report, .tuned = s->tuned, .config_path = how->config, .verdict = s->verdict};
	if (add_run(p, s, *manifest_get(&s->report.run->manifest, "predicted") ? "Predicted" : "Recorded",
	            s->report.run, err) != 0 ||
	    add_other(p, s, "Predicted", how->predicted, err) != 0 ||
	    add_other(p, s, "Verified", how->verified, err) != 0)
		return -1;
	if (how->predicted)
		p->runs[1].what = ", by a replay";
	if (how->verified) {
		say_verified(&p->runs[p->nruns - 1], s);
		p->verified = &p->runs[p->nruns - 1];
	}
	return 0;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct report_options *how = options;
	struct sources s = {0};
	struct outfile o = {0};
	struct page p = {0};
	char *made_up = NULL;
	struct interrupt interrupt;
	int rc = -1, signal = 0,
	    gathered = run_check_output(how->out, "heterotune report</title>", err) == 0 &&
	               gather(&p, &s, words[0], how, err) == 0;

	if (gathered && !how->out)
		made_up = run_output(s.report.run, ".html");
	if (gathered && outfile_open(&o, made_up ? made_up : how->out, err) == 0) {
		interrupt_begin(&interrupt);
		page_write(o.f, &p);
		signal = interrupt_end(&interrupt);
		if (!signal)
			rc = outfile_commit(&o, err);
	}
	if (rc == 0 && made_up)
		printf("%s\n", made_up);
	free(made_up);
	outfile_abort(&o);
	for (int i = 0; i < PAGE_RUNS; i++)
		drawing_fini(&s.drawings[i]);
	for (int i = 0; i < PAGE_RUNS - 1; i++)
		run_free(s.others[i]);
	report_fini(&s.report);
	config_free(s.tuned);
	free(s.verdict);
	return signal ? INTERRUPT_STATUS + signal : rc;
}

static int cmd_report_run(int argc, char **argv)
{
	struct report_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &o.out, "FILE",
	         "the page to write; - is standard output (default: RUN.html, or PROGRAM.html for PROGRAM.tuned/run, in the "
	         "working directory; RUN-2.html and so on where there is one)"},
		{OPTION_TEXT, 'c', "config", &o.config, "FILE", "show what was tuned for the run, too"},
		{OPTION_TEXT, 0, "predicted", &o.predicted, "RUN", "a prediction (replay --save), below the run"},
		{OPTION_TEXT, 0, "verified", &o.verified, "RUN", "a run under the config, below both"},
		{OPTION_TEXT, 0, "verdict", &o.verdict, "FILE", "what 'heterotune auto' has printed, on top"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "report",
		.synopsis = "RUN [--config FILE] [--predicted RUN] [--verified RUN] [--verdict FILE] [-o FILE]",
		.summary =
			"Write all that is known of a run into one HTML file: timeline, findings, tables, plots, config.",
		.epilogue = "  heterotune report run.ht --config tuned.xml\n"
			    "  heterotune report run.ht --predicted predicted.ht -o report.html\n",
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 1, 1, 0, answer},
	                   &o);
}

const struct command cmd_report = {"report", "write findings, tables and plots into one HTML file", cmd_report_run};

/* analyze/findings/finding.h - findings: statements about a run, each with its numbers and what to do about it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_FINDINGS_FINDING_H
#define ANALYZE_FINDINGS_FINDING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/machine/arch.h"

struct bounds;
struct dag;
struct idle;
struct json;
struct machine;
struct manifest;
struct metrics;
struct model_set;
struct overheads_all;
struct timeline;
struct trace;
struct worker_times;
struct copies;
struct memories;

enum { FINDING_MAX_EVIDENCE = 6 };

/* A number that a finding rests on; the name, a literal, ends in its unit where it has one: "lost_ns". */
struct finding_evidence {
	const char *name;
	double value;
};

/*
 * Severity is 0 to 1: about the share of the makespan, or of the trust in the numbers, that is at stake; what concerns
 * some of the tasks alone counts for their share of the time. 0 is a note: it names what binds the run, and nothing is
 * wrong.
 */
struct finding {
	const char *name; /* of its check */
	double severity;
	char sentence[500]; /* without a final stop */
	char advice[400];
	struct finding_evidence evidence[FINDING_MAX_EVIDENCE];
	int nevidence;
};

struct findings {
	struct finding *items;
	size_t count, cap;
};

/* What checks look at. All borrowed; `scheduler` may be "". */
struct finding_input {
	const struct trace *trace;
	const struct dag *dag;
	const struct machine *machine;
	const struct model_set *models;
	const struct bounds *bounds;
	const struct metrics *metrics;
	const struct worker_times *times;
	const struct idle *idle;
	const struct copies *copies;
	const struct memories *memories;      /* NULL: not known */
	const struct model_set *other_models; /* of another machine; NULL: none */
	const char *scheduler;
	const struct manifest *manifest; /* NULL: none */
	const struct overheads_all *overheads;
	int64_t makespan_ns; /* positive */
};

/* A check adds as many findings as it has reason for; none on a healthy run. */
struct finding_check;
typedef void finding_check_fn(const struct finding_input *in, const struct finding_check *self, struct findings *out);

struct finding_check {
	const char *name, *summary;
	finding_check_fn *check;
	int of_models; /* 1: the check uses models, their graph, machine and metrics alone: in->trace may be NULL */
};

/* Ends with {0}: analyze/findings/findings.c. */
extern const struct finding_check finding_checks[];
finding_check_fn finding_again, finding_pinning, finding_critical_path, finding_area, finding_commuting, finding_links,
	finding_loss, finding_architecture, finding_spread, finding_model_missing, finding_model_impossible,
	finding_model_copied, finding_model_samples, finding_model_run, finding_model_deviation, finding_model_devices,
	finding_model_hosts, finding_cores, finding_crowd, finding_busy, finding_recording, finding_parallel,
	finding_contexts, finding_priorities, finding_calibration, finding_where, finding_where_unknown,
	finding_task_size, finding_submission;

/* Whether there is a finding_submission(): its time is not that of finding_loss(). */
int finding_is_submission(const struct finding_input *in);

/* Adds a finding; the pointer holds until the next one is added. Give it evidence and advice. */
struct finding *finding_add(struct findings *out, const struct finding_check *check, double severity, const char *fmt,
                            ...) __attribute__((format(printf, 4, 5)));
void finding_advise(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* finding_show(f, {"lost_ns", ns}, ...) adds evidence. */
#define finding_show(f, ...) finding_show_all((f), (const struct finding_evidence[]){__VA_ARGS__, {0}})
void finding_show_all(struct finding *f, const struct finding_evidence *evidence);

/*
 * Durations of the tasks of a class on an architecture, without those whose end was seen late (core/dag/held.h): how
 * many, their sum in ns, and that of their squares.
 */
struct finding_durations {
	double n, sum, squares;
};
struct finding_durations (*finding_durations(const struct finding_input *in))[ARCH_COUNT]; /* by class; free() it */

/* Worst first; those that another one's advice is for, too, follow it. Equal ones keep their order. */
void findings_sort(struct findings *f);

/* Whether `i` has the advice of the one before, of the same check: the advice stands once, below all of them. */
int findings_share_advice(const struct findings *f, size_t i);

/* Runs every check; sorted, equal ones in the order of the table. findings_fini() frees. */
void findings_collect(struct findings *out, const struct finding_input *in);

/*
 * Runs the checks with of_models: on `models`, and with `other` (may be NULL) on the models of two machines. Each set
 * of models is given as a graph with a class for every size that it has a row of.
 */
void findings_of_models(struct findings *out, const struct model_set *models, const struct model_set *other);
void findings_fini(struct findings *f);

/* What is wrong: those of severity above 0, and those that share their advice as one. */
size_t findings_wrong(const struct findings *f);

/* What is wrong as a numbered list with advice below each, then the notes. */
void findings_text(const struct findings *f, FILE *to);

/* The key "findings" and its array, into the object that is open. */
void findings_json(const struct findings *f, struct json *j);

/* A line for each evidence, or for a finding that has none: name,severity,sentence,advice,evidence,value. */
void findings_csv(const struct findings *f, FILE *to);

#endif

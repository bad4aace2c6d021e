/* analyze/findings/finding_predicted.c - models that disagree with the run in means or in spread. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/findings/finding.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"

#define MEAN_RATIO   1.25
#define SPREAD       0.15 /* of the run, at least */
#define SPREAD_RATIO 2.0  /* of what the model says, at least */
#define NOISE        0.50 /* of the run: finding_spread.c reports it */
#define MIN_TASKS    10
#define TIME_SHARE   0.02 /* of all time in tasks */

/* Of the tasks of a type on an architecture whose class has a row there. */
struct compared {
	uint64_t tasks;
	double run_ns, model_ns;           /* sums */
	double run_squares, model_squares; /* of what differs from the means, run's and model's own */
};

static struct compared compare(const struct finding_input *in, struct finding_durations (*of)[ARCH_COUNT],
                               const struct model *m, uint32_t type, enum arch a)
{
	struct compared x = {0};

	for (uint32_t c = 0; c < in->dag->nclasses; c++) {
		const struct dag_class *k = &in->dag->classes[c];
		const struct finding_durations *s = &of[c][a];
		double mean, deviation;

		if (k->codelet != type || s->n <= 0 || (mean = 1e3 * model_mean_us(m, a, k->footprint)) <= 0)
			continue;
		deviation = 1e3 * model_deviation_us(m, a, k->footprint);
		x.tasks += (uint64_t)s->n;
		x.run_ns += s->sum;
		x.model_ns += s->n * mean;
		x.run_squares += fmax(0, s->squares - s->sum * s->sum / s->n);
		x.model_squares += s->n * deviation * deviation;
	}
	return x;
}

/* all_ns: the time in all tasks of the run. */
static void report(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                   const struct compared *x, const struct model *m, uint32_t type, enum arch a, double all_ns)
{
	double n = (double)x->tasks, run = x->run_ns / n, model = x->model_ns / n, ratio = run / model;
	double run_spread = sqrt(x->run_squares / n) / run, model_spread = sqrt(x->model_squares / n) / model;
	int off = ratio > MEAN_RATIO || ratio < 1 / MEAN_RATIO;
	char run_text[16], model_text[16];
	struct finding *f;

	if (!off && (m->is_computed || run_spread < SPREAD || run_spread < SPREAD_RATIO * model_spread))
		return;
	/* A few tasks that took long, for another program on the machine, say nothing of the model. */
	if (run_spread > NOISE && fabs(run - model) < run_spread * run)
		return;
	f = finding_add(out, self, x->run_ns / all_ns * (off ? fmin(0.5, fabs(log(ratio))) : fmin(0.2, run_spread / 2)),
	                "%" PRIu64
	                " tasks of %s on %s took %s with a standard deviation of %.0f %%, and the model says %s with "
	                "%.0f %%",
	                x->tasks, SHORT_NAME(in->dag->types[type].name), arch_name(a),
	                time_text(run_text, llround(run)), 100 * run_spread, time_text(model_text, llround(model)),
	                100 * model_spread);
	if (off && m->is_computed)
		finding_advise(
			f,
			"dm* schedulers and replays place tasks by what the program's own function, or a regression, says: the "
			"codelet's .model has to be mended, or made one of type STARPU_HISTORY_BASED");
	else if (off)
		finding_advise(
			f,
			"dm* schedulers and replays with models place tasks by the wrong time: calibrate as the application "
			"runs, with all workers busy (STARPU_CALIBRATE=2 starts anew)");
	else
		finding_advise(
			f,
			"The model knows quieter conditions than this run: memory bandwidth that all workers share, or other "
			"programs; predictions for such tasks are less certain than the model says");
	finding_show(f, {"run_mean_ns", run}, {"model_mean_ns", model}, {"run_deviation_share", run_spread},
	             {"model_deviation_share", model_spread});
}

void finding_model_run(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct finding_durations(*of)[ARCH_COUNT] = in->models->count ? finding_durations(in) : NULL;
	double all_ns = 0;

	if (!of)
		return;
	for (uint32_t c = 0; c < in->dag->nclasses; c++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			all_ns += of[c][a].sum;
	for (uint32_t p = 0; p < in->dag->ntypes; p++) {
		const char *symbol = in->dag->types[p].model;
		const struct model *m = *symbol ? model_find(in->models, symbol) : NULL;

		for (enum arch a = 0; m && a < ARCH_COUNT; a++) {
			struct compared x = compare(in, of, m, p, a);

			if (x.tasks >= MIN_TASKS && x.run_ns > TIME_SHARE * all_ns)
				report(in, self, out, &x, m, p, a, all_ns);
		}
	}
	free(of);
}

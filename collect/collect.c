/* collect/collect.c - an application run once under FxT, gathered into a run directory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/collect.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/counters.h"
#include "collect/energy.h"
#include "collect/launch.h"
#include "collect/machine_bus.h"
#include "collect/manifest_write.h"
#include "collect/others.h"
#include "collect/sampling.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/input.h"
#include "core/base/interrupt.h"
#include "core/base/table.h"
#include "core/config/plugin_path.h"
#include "core/machine/machine.h"
#include "core/perfmodel/model.h"
#include "core/run/machine_trace.h"
#include "core/run/run.h"
#include "core/run/run_writer.h"
#include "core/trace/trace.h"

enum {
	/*
	 * About 2.5 KB of trace a task: enough for 50 000. FxT touches all of its buffer at the start, 5 ms a MiB, so
	 * more is not free; a run that needs more is seen by its flushes.
	 */
	DEFAULT_BUFFER_MIB = 128,
	CALIBRATION_RUNS = 4,
	CALIBRATION_SAMPLES = 10, /* STARPU_CALIBRATE_MINIMUM's default */
};

int collect_machine(const char *run, const struct trace *t, const char *sampling, const char *host,
                    enum capacity_limits limits, struct ht_err *err)
{
	struct machine *m = machine_from_trace(t, err);
	char *path = ht_asprintf("%s/machine.xml", run),
	     *bandwidth = ht_asprintf("%s/bus/%s.bandwidth", sampling, host);
	struct bus *bus = NULL;
	int rc = -1;

	if (!m)
		goto out;
	m->name = arena_strndup(m->arena, host, strlen(host));
	if (file_exists(bandwidth)) {
		bus = bus_load(sampling, host, err);
		if (!bus)
			goto out;
		machine_add_bus(m, bus);
	}
	capacity_limit(m, limits);
	rc = machine_save(m, path, err);
out:
	bus_free(bus);
	machine_free(m);
	free(path);
	free(bandwidth);
	return rc;
}

/* Where a run is put together, before it gets its name. */
struct work {
	const struct collect_options *o;
	struct counters counters;
	struct energy energy;
	struct input input;
	struct run_writer to;
	char *fxt;
	int left_starpu;       /* a process that the program has left will write a trace there */
	char *library;         /* the scheduler library; NULL: not needed */
	const char *scheduler; /* for STARPU_SCHED; NULL: as it is */
	int whole;             /* from the start of StarPU on, even if the program has turned that off */
	char **models;
	char *host;
	struct trace *trace;
	int64_t buffer_mib;
};

/* Whether what the program has measured since `before` is enough. */
static int is_calibrated(const struct work *w, const struct model_set *before)
{
	struct model_set *now = sampling_models(w->models, w->host);
	int lacking = sampling_uncalibrated(now, before, CALIBRATION_SAMPLES);

	model_set_free(now);
	return lacking == 0;
}

/* Runs the program, whose standard input is that of the runs before. */
static int run_program(struct work *w, const struct launch *l, struct launch_result *r, struct ht_err *err)
{
	const char *said = input_next(&w->input);

	if (said)
		w->o->progress(said);
	return launch_wait(l, r, err);
}

static int calibrate(struct work *w, struct collect_result *result, struct ht_err *err)
{
	/* dmda forces tasks onto workers whose models lack samples; the application's own choice comes first. */
	const char *sched = getenv("STARPU_SCHED"), *silent = getenv("STARPU_SILENT");
	const struct launch_var vars[] = {
		{"STARPU_CALIBRATE", "1"},
		{"STARPU_SILENT", silent ? silent : "1"}, /* else there is a line for each sample that deviates */
		{"STARPU_SCHED", sched && *sched ? sched : "dmda"},
		{"STARPU_FXT_TRACE", "0"},
		{NULL, NULL},
	};
	const struct launch l = {.argv = w->o->argv, .vars = vars, .limit_s = w->o->limit_s};
	struct model_set *before = sampling_models(w->models, w->host);
	struct launch_result r = {0};
	int rc = 0;

	for (int i = 0; i < CALIBRATION_RUNS; i++) {
		char line[128], ended[96];

		snprintf(line, sizeof(line), "calibrating performance models, run %d of at most %d", i + 1,
		         CALIBRATION_RUNS);
		w->o->progress(line);
		if (run_program(w, &l, &r, err) != 0 ||
		    (r.was_ended && ht_err_set(err, "%s: it was ended after %lld s while its models were calibrated",
		                               w->o->argv[0], (long long)w->o->limit_s) != 0) ||
		    (r.status != 0 && ht_err_set(err, "%s: %s while its models were calibrated", w->o->argv[0],
		                                 launch_ended(r.status, ended)) != 0)) {
			result->status = r.status;
			rc = -1;
			break;
		}
		if (r.signal) {
			result->status = INTERRUPT_STATUS + r.signal;
			rc = ht_err_set(err, "%s: interrupted while its models were calibrated", w->o->argv[0]);
			break;
		}
		if (is_calibrated(w, before))
			break;
	}
	model_set_free(before);
	return rc;
}

static char *counters_text(const struct counters *c)
{
	char *text = ht_strndup("", 0);

	for (int i = 0; i < c->count; i++)
		ht_append(&text, "%s%s", i ? " " : "", c->names[i]);
	return text;
}

/* The library has written what it was asked for, by the application too; StarPU 1.4 uses lws by default. */
static void take_scheduler(const char *path, struct collect_result *result)
{
	char *text = file_read(path, sizeof(result->scheduler) - 1, NULL, NULL);
	const char *sched = getenv("STARPU_SCHED");

	snprintf(result->scheduler, sizeof(result->scheduler), "%s", text ? text : sched && *sched ? sched : "lws");
	unlink(path); /* no part of a run */
	free(text);
}

enum { RECORD_VARS = 18 };

static void put(struct launch_var *vars, const char *name, const char *value)
{
	int n = 0;

	while (vars[n].name)
		n++;
	assert(n < RECORD_VARS - 1); /* the last one ends them */
	vars[n] = (struct launch_var){name, value};
}

/* The environment of a recording, in `vars`, which is empty; the texts are borrowed. */
static void put_all(struct launch_var *vars, const struct work *w, const char *buffer, const char *counters,
                    const char *where, const char *lengths, const char *footprints, const char *scheduler)
{
	put(vars, "STARPU_FXT_TRACE", "1");
	put(vars, "STARPU_FXT_PREFIX", w->fxt);
	put(vars, "STARPU_FXT_SUFFIX", NULL);
	put(vars, "STARPU_FXT_EVENTS", NULL);
	put(vars, "STARPU_GENERATE_TRACE", "0");
	put(vars, "STARPU_TRACE_BUFFER_SIZE", buffer);
	if (w->counters.count) {
		put(vars, "STARPU_PROFILING", "1");
		put(vars, "STARPU_PROF_PAPI_EVENTS", counters);
	}
	put(vars, "HETEROTUNE_PRIORITIES", w->o->priorities ? "1" : NULL);
	put(vars, "HETEROTUNE_WHERE", w->o->no_library ? NULL : where);
	put(vars, "HETEROTUNE_LENGTHS", w->o->no_library ? NULL : lengths);
	put(vars, "HETEROTUNE_FOOTPRINTS", w->o->no_library ? NULL : footprints);
	put(vars, "HETEROTUNE_SCHEDULER", scheduler);
	put(vars, "HETEROTUNE_RECORD", w->whole ? "1" : NULL);
	if (w->library)
		put(vars, "STARPU_SCHED_LIB", w->library);
	if (w->scheduler)
		put(vars, "STARPU_SCHED", w->scheduler);
}

/* A program that failed has said why itself. */
static int left_nothing(const char *program, const struct launch_result *r, struct ht_err *err)
{
	char ended[96], *to_do = launch_not_loaded(r->status);

	ht_err_set(err, "%s: %s and left no trace%s", program, launch_ended(r->status, ended),
	           r->left_running ?
	                   ": a process that it has started still runs, for which it has to wait" :
	           r->status ?
	                   to_do :
	                   ": it has to be a StarPU program that gets to starpu_shutdown(), and its StarPU built with "
	                   "FxT, as that of 'heterotune env'");
	free(to_do);
	return -1;
}

static void read_energy(void *work)
{
	energy_read(&((struct work *)work)->energy, ENERGY_DIR);
}

/* One execution under FxT. Only the trace shows whether the buffer was large enough, so it is read back at once. */
static int record(struct work *w, struct collect_result *result, struct ht_err *err)
{
	char *counters = counters_text(&w->counters), *where = ht_asprintf("%s/where.tsv", w->to.dir), buffer[32];
	char *lengths = ht_asprintf("%s/lengths.tsv", w->to.dir);
	char *footprints = ht_asprintf("%s/footprints.tsv", w->to.dir);
	char *scheduler = ht_asprintf("%s/scheduler", w->to.dir);
	struct launch_var vars[RECORD_VARS] = {{NULL, NULL}};
	const struct launch l = {.argv = w->o->argv,
	                         .vars = vars,
	                         .limit_s = w->o->limit_s,
	                         .often = read_energy,
	                         .ctx = w,
	                         .often_s = 60};
	struct launch_result r = {0};
	int rc, watch, starts, is_split;
	struct others others;

	sessions_remove(w->to.dir);
	unlink(lengths); /* of the time before, whose tasks have the same numbers */
	unlink(footprints);
	snprintf(buffer, sizeof(buffer), "%lld", (long long)w->buffer_mib);
	put_all(vars, w, buffer, counters, where, lengths, footprints, scheduler);
	dir_remove(w->fxt);
	trace_free(w->trace);
	w->trace = NULL;
	rc = dir_create(w->fxt, err);
	energy_begin(&w->energy, ENERGY_DIR);
	watch = sessions_watch(w->fxt);
	others_begin(&others);
	if (rc == 0)
		rc = run_program(w, &l, &r, err);
	starts = sessions_watched(watch);
	read_energy(w);
	take_scheduler(scheduler, result);
	result->status = r.status;
	result->wall_ns = r.wall_ns;
	result->others = others_share(&others, r.wall_ns);
	result->signal = r.signal;
	result->left_running = r.left_running;
	w->left_starpu |= r.left_starpu;
	if (rc == 0 && r.was_ended)
		rc = ht_err_set(err, "%s: it was ended after %lld s", w->o->argv[0], (long long)w->o->limit_s);
	if (rc == 0) {
		rmdir(w->fxt); /* empty: nothing was recorded */
		if (!file_exists(w->fxt))
			rc = left_nothing(w->o->argv[0], &r, err);
	}
	if (rc == 0)
		rc = sessions_split(&result->sessions, w->to.dir, w->o->session, err);
	is_split = rc == 0;
	if (is_split) {
		w->trace = run_load_trace(w->to.dir, err);
		rc = w->trace ? 0 : -1;
	}
	if (rc == 0 && trace_simulated(w->trace))
		result->others = NAN;
	if (rc == 0)
		result->lost_tasks = result->sessions.count > 1 || starts == 1 ? 0 : sessions_lost_tasks(w->trace);
	result->lost_programs = !is_split || result->lost_tasks || starts <= result->sessions.count ?
	                                0 :
	                                starts - result->sessions.count;
	free(counters);
	free(where);
	free(lengths);
	free(footprints);
	free(scheduler);
	return rc;
}

static int64_t trace_mib(const struct trace *t)
{
	/* An event is three words and, on average, as many parameters. */
	return (int64_t)(t->nevents * 56 >> 20);
}

/* The trace has not been written to its end. */
static int is_cut(const struct work *w)
{
	return w->trace->defects.truncated_bytes > 0;
}

static void say_no_task(const struct work *w, const struct collect_result *result, struct ht_err *err)
{
	const char *why =
		": it has none, or keeps StarPU from recording them, as starpu_fxt_autostart_profiling(0) does";
	char ended[96];

	if (interrupt_signal_of(result->status) || result->signal)
		why = ""; /* the signal */
	else if (is_cut(w))
		why = ": its end is missing, as on a disk that is full";
	ht_err_set(err, "%s: %s, and no task ran to its end in the trace%s", w->o->argv[0],
	           launch_ended(result->status, ended), why);
}

static int gather(struct work *w, const struct collect_result *result, struct ht_err *err)
{
	char *sampling = ht_asprintf("%s/sampling", w->to.dir), *manifest = ht_asprintf("%s/manifest", w->to.dir);
	int nmodels = 0, rc = -1;

	if (trace_executed(w->trace) == 0) {
		say_no_task(w, result, err);
		goto out;
	}
	/* The trace says which StarPU it was. */
	sampling_dirs_free(w->models);
	w->models = sampling_dirs(w->trace->starpu_minor);
	if (sampling_copy(w->to.dir, w->trace, w->models, w->host, &nmodels, err) != 0 ||
	    collect_machine(w->to.dir, w->trace, sampling, w->host, CAPACITY_OF_ENVIRONMENT, err) != 0)
		goto out;
	rc = manifest_write(manifest, w->o, result, w->trace, &w->counters, &w->energy, w->host, err);
out:
	free(sampling);
	free(manifest);
	return rc;
}

/*
 * It stands in for a scheduler library of the user's own, which would then not be the one that is recorded. Without
 * priorities it only notes what codelets can run on, and a run is recorded without it, too.
 */
static int find_library(struct work *w, struct ht_err *err)
{
	const char *own = getenv("STARPU_SCHED_LIB");
	int is_needed = w->o->priorities || w->o->whole;
	struct ht_err missing = {""};

	if (own && *own && w->o->priorities)
		return ht_err_set(err, "--priorities cannot be had with a scheduler library: STARPU_SCHED_LIB=%s", own);
	if (own && *own && w->o->whole)
		return ht_err_set(err, "--whole cannot be had with a scheduler library: STARPU_SCHED_LIB=%s", own);
	if (w->o->no_library && w->o->priorities)
		return ht_err_set(err, "--priorities are what the scheduler library gives: leave out --no-library");
	if (w->o->no_library && w->o->whole)
		return ht_err_set(err, "--whole is what the scheduler library does: leave out --no-library");
	if ((!own || !*own) && !w->o->no_library)
		w->library = plugin_path(&missing);
	return w->library || !is_needed ? 0 : ht_err_set(err, "%s", missing.text);
}

/* Whether the library has seen tasks; -1: it was not loaded. */
static int noted(const struct work *w)
{
	char *where = ht_asprintf("%s/where.tsv", w->to.dir);
	struct stat st;
	int rc = stat(where, &st) == 0 ? st.st_size > 0 : -1;

	free(where);
	return rc;
}

/*
 * starpu_fxt_autostart_profiling(0), and no starpu_fxt_start_profiling(): a program that means to be recorded in part
 * has tasks in its trace. The library then calls the latter.
 */
static const char *hides_tasks(const struct work *w)
{
	return w->library && noted(w) > 0 && trace_executed(w->trace) == 0 && !is_cut(w) ?
	               "the program keeps StarPU from recording its tasks: once more, with all of them" :
	               NULL;
}

/*
 * The library gives names to codelets that have none (plugin/starpu/codelet_name.h), and a trace to each session of
 * several (plugin/sessions.h). StarPU loads it for a scheduler that is asked for by name; where none is, that is lws
 * (1.4.10, src/core/sched_policy.c, _starpu_select_sched_policy()). Why it has to be; NULL: it has not.
 */
static const char *lacks_library(const struct work *w, const struct collect_result *result)
{
	const char *scheduler = getenv("STARPU_SCHED");

	if (!w->library || noted(w) >= 0 || (scheduler && *scheduler))
		return NULL;
	if (result->lost_tasks || result->lost_programs)
		return "the program has started StarPU before what was recorded: once more with a trace of each start";
	if (is_cut(w))
		return NULL;
	if (trace_executed(w->trace) == 0)
		return "no task was recorded: once more, with what the program may keep StarPU from recording";
	if (w->whole)
		return "StarPU has no scheduler by name, and loads no library: once more, to record all tasks";
	return trace_nameless(w->trace) > 0 ?
	               "there are codelets without names: once more with those of their functions" :
	               NULL;
}

/*
 * FxT allocates twice its buffer, whose words it counts in 32 bits (1.4, src/common/fxt.c); without the memory StarPU
 * aborts the program.
 */
static int64_t largest_buffer_mib(void)
{
	int64_t pages = sysconf(_SC_PHYS_PAGES), half = pages * sysconf(_SC_PAGESIZE) / 2 >> 20;

	return half < 32767 ? half : 32767;
}

static int64_t better_buffer_mib(const struct work *w)
{
	int64_t enough = trace_mib(w->trace) * 3 / 2 + DEFAULT_BUFFER_MIB, largest = largest_buffer_mib();

	return enough < largest ? enough : largest;
}

/* Whether a larger buffer holds all of the trace, or so much of it that there are few flushes left. */
static int helps_more(const struct work *w)
{
	int64_t better = better_buffer_mib(w);

	return better < largest_buffer_mib() ? w->buffer_mib < better : 4 * w->buffer_mib < better;
}

/* A program that failed or was interrupted is not run again. */
static int may_retry(const struct collect_options *o, const struct collect_result *result)
{
	return o->retry && result->status == 0 && !result->signal;
}

/* Once more in another way, where the first recording shows that it lacks what that would have. */
static int record_as_needed(struct work *w, struct collect_result *result, struct ht_err *err)
{
	const struct collect_options *o = w->o;
	int recorded = record(w, result, err);

	/* Of several programs the ranks of one may be left among those of another, which cannot be read. */
	if (recorded != 0 && !result->lost_programs)
		return -1;
	if (recorded == 0 && !w->whole && may_retry(o, result) && hides_tasks(w)) {
		w->whole = 1;
		o->progress(hides_tasks(w));
		return record(w, result, err);
	}
	if (!may_retry(o, result) || !lacks_library(w, result))
		return recorded;
	w->scheduler = "lws";
	w->whole |= w->trace && trace_executed(w->trace) == 0;
	o->progress(lacks_library(w, result));
	recorded = record(w, result, err);
	if (result->status && result->status < INTERRUPT_STATUS) { /* its own status, not that of a signal */
		w->scheduler = NULL;
		o->progress("the program does not run under STARPU_SCHED=lws: once more as it is");
		recorded = record(w, result, err);
		result->scheduler[0] = '\0';
	}
	return recorded;
}

/* Once more with a larger buffer, if the trace did not fit and that helps. */
static int record_with_larger_buffer(struct work *w, struct collect_result *result, struct ht_err *err)
{
	int64_t before_mib = w->buffer_mib;
	char line[160];

	if (!w->trace->defects.flushes || !may_retry(w->o, result) || !helps_more(w))
		return 0;
	w->buffer_mib = better_buffer_mib(w);
	snprintf(line, sizeof(line),
	         "the trace did not fit in %lld MiB and was flushed to disk during the run: once more with %lld",
	         (long long)before_mib, (long long)w->buffer_mib);
	w->o->progress(line);
	return record(w, result, err);
}

int collect_run(const struct collect_options *o, struct collect_result *result, struct ht_err *err)
{
	struct work w = {.o = o, .models = sampling_dirs(0), .host = machine_host()};
	int rc = -1;

	*result = (struct collect_result){.status = 125};
	input_init(&w.input);
	w.buffer_mib = o->buffer_mib ? o->buffer_mib : DEFAULT_BUFFER_MIB;
	w.whole = o->whole;
	if (o->buffer_mib > largest_buffer_mib()) {
		ht_err_set(err, "--buffer is at most %lld MiB here, since FxT takes twice that of memory, found %lld",
		           (long long)largest_buffer_mib(), (long long)o->buffer_mib);
		goto out;
	}
	if (run_writer_begin(&w.to, o->run, "-o", err) != 0)
		goto out;
	if (o->papi && counters_parse(&w.counters, o->papi, err) != 0) {
		ht_err_wrap(err, "--papi");
		goto out;
	}
	/* FxT writes to the path it was given: a relative one is lost if the application changes its directory. */
	w.fxt = ht_asprintf("%s/fxt", w.to.dir);
	if (find_library(&w, err) != 0)
		goto out;
	if (o->calibrate && calibrate(&w, result, err) != 0)
		goto out;
	if (record_as_needed(&w, result, err) != 0)
		goto out;
	result->whole = w.whole;
	if (record_with_larger_buffer(&w, result, err) != 0)
		goto out;
	if (o->session > result->sessions.count) {
		ht_err_set(err, "--session %d: the program has started StarPU %d time%s, as far as its traces show",
		           o->session, result->sessions.count, plural((uint64_t)result->sessions.count));
		goto out;
	}
	rc = gather(&w, result, err);
out:
	rc = run_writer_end(&w.to, rc, err);
	/* StarPU ends a program whose trace it cannot write. */
	if (w.left_starpu)
		dir_create(w.fxt, NULL);
	trace_free(w.trace);
	counters_fini(&w.counters);
	sampling_dirs_free(w.models);
	free(w.host);
	free(w.fxt);
	free(w.library);
	return rc;
}

/* core/run/run.c - a run directory: one recorded execution, opened as a whole. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/intern.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/perfmodel/model.h"
#include "core/run/footprints.h"
#include "core/run/machine_trace.h"
#include "core/trace/trace.h"

enum { MARK_BYTES = 1 << 12 };

static int name_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths of the files in a directory, sorted; free each and the array. */
static char **list_files(const char *dir, size_t *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **paths = NULL;
	size_t cap = 0;

	*n = 0;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			*VEC_PUSH(paths, *n, cap) = ht_asprintf("%s/%s", dir, e->d_name);
	if (d)
		closedir(d);
	if (*n)
		qsort(paths, *n, sizeof(*paths), name_order);
	return paths;
}

int64_t run_trace_bytes(const char *path)
{
	char *fxt = ht_asprintf("%s/fxt", path);
	int64_t most = 0;
	struct stat st;
	size_t n;
	char **files = list_files(fxt, &n);

	for (size_t i = 0; i < n; i++) {
		if (stat(files[i], &st) == 0 && st.st_size > most)
			most = st.st_size;
		free(files[i]);
	}
	free(files);
	free(fxt);
	return most;
}

/* What `auto` makes has its run within. */
static void not_a_run(const char *path, struct ht_err *err)
{
	char *fxt = ht_asprintf("%s/run/fxt", path), *rec = ht_asprintf("%s/run/tasks.rec", path);
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (file_exists(fxt) || file_exists(rec))
		ht_err_set(err, "%s: not a run directory; did you mean %.*s/run?", path, (int)len, path);
	else
		ht_err_set(err, "%s: has neither fxt/ nor tasks.rec: not a run directory", path);
	free(fxt);
	free(rec);
}

static int is_closed(const char *dir)
{
	return access(dir, R_OK | X_OK) != 0 && errno == EACCES;
}

static struct trace *load_events(const char *path, struct ht_err *err)
{
	char *fxt = ht_asprintf("%s/fxt", path), *rec = ht_asprintf("%s/tasks.rec", path);
	char *data = ht_asprintf("%s/data.rec", path), *paje = ht_asprintf("%s/paje.trace", path);
	const struct trace_rec_files recorded = {.tasks = rec,
	                                         .data = file_exists(data) ? data : NULL,
	                                         .paje = file_exists(paje) ? paje : NULL};
	const char *closed = is_closed(path) ? path : is_closed(fxt) ? fxt : NULL;
	struct trace *t = NULL;
	size_t n;
	char **files = list_files(fxt, &n);

	if (n)
		t = trace_load_fxt((const char *const *)files, (int)n, err);
	else if (file_exists(rec))
		t = trace_load_rec(&recorded, err);
	else if (closed)
		ht_err_set(err, "%s: cannot be read: %s", closed, strerror(EACCES));
	else
		not_a_run(path, err);
	for (size_t i = 0; i < n; i++)
		free(files[i]);
	free(files);
	free(fxt);
	free(rec);
	free(data);
	free(paje);
	return t;
}

/* "cpu cuda"; 0: it is something else. */
static arch_mask parse_where(const char *s)
{
	arch_mask where = 0;

	for (; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
		enum arch a = arch_parse(s, (int)strcspn(s, " "));

		if (a == ARCH_NONE)
			return 0;
		where |= (arch_mask)(1u << a);
	}
	return where;
}

/* Codelets by the string of their label, of which there may be several. */
struct labels {
	struct idmap first;
	uint32_t *next; /* per codelet; IDMAP_NONE: there is none */
};

static void labels_init(struct labels *l, const struct trace *t)
{
	*l = (struct labels){.next = ht_alloc(t->ncodelets, sizeof(*l->next))};
	for (uint32_t i = 0; i < t->ncodelets; i++) {
		l->next[i] = idmap_get(&l->first, t->codelets[i].label);
		idmap_put(&l->first, t->codelets[i].label, i);
	}
}

static void labels_fini(struct labels *l)
{
	idmap_fini(&l->first);
	free(l->next);
}

/* A line of where.tsv, which is cut into its fields. -1: it is none. */
static int load_where_line(struct trace *t, const struct labels *labels, char *line)
{
	char *archs = strchr(line, '\t'), *model = archs ? strchr(archs + 1, '\t') : NULL;
	arch_mask where;

	if (!archs || (model && strcmp(model + 1, "no model") != 0))
		return -1;
	if (model)
		*model = '\0';
	where = parse_where(archs + 1);
	if (!where) {
		if (model)
			*model = '\t';
		return -1;
	}
	*archs = '\0';
	for (uint32_t i = idmap_get(&labels->first, intern_str(t->strings, line)); i != IDMAP_NONE;
	     i = labels->next[i]) {
		t->codelets[i].where |= where;
		t->codelets[i].has_no_model |= model != NULL;
	}
	return 0;
}

/*
 * where.tsv: "codelet<TAB>cpu cuda", and "<TAB>no model". Several lines of one codelet are of several contexts or
 * processes, and hold together; names that the trace does not have are of codelets that did not run.
 */
static int load_where(struct trace *t, const char *path, struct ht_err *err)
{
	struct labels labels;
	char *text, *next;
	int line = 0, rc = 0;

	if (!file_exists(path))
		return 0;
	text = file_read(path, 1 << 30, NULL, err);
	if (!text)
		return -1;
	labels_init(&labels, t);
	for (char *s = text; *s && rc == 0; s = next) {
		line++;
		next = s + strcspn(s, "\n");
		if (next > s && next[-1] == '\r')
			next[-1] = '\0';
		if (*next)
			*next++ = '\0';
		if (*s && load_where_line(t, &labels, s) != 0)
			rc = ht_err_set(err, "%s:%d: expected a codelet, a tab and architectures, found \"%.60s\"",
			                path, line, s);
	}
	labels_fini(&labels);
	free(text);
	return rc;
}

struct trace *run_load_trace(const char *path, struct ht_err *err)
{
	struct trace *t = load_events(path, err);
	char *where = ht_asprintf("%s/where.tsv", path), *footprints = ht_asprintf("%s/footprints.tsv", path);

	if (t &&
	    (load_where(t, where, err) != 0 || (file_exists(footprints) && footprints_load(t, footprints, err) != 0))) {
		trace_free(t);
		t = NULL;
	}
	free(where);
	free(footprints);
	return t;
}

struct model_set *run_load_models(const char *path, const char *host, struct ht_err *err)
{
	struct model_set *set = model_set_create();
	char *dir = ht_asprintf("%s/sampling", path), *lengths = ht_asprintf("%s/lengths.tsv", path);

	if ((file_exists(dir) && model_set_add_dir(set, dir, *host ? host : NULL, err) != 0) ||
	    (file_exists(lengths) && model_set_add_lengths(set, lengths, host, err) != 0)) {
		model_set_free(set);
		set = NULL;
	}
	free(dir);
	free(lengths);
	return set;
}

static struct machine *load_machine(const char *path, const struct trace *t, struct ht_err *err)
{
	char *file = ht_asprintf("%s/machine.xml", path);
	struct machine *m = file_exists(file) ? machine_load(file, err) : machine_from_trace(t, err);

	if (m && (size_t)m->nworkers < t->nworkers) {
		ht_err_set(err, "%s: has %d workers, expected the %zu of the trace", file, m->nworkers, t->nworkers);
		machine_free(m);
		m = NULL;
	}
	free(file);
	return m;
}

/* StarPU's schedulers that give a task to a worker that asks, or to any, whatever it takes there. */
static int gives_by_turn(const char *scheduler)
{
	static const char *const names[] = {"eager",
	                                    "lws",
	                                    "modular-eager",
	                                    "modular-eager-prefetching",
	                                    "modular-eager-prio",
	                                    "modular-prio",
	                                    "modular-prio-prefetching",
	                                    "modular-random",
	                                    "modular-random-prefetching",
	                                    "modular-random-prio",
	                                    "modular-random-prio-prefetching",
	                                    "modular-ws",
	                                    "prio",
	                                    "random",
	                                    "ws"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(scheduler, names[i]) == 0)
			return 1;
	}
	return 0;
}

struct run *run_open_with(const char *path, enum run_durations from, struct ht_err *err)
{
	struct run *r = ht_alloc(1, sizeof(*r));
	char *manifest = ht_asprintf("%s/manifest", path);
	struct dag_options options = {.min_samples = 1};
	struct stat st;
	int rc = -1;

	r->path = ht_strndup(path, strlen(path));
	if (stat(path, &st) != 0) {
		ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISDIR(st.st_mode)) {
		ht_err_set(err, "%s: is a file, expected a run directory made by collect or import", path);
		goto out;
	}
	if (file_exists(manifest) && manifest_load(&r->manifest, manifest, err) != 0)
		goto out;
	r->scheduler = manifest_get(&r->manifest, "scheduler");
	r->command = manifest_get(&r->manifest, "command");
	r->trace = run_load_trace(path, err);
	if (!r->trace)
		goto out;
	r->models = run_load_models(path, manifest_get(&r->manifest, "models_host"), err);
	r->machine = r->models ? load_machine(path, r->trace, err) : NULL;
	options.drop_deps = r->trace;
	options.by_turn = gives_by_turn(r->scheduler);
	options.prefer_model = from == RUN_DEFAULT ? trace_simulated(r->trace) || run_is_generated(r) :
	                                             from == RUN_MODELS;
	r->dag = r->machine ? dag_from_trace(r->trace, r->models, &options, err) : NULL;
	trace_drop_deps(r->trace);
	if (r->dag)
		conditions_of_run(&r->conditions, r->trace, r->dag, r->machine, &r->manifest);
	rc = r->dag ? 0 : ht_err_wrap(err, "%s", path);
out:
	free(manifest);
	if (rc != 0) {
		run_free(r);
		return NULL;
	}
	return r;
}

struct run *run_open(const char *path, struct ht_err *err)
{
	return run_open_with(path, RUN_DEFAULT, err);
}

void run_free(struct run *r)
{
	if (!r)
		return;
	dag_free(r->dag);
	machine_free(r->machine);
	model_set_free(r->models);
	trace_free(r->trace);
	manifest_fini(&r->manifest);
	free(r->path);
	free(r);
}

int run_is_generated(const struct run *r)
{
	return *manifest_get(&r->manifest, "generated") != '\0';
}

int run_is_predicted(const struct run *r)
{
	return *manifest_get(&r->manifest, "predicted") != '\0';
}

int run_has_copies(const struct run *r)
{
	return !run_is_generated(r) && (!run_is_predicted(r) || r->trace->ncopies);
}

/* The first word of a command as the manifest has it, quoted as shell_word() does; NULL: it does not end. free() it. */
static char *first_word(const char *command)
{
	char *word = ht_alloc(strlen(command) + 1, 1);
	size_t len = 0;
	int quoted = 0;

	for (const char *s = command; *s && (quoted || (*s != ' ' && *s != '\t')); s++) {
		if (*s == '\'')
			quoted = !quoted;
		else if (quoted || *s != '\\' || s[1] == '\0')
			word[len++] = *s;
		else
			word[len++] = *++s;
	}
	word[len] = '\0';
	if (!quoted)
		return word;
	free(word);
	return NULL;
}

char *run_name(const struct run *r)
{
	char *name = path_last(r->path), *program;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		char *path = path_absolute(r->path);

		free(name);
		name = path_last(path);
		free(path);
	}
	if (strcmp(name, "run") != 0)
		return name;
	program = first_word(r->command);
	if (program && *program) {
		free(name);
		name = path_last(program);
	}
	free(program);
	return name;
}

/* StarPU's own tools leave a tasks.rec without a manifest. */
static int is_run(const char *dir)
{
	char *fxt = ht_asprintf("%s/fxt", dir), *rec = ht_asprintf("%s/tasks.rec", dir);
	char *manifest = ht_asprintf("%s/manifest", dir);
	int found = file_exists(manifest) && (file_exists(fxt) || file_exists(rec));

	free(manifest);
	free(fxt);
	free(rec);
	return found;
}

/* Whether `name` is of the parts of a run and `dir` is one. */
static int is_part(const char *dir, const char *name)
{
	static const char *const parts[] = {"manifest",   "machine.xml", "fxt",       "tasks.rec",   "data.rec",
	                                    "paje.trace", "sampling",    "where.tsv", "lengths.tsv", "footprints.tsv"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(name, parts[i]) == 0)
			return is_run(dir);
	return 0;
}

/* A path as it is in the file system, where the file itself may be missing. */
static char *resolved(const char *path)
{
	char *dir = path_absolute(path), *slash = strrchr(dir, '/'), *name, *real;

	if (file_exists(dir) || !slash || slash == dir)
		return dir;
	name = ht_strndup(slash + 1, strlen(slash + 1));
	*slash = '\0';
	real = path_absolute(dir);
	free(dir);
	dir = ht_asprintf("%s/%s", real, name);
	free(real);
	free(name);
	return dir;
}

/* Whether the file has the mark, or nothing. Of what is no regular file outfile_open() says what is wrong. */
static int has_mark(const char *path, const char *mark)
{
	char text[MARK_BYTES];
	FILE *f = file_open_stream(path, NULL);
	size_t n = f ? fread(text, 1, MARK_BYTES, f) : 0;

	if (f)
		fclose(f);
	return n == 0 || memmem(text, n, mark, strlen(mark)) != NULL;
}

int run_check_output(const char *path, const char *mark, struct ht_err *err)
{
	char *at = path && strcmp(path, "-") != 0 ? resolved(path) : NULL, *slash;
	int rc = 0;

	while (rc == 0 && at && (slash = strrchr(at, '/')) && slash != at) {
		*slash = '\0';
		if (is_part(at, slash + 1))
			rc = ht_err_set(err, "%s: is of the run %s, which is never overwritten: give another name",
			                path, at);
	}
	free(at);
	if (rc == 0 && path && mark && strcmp(path, "-") != 0 && !has_mark(path, mark))
		rc = ht_err_set(
			err, "%s: is another kind of file, which is never overwritten: give another name, or remove it",
			path);
	return rc;
}

int run_check_directory(const char *path, struct ht_err *err)
{
	if (path && is_run(path))
		return ht_err_set(err, "%s: is a run, which is never changed: give another name", path);
	return run_check_output(path, NULL, err);
}

char *run_output(const struct run *r, const char *ending)
{
	char *name = run_name(r), *output = path_unused(name, ending);

	free(name);
	return output;
}

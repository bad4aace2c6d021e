/* auto/steps.c - the steps of `auto`: numbered, timed, and those left out whose result is there already. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/terminal.h"
#include "core/run/manifest.h"
#include "tune/settings/problem_hash.h"

#define STEPS_FILE "steps"

static void add(struct steps *s, const char *name, uint64_t key)
{
	*VEC_PUSH(s->done, s->ndone, s->cap) = (struct done){ht_strndup(name, strlen(name)), key};
}

void steps_open(struct steps *s, const char *dir, int count)
{
	char *path = ht_asprintf("%s/" STEPS_FILE, dir);
	struct manifest m = {0};

	*s = (struct steps){.dir = dir, .count = count, .lock = -1};
	progress_init(&s->line, stderr);
	if (manifest_load(&m, path, NULL) == 0)
		for (size_t i = 0; i < m.count; i++)
			add(s, m.entries[i].key, strtoull(m.entries[i].value, NULL, 16));
	manifest_fini(&m);
	free(path);
}

static void drop(struct steps *s, size_t left)
{
	while (s->ndone > left)
		free(s->done[--s->ndone].name);
}

void steps_free(struct steps *s)
{
	drop(s, 0);
	free(s->done);
	if (s->lock >= 0)
		close(s->lock);
}

/* One that cannot be read has something in it. */
static int is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (d)
		closedir(d);
	return d && n == 0;
}

int steps_take(struct steps *s, const char *dir, int count, struct ht_err *err)
{
	/* Some file systems have no locks: there nothing is refused. The kernel drops it with the process. */
	int lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		close(lock);
		return ht_err_set(err,
		                  "%s: another heterotune auto is at work there: wait for it, or give -o another place",
		                  dir);
	}
	steps_open(s, dir, count);
	s->lock = lock;
	if (!steps_has(s, STEPS_FIRST) && !is_empty(dir)) {
		steps_free(s);
		return ht_err_set(
			err,
			"%s: has files that heterotune auto has not made, and could replace: give -o a directory "
			"that is new or empty",
			dir);
	}
	return 0;
}

static void print_number(const struct steps *s)
{
	fprintf(stderr, "%s[%d/%d]%s", terminal_style(stderr, TERMINAL_BOLD), s->number, s->count,
	        terminal_style(stderr, TERMINAL_PLAIN));
}

double steps_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void steps_begin(struct steps *s, const char *name, int talks)
{
	s->number++;
	s->begin_s = steps_now_s();
	if (!talks && !s->line.is_terminal)
		return;
	print_number(s);
	s->line.width = talks ? 0 : fprintf(stderr, " %s ...", name) + (int)sizeof("[00/00]");
	if (talks)
		fprintf(stderr, " %s ...\n", name);
	fflush(stderr);
}

static int save(const struct steps *s, struct ht_err *err)
{
	char *path = ht_asprintf("%s/" STEPS_FILE, s->dir);
	struct outfile out;
	int rc = outfile_open(&out, path, err);

	for (size_t i = 0; i < s->ndone && rc == 0; i++)
		fprintf(out.f, "%s: %016" PRIx64 "\n", s->done[i].name, s->done[i].key);
	free(path);
	return rc == 0 ? outfile_commit(&out, err) : -1;
}

/* The place of what was done; their number: it was not. */
static size_t find(const struct steps *s, const char *name)
{
	size_t at = 0;

	while (at < s->ndone && strcmp(s->done[at].name, name) != 0)
		at++;
	return at;
}

int steps_has(const struct steps *s, const char *name)
{
	return find(s, name) < s->ndone;
}

int steps_is_done(const struct steps *s, const char *name, uint64_t key)
{
	size_t at = find(s, name);

	return !s->fresh && at < s->ndone && s->done[at].key == key;
}

int steps_put(struct steps *s, const char *name, uint64_t key, struct ht_err *err)
{
	drop(s, find(s, name));
	add(s, name, key);
	return save(s, err);
}

/* It and what came after it is not done any more, however this one ends. */
static int take_back(struct steps *s, const char *name, struct ht_err *err)
{
	drop(s, find(s, name));
	return save(s, err);
}

int steps_end(struct steps *s, const char *name, uint64_t key, struct ht_err *err)
{
	progress_clear(&s->line);
	print_number(s);
	fprintf(stderr, " %s: %.1f s\n", name, steps_now_s() - s->begin_s);
	s->fresh = 1;
	return steps_put(s, name, key, err);
}

void steps_keep(struct steps *s, const char *name, const char *why)
{
	s->number++;
	print_number(s);
	fprintf(stderr, " %s: %s\n", name, why);
}

int steps_command(const char *dir, const struct command *c, const char *log, enum steps_log what, int argc, char **argv,
                  struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", dir, log);
	int out, errors, fd, status = -1;

	fflush(stdout);
	out = dup(STDOUT_FILENO);
	errors = dup(STDERR_FILENO);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (out < 0 || errors < 0 || fd < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
	    (what == STEPS_LOG_ERRORS_TOO && dup2(fd, STDERR_FILENO) < 0)) {
		ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
	} else {
		status = c->run(argc, argv);
		if (fflush(stdout) != 0 && status == 0)
			status = ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
		dup2(out, STDOUT_FILENO);
		dup2(errors, STDERR_FILENO);
	}
	if (fd >= 0)
		close(fd);
	if (out >= 0)
		close(out);
	if (errors >= 0)
		close(errors);
	free(path);
	return status;
}

uint64_t steps_fingerprint(const char *path)
{
	char *manifest = ht_asprintf("%s/manifest", path), *text;
	struct stat st = {.st_size = 0};
	int is_run = stat(manifest, &st) == 0;
	uint64_t h = 0;
	size_t len;

	text = file_read(is_run ? manifest : path, 1 << 30, &len, NULL);
	if (text)
		h = problem_hash(problem_hash_begin(), text, len);
	if (text && is_run)
		h = problem_hash(h, &st.st_mtim, sizeof(st.st_mtim));
	free(text);
	free(manifest);
	return h;
}

static int is_path(const char *word)
{
	return *word == '@' || *word == '>' || *word == '!';
}

static uint64_t key_of(const struct steps *s, const struct step *step)
{
	uint64_t h = problem_hash_begin();

	for (int i = 0; i < STEP_COMMANDS && step->commands[i].command; i++)
		for (const char *const *w = step->commands[i].words; *w; w++) {
			char *path = **w == '@' ? ht_asprintf("%s/%s", s->dir, *w + 1) : NULL;
			uint64_t input = path ? steps_fingerprint(path) : 0;

			if (strncmp(*w, "--jobs=", 7) != 0)
				h = problem_hash(problem_hash(h, *w, strlen(*w) + 1), &input, sizeof(input));
			free(path);
		}
	return h;
}

/* Whether all that it writes is there. */
static int has_outputs(const struct steps *s, const struct step *step)
{
	int there = 1;

	for (int i = 0; i < STEP_COMMANDS && step->commands[i].command; i++)
		for (const char *const *w = step->commands[i].words; *w && there; w++) {
			char *path = ht_asprintf("%s/%s", s->dir, *w + 1);

			there = **w != '>' && **w != '!' ? 1 : file_exists(path);
			free(path);
		}
	return there;
}

static int run_words(const struct steps *s, const struct step_command *c, struct ht_err *err)
{
	char *argv[STEP_WORDS + 2] = {(char *)c->command->name}, *owned[STEP_WORDS] = {0};
	int argc = 1, status;

	for (const char *const *w = c->words; *w; w++, argc++) {
		argv[argc] = is_path(*w) ? (owned[argc - 1] = ht_asprintf("%s/%s", s->dir, *w + 1)) : (char *)*w;
		if (**w == '!')
			dir_remove(argv[argc]);
		else if (**w == '>')
			unlink(argv[argc]);
	}
	status = steps_command(s->dir, c->command, c->log, STEPS_LOG_OUTPUT, argc, argv, err);
	for (int i = 0; i < STEP_WORDS; i++)
		free(owned[i]);
	return status;
}

int steps_run(struct steps *s, const struct step *step, struct ht_err *err)
{
	uint64_t key = key_of(s, step);
	int status = STATUS_DONE;

	if (steps_is_done(s, step->name, key) && has_outputs(s, step)) {
		steps_keep(s, step->name, "as before");
		return STATUS_DONE;
	}
	if (take_back(s, step->name, err) != 0)
		return -1;
	steps_begin(s, step->name, step->talks);
	for (int i = 0; i < STEP_COMMANDS && step->commands[i].command && status == STATUS_DONE; i++)
		status = run_words(s, &step->commands[i], err);
	if (status != STATUS_DONE) {
		progress_clear(&s->line);
		return status;
	}
	return steps_end(s, step->name, key, err);
}

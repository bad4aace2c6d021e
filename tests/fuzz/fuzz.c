/* tests/fuzz/fuzz.c - damaged files and command lines, thousands of them: an answer or one sentence, nothing else. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DIR has good files (tests/fuzz/run makes them), which are damaged in place, one at a time, and made good again.
 * Mutant number n of a seed is always the same one; what failed is kept in DIR/failures.
 *
 * Commands run in a child: it starts hundreds of them, which costs no process each, and where one crashes, hangs or
 * takes all memory, another child goes on after it.
 */
#include <fnmatch.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "tests/fuzz/formats.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/verdict.h"

enum { MAX_FORMATS = 32, MAX_WORDS = 64, MAX_FILE = 64 << 20, PER_CHILD = 500, COMMANDS_EACH = 2, BASE = 10 };

/* A command may take this long, as time of processors and in all; and so much memory. */
enum { CPU_S = 10, WALL_S = 120, MEMORY_MB = 1024 };

struct good {
	char *path;
	struct mutant content;
};

/* Shared with the child: where it is. */
struct progress {
	uint64_t next; /* mutant */
	const struct good *file;
	char command[512]; /* of the mutant before */
	uint64_t done[MAX_FORMATS], refused[MAX_FORMATS], failed[MAX_FORMATS];
	int format;
};

struct fuzz {
	int64_t seed, first, mutants, seconds;
	const char *only, *refusals;
	struct good *files[MAX_FORMATS];
	size_t nfiles[MAX_FORMATS], cap_files[MAX_FORMATS];
	int active[MAX_FORMATS], nactive;
	const char *run; /* a good one */
	struct verdict verdict;
	struct progress *progress;
	FILE *log;  /* of refusals, may be NULL */
	time_t end; /* 0: none */
};

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=1024:hard_rss_limit_mb=2048:quarantine_size_mb=32:detect_stack_use_after_return=0";
}
#endif

static void write_file(const char *path, const struct mutant *m)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(m->data, 1, m->size_bytes, f) != m->size_bytes || fclose(f) != 0) {
		perror(path);
		abort();
	}
}

/* nftw() has no context. */
static struct fuzz *walking;

static int see(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (kind != FTW_F)
		return 0;
	for (int f = 0; formats[f].name; f++)
		if (fnmatch(formats[f].files, path + 2, 0) == 0) {
			struct good *g = VEC_PUSH(walking->files[f], walking->nfiles[f], walking->cap_files[f]);

			g->path = ht_strndup(path + 2, strlen(path + 2));
			g->content.data = file_read(path, MAX_FILE, &g->content.size_bytes, NULL);
			return g->content.data ? 0 : -1;
		}
	return 0;
}

static int path_order(const void *a, const void *b)
{
	return strcmp(((const struct good *)a)->path, ((const struct good *)b)->path);
}

static int find_files(struct fuzz *z, struct ht_err *err)
{
	walking = z;
	if (nftw(".", see, 16, FTW_PHYS) != 0)
		return ht_err_set(err, "the good files cannot be read");
	for (int f = 0; formats[f].name; f++) {
		if (z->nfiles[f])
			qsort(z->files[f], z->nfiles[f], sizeof(struct good), path_order);
		if (z->nfiles[f] && (!z->only || strcmp(z->only, formats[f].name) == 0))
			z->active[z->nactive++] = f;
	}
	if (!z->nfiles[0])
		return ht_err_set(err, "no good file of %s: expected %s", formats[0].name, formats[0].files);
	z->run = ht_strndup(z->files[0][0].path, (size_t)(strrchr(z->files[0][0].path, '/') - z->files[0][0].path));
	return z->nactive ? 0 : ht_err_set(err, "no good files%s%s", z->only ? " of " : "", z->only ? z->only : "");
}

/* The run directory that a file is in. */
static char *run_of(const struct fuzz *z, const char *path)
{
	const char *end = strncmp(path, "runs/", 5) == 0 ? strchr(path + 5, '/') : NULL;

	return end ? ht_strndup(path, (size_t)(end - path)) : ht_strndup(z->run, strlen(z->run));
}

/* A word with `@` and `%` replaced. */
static char *fill(const char *word, size_t len, const char *file, const char *run)
{
	char *text = ht_strndup("", 0);

	for (size_t i = 0; i < len; i++) {
		char one[2] = {word[i], '\0'}, *longer;

		longer = ht_asprintf("%s%s", text, one[0] == '@' ? file : one[0] == '%' ? run : one);
		free(text);
		text = longer;
	}
	return text;
}

static void keep(const struct fuzz *z, const char *why)
{
	const struct progress *p = z->progress;
	const char *base = strrchr(p->file->path, '/');
	char *path = ht_asprintf("failures/%" PRId64 "-%" PRIu64 "-%s", z->seed, p->next - 1,
	                         base ? base + 1 : p->file->path);

	dir_create("failures", NULL);
	if (formats[p->format].commands)
		file_copy(p->file->path, path, NULL);
	printf("# %s: --seed %" PRId64 " --first %" PRIu64 "%s%s: %s: %s: %s\n", formats[p->format].name, z->seed,
	       p->next - 1, z->only ? " --only " : "", z->only ? z->only : "", p->file->path, p->command, why);
	fflush(stdout);
	free(path);
}

/* Whoever writes a number of five digits into a command line may wait, and run out of memory. */
static int asks_for_much(const struct fuzz *z)
{
	const char *s = z->progress->command;
	int digits = 0;

	for (; *s && digits < 5; s++)
		digits = *s >= '0' && *s <= '9' ? digits + 1 : 0;
	return !formats[z->progress->format].commands && digits == 5;
}

static void limit_time(int cpu_s, int wall_s)
{
	setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = cpu_s}, NULL);
	alarm((unsigned)wall_s);
}

static void run_command(struct fuzz *z, int report, const char *command, const char *file, int *refused)
{
	struct progress *p = z->progress;
	char *words[MAX_WORDS + 1], *run = run_of(z, file);
	const char *wrong;
	int n = 0, status;

	snprintf(p->command, sizeof(p->command), "%s", command);
	for (const char *s = command; *s && n < MAX_WORDS; s += strcspn(s, " "), s += strspn(s, " "))
		words[n++] = fill(s, strcspn(s, " "), file, run);
	words[n] = NULL;
	if (n) {
		char **given = ht_alloc((size_t)n + 1, sizeof(*given)); /* commands move them */

		memcpy(given, words, (size_t)n * sizeof(*given));
		limit_time(asks_for_much(z) ? 1 : CPU_S, WALL_S);
		wrong = verdict_run(&z->verdict, n, given, &status);
		limit_time(0, 0);
		free(given);
		*refused |= status == STATUS_CANNOT;
		if (status == STATUS_CANNOT && z->log)
			verdict_log(&z->verdict, z->log, formats[p->format].name);
		if (wrong) {
			int saved = dup(1);

			dup2(report, 1);
			keep(z, wrong);
			dup2(saved, 1);
			close(saved);
			p->failed[p->format]++;
		}
	}
	while (n > 0)
		free(words[--n]);
	free(run);
}

/* One of the lines, without its end. */
static struct mutant pick_command(const struct mutant *m, uint64_t *state)
{
	size_t at = mutate_pick(state, m->size_bytes), end = at;

	while (at > 0 && m->data[at - 1] != '\n')
		at--;
	while (end < m->size_bytes && m->data[end] != '\n')
		end++;
	return (struct mutant){ht_strndup(m->data + at, end - at), end - at};
}

/* A command line with something wrong in it; it stays in this directory. */
static struct mutant mutate_command(const struct mutant *lines, uint64_t *state)
{
	struct mutant a = pick_command(lines, state), b = pick_command(lines, state), m = mutate(&a, &b, state);

	for (size_t i = 0; i < m.size_bytes; i++)
		if (!m.data[i] || m.data[i] == '\n' || m.data[i] == '/')
			m.data[i] = ' ';
	free(a.data);
	free(b.data);
	a.data = ht_strndup(m.data, m.size_bytes);
	a.size_bytes = m.size_bytes;
	free(m.data);
	return a;
}

static void one(struct fuzz *z, int report)
{
	struct progress *p = z->progress;
	uint64_t number = p->next++, state = mutate_seed((uint64_t)z->seed, number);
	uint64_t turn = number / (uint64_t)z->nactive;
	int f = z->active[number % (uint64_t)z->nactive], refused = 0;
	const struct good *g = &z->files[f][mutate_pick(&state, z->nfiles[f])];
	const struct good *other = &z->files[f][mutate_pick(&state, z->nfiles[f])];
	struct mutant m;

	p->format = f;
	p->file = g;
	p->command[0] = '\0';
	if (formats[f].commands) {
		size_t n = 0;

		while (formats[f].commands[n])
			n++;
		m = mutate(&g->content, &other->content, &state);
		write_file(g->path, &m);
		for (int i = 0; i < COMMANDS_EACH; i++)
			run_command(z, report, formats[f].commands[i ? mutate_pick(&state, n) : turn % n], g->path,
			            &refused);
		write_file(g->path, &g->content);
	} else {
		m = mutate_command(&g->content, &state);
		run_command(z, report, m.data, g->path, &refused);
	}
	free(m.data);
	p->done[f]++;
	p->refused[f] += (uint64_t)refused;
}

static int finished(const struct fuzz *z)
{
	return (z->end && time(NULL) >= z->end) ||
	       (z->mutants && z->progress->next >= (uint64_t)z->first + (uint64_t)z->mutants);
}

static void child(struct fuzz *z)
{
	int report = dup(1);

	setenv("PATH", "/nonexistent", 1); /* no gnuplot: a process each */
	dup2(z->verdict.out, 1);
	dup2(z->verdict.err, 2);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)2 * MEMORY_MB << 20, (rlim_t)2 * MEMORY_MB << 20});
#endif
	for (int i = 0; i < PER_CHILD && !finished(z); i++)
		one(z, report);
	close(report);
}

static void print_end(struct fuzz *z, int status)
{
	const struct progress *p = z->progress;
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	char why[64];

	if (sig == SIGPROF || sig == SIGALRM)
		snprintf(why, sizeof(why), "it takes more than %d s", sig == SIGPROF ? CPU_S : WALL_S);
	else if (sig)
		snprintf(why, sizeof(why), "it is ended by signal %d", sig);
	else
		snprintf(why, sizeof(why), "it ends the process with status %d", WEXITSTATUS(status));
	if (!asks_for_much(z)) {
		z->progress->failed[p->format]++;
		keep(z, why);
		verdict_print(&z->verdict, stdout);
	}
	verdict_clear();
	write_file(p->file->path, &p->file->content);
}

static int fuzz_all(struct fuzz *z)
{
	struct progress *p = z->progress;
	uint64_t failed = 0;
	time_t began = time(NULL);

	while (!finished(z)) {
		int status = 0;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			child(z);
			exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			abort();
		if (status != 0)
			print_end(z, status);
	}
	for (int i = 0; i < z->nactive; i++) {
		int f = z->active[i];

		failed += p->failed[f];
		if (p->failed[f])
			printf("FAIL %s: %" PRIu64 " failures\n", formats[f].name, p->failed[f]);
		else if (p->done[f] >= PER_CHILD && !p->refused[f] && !formats[f].passed_over)
			printf("FAIL %s: none of %" PRIu64 " mutants is refused\n", formats[f].name, p->done[f]);
		else
			printf("ok %s\n# %" PRIu64 " mutants, %" PRIu64 " refused\n", formats[f].name, p->done[f],
			       p->refused[f]);
	}
	printf("# %" PRIu64 " mutants of seed %" PRId64 ", %.0f a second, %" PRIu64 " failures\n",
	       p->next - (uint64_t)z->first, z->seed,
	       (double)(p->next - (uint64_t)z->first) / (double)(time(NULL) - began + 1), failed);
	return failed != 0;
}

int main(int argc, char **argv)
{
	static struct fuzz z = {.seed = 1}; /* a leak checker looks here for what it has */
	const struct option_spec specs[] = {
		{OPTION_INT, 0, "seed", &z.seed, "N", "which sequence of mutants (default: 1)"},
		{OPTION_INT, 0, "first", &z.first, "N", "begin with this one of it (default: 0)"},
		{OPTION_INT, 0, "mutants", &z.mutants, "N", "so many (default: no limit)"},
		{OPTION_INT, 0, "seconds", &z.seconds, "N", "until then (default: 60, or no limit with --mutants)"},
		{OPTION_TEXT, 0, "only", &z.only, "FORMAT", "of this format alone"},
		{OPTION_TEXT, 0, "refusals", &z.refusals, "FILE", "write what the commands say when they refuse"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "fuzz",
		.synopsis = "DIR",
		.summary = "Damages good files in many ways: the tool must survive.",
	};
	struct ht_err err = {""};
	int n = options_parse(argc, argv, specs, &usage, &err);

	if (n == OPTIONS_SHOWN)
		return STATUS_DONE;
	if (n >= 0 && n != 1)
		n = ht_err_set(&err, "expected the directory of good files, found %d", n);
	if (n >= 0 && z.refusals && !(z.log = fopen(z.refusals, "w")))
		n = ht_err_set(&err, "%s: cannot be written", z.refusals);
	if (n >= 0 && (chdir(argv[0]) != 0 || find_files(&z, &err) != 0)) {
		n = -1;
		ht_err_wrap(&err, "%s", argv[0]);
	}
	if (n < 0)
		return command_error("fuzz", &err);
	z.end = z.mutants && !z.seconds ? 0 : time(NULL) + (z.seconds ? z.seconds : 60);
	z.progress = mmap(NULL, sizeof(*z.progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (z.progress == MAP_FAILED)
		abort();
	z.progress->next = (uint64_t)z.first;
	verdict_open(&z.verdict);
	return fuzz_all(&z);
}

/* tests/lib/fault_each.c - every call that may fail does, one at a time, in one run of a program: fault_preload.c. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "tests/lib/fault_each.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FILES = 16, MAX_FDS = 64, MAX_OUTCOMES = 1 << 12, PATH_BYTES = 4096, MAX_SECONDS = 600 };

struct file {
	char name[256];
	mode_t mode;
	char *data;
	size_t size;
};

struct folder {
	struct file files[MAX_FILES];
	int n;
};

/* A harness that cannot do what it promises must not pass for a program that stands all faults. */
_Noreturn static void give_up(const char *what)
{
	dprintf(STDERR_FILENO, "fault_each: %s: %s\n", what, strerror(errno));
	_exit(99);
}

static char *content(const char *path, size_t *size)
{
	const int fd = open(path, O_RDONLY);
	struct stat st;
	char *data;

	if (fd < 0 || fstat(fd, &st) != 0)
		give_up(path);
	*size = (size_t)st.st_size;
	data = malloc(*size + 1);
	if (!data || pread(fd, data, *size, 0) != (ssize_t)*size)
		give_up(path);
	close(fd);
	return data;
}

static void put(const char *path, const char *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		give_up(path);
	close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

/* The working directory. */
static void look(struct folder *f)
{
	DIR *d = opendir(".");
	struct dirent *e;
	struct stat st;

	if (!d)
		give_up("the working directory");
	f->n = 0;
	while ((e = readdir(d)) != NULL) {
		struct file *file = &f->files[f->n];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (f->n == MAX_FILES || lstat(e->d_name, &st) != 0 || !S_ISREG(st.st_mode))
			give_up(e->d_name);
		strcpy(file->name, e->d_name);
		file->mode = st.st_mode & 07777;
		file->data = content(file->name, &file->size);
		f->n++;
	}
	closedir(d);
	qsort(f->files, (size_t)f->n, sizeof(*f->files), by_name);
}

static void forget(struct folder *f)
{
	while (f->n > 0)
		free(f->files[--f->n].data);
}

/* Each file has a second name while the child runs: one that the child unlinks is the same file again afterwards. */
static void second_name(char *name, const char *dir, int i)
{
	snprintf(name, PATH_BYTES, "%s/file-%d", dir, i);
}

static void save(struct folder *f, const char *dir)
{
	char name[PATH_BYTES];

	look(f);
	for (int i = 0; i < f->n; i++) {
		second_name(name, dir, i);
		if (link(f->files[i].name, name) != 0)
			give_up(name);
	}
}

static void restore(struct folder *before, struct folder *now, const char *dir)
{
	char name[PATH_BYTES];

	for (int i = 0; i < now->n; i++)
		if (unlink(now->files[i].name) != 0)
			give_up(now->files[i].name);
	for (int i = 0; i < before->n; i++) {
		second_name(name, dir, i);
		if (rename(name, before->files[i].name) != 0 ||
		    chmod(before->files[i].name, before->files[i].mode) != 0)
			give_up(before->files[i].name);
		put(before->files[i].name, before->files[i].data, before->files[i].size);
	}
	forget(before);
	forget(now);
}

static uint64_t hash(uint64_t h, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* Of how a child ended. A journal is another one at each call, and a temporary has a random name. */
static int is_new(int status, const char *out, size_t out_size, const char *err, size_t err_size,
                  const struct folder *now)
{
	static uint64_t seen[MAX_OUTCOMES];
	static int n_seen;
	uint64_t h = hash(hash((uint64_t)status + 1, out, out_size), err, err_size);

	for (int i = 0; i < now->n; i++) {
		const struct file *f = &now->files[i];
		const char *random = strstr(f->name, ".new."), *journal = strstr(f->name, ".journal");

		h = hash(h, f->name, random ? (size_t)(random - f->name) + 1 : strlen(f->name));
		h = hash(h, f->data, journal || random ? 0 : f->size);
	}
	for (int i = 0; i < n_seen; i++)
		if (seen[i] == h)
			return 0;
	if (n_seen == MAX_OUTCOMES)
		give_up("too many outcomes");
	seen[n_seen++] = h;
	return 1;
}

static void keep(const char *dir, unsigned long call, int status, const char *out, size_t out_size, const char *err,
                 size_t err_size, const struct folder *now)
{
	char path[PATH_BYTES], number[16];
	int at = snprintf(path, sizeof(path), "%s/%lu", dir, call);

	mkdir(path, 0700);
	strcpy(path + at, "/stdout");
	put(path, out, out_size);
	strcpy(path + at, "/stderr");
	put(path, err, err_size);
	strcpy(path + at, "/status");
	put(path, number, (size_t)snprintf(number, sizeof(number), "%d\n", status));
	at += snprintf(path + at, sizeof(path) - (size_t)at, "/work");
	mkdir(path, 0700);
	for (int i = 0; i < now->n; i++) {
		snprintf(path + at, sizeof(path) - (size_t)at, "/%s", now->files[i].name);
		put(path, now->files[i].data, now->files[i].size);
	}
}

/* What the child left, by its status, its output and its files. */
static void note_end(const char *dir, unsigned long call, int status, const struct folder *now)
{
	static unsigned long children, ended;
	char path[PATH_BYTES], numbers[64], *out, *err;
	size_t out_size, err_size;

	out = content("/proc/self/fd/1", &out_size);
	err = content("/proc/self/fd/2", &err_size);
	if (is_new(status, out, out_size, err, err_size, now))
		keep(dir, call, status, out, out_size, err, err_size, now);
	free(out);
	free(err);
	children++;
	ended += status >= 2;
	snprintf(path, sizeof(path), "%s/ended", dir);
	put(path, numbers, (size_t)snprintf(numbers, sizeof(numbers), "%lu %lu\n", children, ended));
}

int fault_in_child(const char *dir, unsigned long call)
{
	static struct folder before, now;
	off_t at[MAX_FDS];
	struct stat st[3];
	int status;
	pid_t pid;

	/* Parent and child share where they are in a file. */
	for (int fd = 0; fd < MAX_FDS; fd++)
		at[fd] = lseek(fd, 0, SEEK_CUR);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &st[fd]) != 0 || !S_ISREG(st[fd].st_mode))
			give_up("standard output and error are to be files");
	save(&before, dir);
	pid = fork();
	if (pid < 0)
		give_up("fork");
	if (pid == 0) {
		alarm(MAX_SECONDS);
		return 1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			give_up("waitpid");
	look(&now);
	note_end(dir, call, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), &now);
	restore(&before, &now, dir);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (ftruncate(fd, st[fd].st_size) != 0)
			give_up("standard output");
	for (int fd = 0; fd < MAX_FDS; fd++)
		if (at[fd] >= 0)
			lseek(fd, at[fd], SEEK_SET);
	return 0;
}

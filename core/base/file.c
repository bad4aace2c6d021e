/* core/base/file.c - files and directories: read, written whole, copied, removed, named. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"

enum { ATTEMPTS = 100 }; /* to find a name that nobody has */

/* "PATH.new.1f2e3d4c", a name that nobody can foresee; free() it. NULL: errno says why. */
static char *random_name(const char *path)
{
	uint32_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return NULL;
	return ht_asprintf("%s.new.%08" PRIx32, path, number);
}

/* Makes a file of such a name, never one that is there; the mode is that of `old` where that is not NULL. */
static int open_beside(struct outfile *o, const struct stat *old)
{
	int fd = -1;

	for (int i = 0; i < ATTEMPTS && fd < 0 && (i == 0 || errno == EEXIST); i++) {
		free(o->tmp);
		o->tmp = random_name(o->target ? o->target : o->path);
		if (o->tmp)
			fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, old ? 0600 : 0666);
	}
	if (fd < 0) {
		free(o->tmp);
		o->tmp = NULL;
	} else if (old && fchmod(fd, old->st_mode & 0777) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int outfile_open(struct outfile *o, const char *path, struct ht_err *err)
{
	struct stat st, link;
	int fd, exists = stat(path, &st) == 0, is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);

	*o = (struct outfile){0};
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return 0;
	}
	if (exists && S_ISDIR(st.st_mode))
		return ht_err_set(err, "%s: is a directory, expected a file to write", path);
	if (is_link && !exists)
		return ht_err_set(err, "%s: is a symbolic link that leads to no file: %s", path, strerror(errno));
	o->path = ht_strndup(path, strlen(path));
	o->target = is_link ? realpath(path, NULL) : NULL;
	/* A device or a pipe is written in place: renaming onto /dev/stdout would replace it. */
	if (exists && !S_ISREG(st.st_mode))
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		fd = is_link && !o->target ? -1 : open_beside(o, exists ? &st : NULL);
	o->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->f)
		return 0;
	ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	outfile_abort(o);
	return -1;
}

static int fail(struct outfile *o, struct ht_err *err)
{
	ht_err_set(err, "%s: cannot be written: %s", o->path ? o->path : "standard output",
	           errno ? strerror(errno) : "write error");
	outfile_abort(o);
	return -1;
}

int outfile_flush(struct outfile *o, struct ht_err *err)
{
	int bad;

	errno = 0;
	bad = ferror(o->f) || fflush(o->f) != 0;
	if (bad && errno == 0) {
		/*
		 * An earlier write failed and its reason is gone. What was written is lost: one more write brings it
		 * back.
		 */
		clearerr(o->f);
		if (putc('\n', o->f) == EOF || fflush(o->f) != 0)
			clearerr(o->f);
	}
	bad |= o->tmp && fsync(fileno(o->f)) != 0;
	return bad ? fail(o, err) : 0;
}

int outfile_commit(struct outfile *o, struct ht_err *err)
{
	int bad = 0;

	if (outfile_flush(o, err) != 0)
		return -1;
	if (o->path) {
		bad = fclose(o->f) != 0;
		o->f = NULL;
	}
	if (!bad && o->tmp)
		bad = rename(o->tmp, o->target ? o->target : o->path) != 0;
	if (bad)
		return fail(o, err);
	free(o->tmp);
	o->tmp = NULL;
	outfile_abort(o);
	return 0;
}

int outfile_check(const char *path, struct ht_err *err)
{
	struct outfile o;
	struct stat st;

	/* The reader of a pipe would see its end. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return access(path, W_OK) == 0 ? 0 :
		                                 ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
	if (outfile_open(&o, path, err) != 0)
		return -1;
	outfile_abort(&o);
	return 0;
}

void outfile_abort(struct outfile *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	if (o->tmp)
		unlink(o->tmp);
	free(o->tmp);
	free(o->target);
	free(o->path);
	*o = (struct outfile){0};
}

int file_open(const char *path, struct stat *st, struct ht_err *err)
{
	/* Opening a pipe waits for its writer; a regular file does not know O_NONBLOCK. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, st) != 0)
		ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
	else if (S_ISDIR(st->st_mode))
		ht_err_set(err, "%s: is a directory, expected a file", path);
	else if (!S_ISREG(st->st_mode))
		ht_err_set(err, "%s: is a pipe or a device, expected a file", path);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void file_skip_mark(int fd)
{
	static const char mark[] = "\xef\xbb\xbf";
	char start[sizeof(mark) - 1];

	if (pread(fd, start, sizeof(start), 0) == sizeof(start) && memcmp(start, mark, sizeof(start)) == 0)
		lseek(fd, sizeof(start), SEEK_SET);
}

FILE *file_open_stream(const char *path, struct ht_err *err)
{
	struct stat st;
	int fd = file_open(path, &st, err);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");

	if (fd >= 0 && !f) {
		ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
		close(fd);
	}
	if (f)
		file_skip_mark(fd);
	return f;
}

char *file_read(const char *path, size_t max_bytes, size_t *len, struct ht_err *err)
{
	FILE *f = file_open_stream(path, err);
	size_t used = 0, cap = 1 << 14;
	char *buf = NULL;
	struct stat st;

	if (!f)
		return NULL;
	if (fstat(fileno(f), &st) == 0 && st.st_size > 0 && (size_t)st.st_size < max_bytes)
		cap = (size_t)st.st_size + 2;
	buf = ht_alloc(cap, 1);
	for (;;) {
		used += fread(buf + used, 1, cap - used - 1, f);
		if (used < cap - 1)
			break;
		if (used >= max_bytes) {
			ht_err_set(err, "%s: is larger than the %zu bytes that such a file can have", path, max_bytes);
			goto fail;
		}
		cap = cap < max_bytes / 2 ? cap * 2 : max_bytes + 2;
		buf = ht_realloc(buf, cap, 1);
	}
	if (ferror(f)) {
		ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
		goto fail;
	}
	if (used > max_bytes) {
		ht_err_set(err, "%s: is larger than the %zu bytes that such a file can have", path, max_bytes);
		goto fail;
	}
	buf[used] = '\0';
	if (!len && strlen(buf) != used) {
		ht_err_set(err, "%s: a byte 0 at offset %zu, expected text", path, strlen(buf));
		goto fail;
	}
	if (len)
		*len = used;
	goto out;
fail:
	free(buf);
	buf = NULL;
out:
	fclose(f);
	return buf;
}

enum { MAX_DEPTH = 16 };

int dir_create(const char *path, struct ht_err *err)
{
	char *p = ht_strndup(path, strlen(path));
	struct stat st;
	int rc = 0;

	for (char *s = p + (*p == '/'); *s; s++)
		if (*s == '/') {
			*s = '\0';
			mkdir(p, 0777);
			*s = '/';
		}
	if (mkdir(p, 0777) != 0 && (errno != EEXIST || stat(p, &st) != 0 || !S_ISDIR(st.st_mode)))
		rc = ht_err_set(err, "%s: cannot be made a directory: %s", path, strerror(errno));
	free(p);
	return rc;
}

/* Into the deepest directory of the path that is there: whoever may do anything cannot make one in /proc. */
int dir_check(const char *path, struct ht_err *err)
{
	char *there = ht_asprintf("%s%s", *path == '/' ? "" : "./", path), *within, *name;
	int rc = 0;

	while (!file_exists(there) && strrchr(there, '/') > there)
		*strrchr(there, '/') = '\0';
	within = ht_asprintf("%s/check", file_exists(there) ? there : "");
	name = random_name(within);
	if (name && mkdir(name, 0777) == 0)
		rmdir(name);
	else
		rc = ht_err_set(err, "%s: cannot be made a directory, or takes no files: %s", path, strerror(errno));
	free(name);
	free(within);
	free(there);
	return rc;
}

char *dir_create_beside(const char *path, struct ht_err *err)
{
	char *parent = ht_strndup(path, strlen(path)), *slash = strrchr(parent, '/'), *name = NULL;
	int rc = 0;

	if (slash && slash > parent) {
		*slash = '\0';
		rc = dir_create(parent, err);
	}
	free(parent);
	if (rc != 0)
		return NULL;
	for (int i = 0; i < ATTEMPTS && (i == 0 || errno == EEXIST); i++) {
		free(name);
		name = random_name(path);
		if (name && mkdir(name, 0777) == 0)
			return name;
	}
	ht_err_set(err, "%s: cannot be made a directory: %s", path, strerror(errno));
	free(name);
	return NULL;
}

int file_copy(const char *from, const char *to, struct ht_err *err)
{
	struct outfile o = {0};
	char buf[1 << 16];
	FILE *f = file_open_stream(from, err);
	size_t n;
	int rc = -1;

	if (!f)
		return -1;
	rewind(f); /* a copy has its mark, too */
	if (outfile_open(&o, to, err) != 0)
		goto out;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		fwrite(buf, 1, n, o.f);
	if (ferror(f)) {
		ht_err_set(err, "%s: cannot be read: %s", from, strerror(errno));
		goto out;
	}
	rc = outfile_commit(&o, err);
out:
	outfile_abort(&o);
	fclose(f);
	return rc;
}

int file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

void dir_remove(const char *path)
{
	nftw(path, remove_entry, MAX_DEPTH, FTW_DEPTH | FTW_PHYS);
}

static int copy_all(const char *from, const char *to, int depth, struct ht_err *err);

static int copy_entry(const char *from, const char *to, int depth, struct ht_err *err)
{
	struct stat st;

	if (lstat(from, &st) != 0)
		return ht_err_set(err, "%s: cannot be read: %s", from, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return copy_all(from, to, depth + 1, err);
	return S_ISREG(st.st_mode) ? file_copy(from, to, err) : 0;
}

static int copy_all(const char *from, const char *to, int depth, struct ht_err *err)
{
	DIR *d = depth < MAX_DEPTH ? opendir(from) : NULL;
	struct dirent *e;
	int rc = 0;

	if (!d)
		return ht_err_set(err, "%s: %s", from,
		                  depth < MAX_DEPTH ? strerror(errno) : "too many directories within each other");
	rc = dir_create(to, err);
	while (rc == 0 && (e = readdir(d))) {
		char *a, *b;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		a = ht_asprintf("%s/%s", from, e->d_name);
		b = ht_asprintf("%s/%s", to, e->d_name);
		rc = copy_entry(a, b, depth, err);
		free(a);
		free(b);
	}
	closedir(d);
	return rc;
}

int dir_copy(const char *from, const char *to, struct ht_err *err)
{
	return copy_all(from, to, 0, err);
}

char *path_absolute(const char *path)
{
	char *real = realpath(path, NULL), *cwd, *joined;

	if (real)
		return real;
	cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	joined = cwd ? ht_asprintf("%s/%s", cwd, path) : ht_strndup(path, strlen(path));
	for (size_t len = strlen(joined); len > 1 && joined[len - 1] == '/'; len--)
		joined[len - 1] = '\0';
	free(cwd);
	return joined;
}

char *path_numbered(const char *of, const char *ending, int number)
{
	char *base = path_last(of), *name;
	size_t len = strlen(base);

	if (len > 3 && strcmp(base + len - 3, ".ht") == 0)
		base[len - 3] = '\0';
	name = number == 1 ? ht_asprintf("%s%s", base, ending) : ht_asprintf("%s-%d%s", base, number, ending);
	free(base);
	return name;
}

char *path_unused(const char *of, const char *ending)
{
	char *name = path_numbered(of, ending, 1);

	for (int i = 2; file_exists(name); i++) {
		free(name);
		name = path_numbered(of, ending, i);
	}
	return name;
}

char *path_last(const char *path)
{
	size_t len = strlen(path), from;

	while (len > 1 && path[len - 1] == '/')
		len--;
	from = len;
	while (from > 0 && path[from - 1] != '/')
		from--;
	return ht_strndup(path + from, len - from);
}

int path_has_program(const char *name)
{
	const char *dirs = getenv("PATH");

	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		char *path = ht_asprintf("%.*s/%s", (int)len, dirs, name);
		int found = len > 0 && access(path, X_OK) == 0;

		free(path);
		if (found)
			return 1;
		dirs += len + (dirs[len] == ':');
	}
	return 0;
}

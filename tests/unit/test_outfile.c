/* tests/unit/test_outfile.c - outputs keep what was there, and inputs are regular files. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "core/base/err.h"
#include "core/trace/fxt.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_file.h"

static char dir[] = "/tmp/test_outfile_XXXXXX";

static void write_to(const char *path, const char *text)
{
	struct outfile o;
	struct ht_err err = {""};

	CHECK_INT(outfile_open(&o, path, &err), 0);
	CHECK_STR(err.text, "");
	if (o.f)
		fputs(text, o.f);
	CHECK_INT(o.f && outfile_commit(&o, &err), 0);
}

static void holds(const char *path, const char *text)
{
	char *found = file_read(path, 1000, NULL, NULL);

	CHECK_STR(found, text);
	free(found);
}

static unsigned mode_of(const char *path)
{
	struct stat st = {0};

	CHECK_INT(lstat(path, &st), 0);
	return st.st_mode;
}

static int entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void modes_stay(void)
{
	umask(027);
	write_to("new", "one");
	CHECK_INT(mode_of("new"), S_IFREG | 0640);
	CHECK_INT(chmod("new", 0604), 0);
	write_to("new", "two");
	CHECK_INT(mode_of("new"), S_IFREG | 0604);
	holds("new", "two");
	unlink("new");
}

static void links_stay(void)
{
	struct outfile o;
	struct ht_err err = {""};

	CHECK_INT(mkdir("below", 0777), 0);
	write_to("below/real", "one");
	CHECK_INT(chmod("below/real", 0600), 0);
	CHECK_INT(symlink("below/real", "link"), 0);
	CHECK_INT(symlink("link", "second"), 0);
	write_to("second", "two");
	CHECK(S_ISLNK(mode_of("second")) && S_ISLNK(mode_of("link")));
	CHECK_INT(mode_of("below/real"), S_IFREG | 0600);
	holds("below/real", "two");
	unlink("below/real");
	CHECK_INT(outfile_open(&o, "link", &err), -1);
	CHECK_STR(err.text, "link: is a symbolic link that leads to no file: No such file or directory");
	CHECK(S_ISLNK(mode_of("link")));
	unlink("link");
	unlink("second");
	CHECK_INT(rmdir("below"), 0);
}

/* Two that write the same file at once have two temporaries, neither of which could be foreseen. */
static void temporaries_are_exclusive(void)
{
	struct outfile a, b;
	struct ht_err err = {""};
	char foreseen[64];

	snprintf(foreseen, sizeof(foreseen), "out.new.%ld", (long)getpid());
	write_to("victim", "precious");
	CHECK_INT(symlink("victim", foreseen), 0);
	CHECK_INT(outfile_open(&a, "out", &err), 0);
	CHECK_INT(outfile_open(&b, "out", &err), 0);
	CHECK(strcmp(a.tmp, b.tmp) != 0 && strcmp(a.tmp, foreseen) != 0);
	fputs("a", a.f);
	fputs("b", b.f);
	CHECK_INT(outfile_commit(&a, &err), 0);
	holds("out", "a");
	CHECK_INT(outfile_commit(&b, &err), 0);
	holds("out", "b");
	holds("victim", "precious");
	CHECK(!S_ISLNK(mode_of("out")));
	unlink("victim");
	unlink(foreseen);
	unlink("out");
	CHECK_INT(entries(), 0);
}

static void directories_are_exclusive(void)
{
	struct ht_err err = {""};
	char *a = dir_create_beside("deep/er/run", &err), *b = dir_create_beside("deep/er/run", &err);

	REQUIRE(a && b);
	CHECK(strcmp(a, b) != 0 && strncmp(a, "deep/er/run.new.", 16) == 0);
	free(a);
	free(b);
	dir_remove("deep");
	write_to("file", "");
	CHECK(dir_create_beside("file/run", &err) == NULL);
	unlink("file");
}

static void whether_it_can_be_written(void)
{
	struct ht_err err = {""};
	char *here = path_absolute("deep/er");

	CHECK_INT(outfile_check("new", &err), 0);
	CHECK_INT(outfile_check("-", &err), 0);
	CHECK_INT(outfile_check("/dev/full", &err), 0);
	CHECK_INT(dir_check("deep/er", &err), 0);
	CHECK_INT(dir_check(here, &err), 0);
	CHECK_INT(entries(), 0);
	free(here);
	write_to("file", "one");
	CHECK_INT(outfile_check("file", &err), 0);
	holds("file", "one");
	CHECK_INT(outfile_check(".", &err), -1);
	CHECK_STR(err.text, ".: is a directory, expected a file to write");
	CHECK_INT(outfile_check("none/file", &err), -1);
	CHECK_INT(dir_check(".", &err), 0);
	CHECK_INT(dir_check("file", &err), -1);
	CHECK_STR(err.text, "file: cannot be made a directory, or takes no files: Not a directory");
	CHECK_INT(dir_check("/proc/new/er", &err), -1);
	CHECK_HAS(err.text, "/proc/new/er: cannot be made a directory, or takes no files: ");
	CHECK_INT(unlink("file"), 0);
	CHECK_INT(entries(), 0);
	CHECK_INT(mkfifo("pipe", 0666), 0);
	alarm(20);
	CHECK_INT(outfile_check("pipe", &err), 0); /* and does not wait for a reader */
	CHECK_INT(unlink("pipe"), 0);
}

static void pipes_and_devices_are_refused(void)
{
	struct ht_err err = {""};
	struct fxt f;

	CHECK_INT(mkfifo("pipe", 0666), 0);
	alarm(20);
	CHECK(file_read("pipe", 10, NULL, &err) == NULL);
	CHECK_STR(err.text, "pipe: is a pipe or a device, expected a file");
	CHECK(file_read("/dev/zero", 10, NULL, &err) == NULL);
	CHECK_STR(err.text, "/dev/zero: is a pipe or a device, expected a file");
	CHECK_INT(file_copy("pipe", "copy", &err), -1);
	CHECK_STR(err.text, "pipe: is a pipe or a device, expected a file");
	CHECK(!file_exists("copy"));
	CHECK_INT(fxt_open(&f, "pipe", &err), -1);
	CHECK_STR(err.text, "pipe: is a pipe or a device, expected a file");
	unlink("pipe");
}

/* A program that runs again empties the file while its events are read: that is said. */
static void a_trace_may_be_emptied(void)
{
	FILE *x = fopen("trace", "w");
	struct ht_err err = {""};
	struct fxt f;
	struct fxt_event e;

	write_head(x);
	for (uint64_t i = 0; i < 50000; i++) /* 1.6 MB: more than a page */
		event(x, 10 * i, 0x5101, NULL, 1, i);
	fclose(x);
	CHECK_INT(fxt_open(&f, "trace", &err), 0);
	CHECK_INT(truncate("trace", 0), 0);
	CHECK_INT(fxt_next(&f, &e, &err), -1);
	CHECK_HAS(err.text, "trace: has changed while it was read: expected ");
	fxt_close(&f);
	unlink("trace");
}

int main(void)
{
	if (!mkdtemp(dir) || chdir(dir) != 0)
		return 2;
	RUN(modes_stay);
	RUN(links_stay);
	RUN(temporaries_are_exclusive);
	RUN(directories_are_exclusive);
	RUN(whether_it_can_be_written);
	RUN(pipes_and_devices_are_refused);
	RUN(a_trace_may_be_emptied);
	rmdir(dir);
	return check_done();
}

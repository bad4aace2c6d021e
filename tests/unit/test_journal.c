/* tests/unit/test_journal.c - the file of an interrupted tune: taken up, begun anew, or not touched. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/journal.h"

#include <sys/stat.h>

#include "core/base/err.h"
#include "tests/lib/check.h"

static const struct journal_entry two[] = {{0x1234, 500}, {UINT64_MAX, INT64_MAX}};
static char dir[] = "/tmp/test_journal_XXXXXX";

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static int has_text(const char *path, const char *text)
{
	char found[256] = "";
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(found, 1, sizeof(found) - 1, f) : 0;

	if (f)
		fclose(f);
	return f && n == strlen(text) && memcmp(found, text, n) == 0;
}

/* How many entries of `problem` the file has; -1: it is refused, and the sentence is in *err. */
static int entries_of(const char *path, uint64_t problem, struct ht_err *err)
{
	const struct journal_entry *entries = NULL;
	size_t count = 0;
	struct journal *j = journal_open(path, problem, &entries, &count, err);

	if (!j)
		return -1;
	for (size_t i = 0; i < count; i++)
		CHECK(entries[i].key == two[i].key && entries[i].makespan_ns == two[i].makespan_ns);
	journal_close(j);
	return (int)count;
}

static void make(const char *path, uint64_t problem)
{
	const struct journal_entry *entries;
	size_t count;
	struct ht_err err = {""};
	struct journal *j = journal_open(path, problem, &entries, &count, &err);

	CHECK_STR(err.text, "");
	CHECK_INT(journal_add(j, two, 2, &err), 0);
	journal_close(j);
}

static void it_is_of_one_problem(void)
{
	make("a", 7);
	CHECK_INT(entries_of("a", 7, NULL), 2);
	CHECK_INT(entries_of("a", 8, NULL), 0);
	CHECK_INT(entries_of("a", 7, NULL), 0);
	journal_discard("a");
	CHECK(access("a", F_OK) != 0);
}

/* Lines that another tune wrote behind the heading of this one are none of its entries. */
static void lines_are_of_one_problem(void)
{
	char text[256], other[256];
	FILE *f;

	make("a", 7);
	make("b", 8);
	f = fopen("a", "r");
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	f = fopen("b", "r");
	other[fread(other, 1, sizeof(other) - 1, f)] = '\0';
	fclose(f);
	f = fopen("a", "a");
	fputs(strchr(other, '\n') + 1, f);
	fclose(f);
	CHECK_INT(entries_of("a", 7, NULL), 2);
	CHECK(has_text("a", text));
	unlink("a");
	unlink("b");
}

/* Whatever its check says: no replay takes less than no time. */
static void no_makespan_is_below_0(void)
{
	static const struct journal_entry below = {0x5678, INT64_MIN};
	const struct journal_entry *entries;
	size_t count;
	struct ht_err err = {""};
	struct journal *j;

	make("a", 7);
	j = journal_open("a", 7, &entries, &count, &err);
	CHECK_INT(journal_add(j, &below, 1, &err), 0);
	journal_close(j);
	CHECK_INT(entries_of("a", 7, NULL), 2);
	unlink("a");
}

static void what_was_cut_off_is_a_journal(void)
{
	static const char *const texts[] = {"",
	                                    "h",
	                                    "heterotune tune 0123",
	                                    "heterotune tune 0123456789abcdef",
	                                    "heterotune tune 0123456789abcdef\n",
	                                    "heterotune tune 0123456789abcdef\n77"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		write_text("a", texts[i]);
		CHECK_INT(entries_of("a", 7, NULL), 0);
		unlink("a");
	}
}

static void other_files_stay(void)
{
	static const char *const texts[] = {"precious\n",
	                                    "heterotune tuned",
	                                    "heterotune tune 0123456789abcdeF\n",
	                                    "heterotune tune 0123456789abcdef 1\n",
	                                    "\n",
	                                    "heterotune tune 0123\n"};
	struct ht_err err = {""};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		write_text("a", texts[i]);
		CHECK_INT(entries_of("a", 7, &err), -1);
		CHECK_STR(err.text, "a: is no journal of heterotune tune: expected another output");
		journal_discard("a");
		CHECK(has_text("a", texts[i]));
	}
	unlink("a");
}

static void links_and_pipes_stay(void)
{
	struct ht_err err = {""};

	write_text("target", "");
	CHECK_INT(symlink("target", "a"), 0);
	CHECK_INT(entries_of("a", 7, &err), -1);
	CHECK_STR(err.text, "a: is a symbolic link, expected a journal of heterotune tune");
	journal_discard("a");
	CHECK_INT(access("a", F_OK), 0);
	CHECK(has_text("target", ""));
	unlink("a");
	unlink("target");

	CHECK_INT(mkfifo("a", 0666), 0);
	alarm(20);
	CHECK_INT(entries_of("a", 7, &err), -1);
	CHECK_STR(err.text, "a: is no regular file, expected a journal of heterotune tune");
	journal_discard("a");
	CHECK_INT(access("a", F_OK), 0);
	unlink("a");
}

/* One that another process has open is refused with its number, and stays. */
static void two_exclude_each_other(void)
{
	struct ht_err err = {""};
	char want[64], byte;
	int up[2], down[2];
	pid_t pid;

	REQUIRE(pipe(up) == 0 && pipe(down) == 0);
	pid = fork();
	if (pid == 0) {
		const struct journal_entry *entries;
		size_t count;
		struct journal *j = journal_open("a", 7, &entries, &count, NULL);

		_exit(!j || write(up[1], "x", 1) != 1 || read(down[0], &byte, 1) != 1);
	}
	CHECK_INT(read(up[0], &byte, 1), 1);
	CHECK_INT(entries_of("a", 8, &err), -1);
	snprintf(want, sizeof(want), "a: process %ld, another heterotune tune, writes it now", (long)pid);
	CHECK_HAS(err.text, want);
	journal_discard("a");
	CHECK_INT(access("a", F_OK), 0);
	CHECK_INT(write(down[1], "x", 1), 1);
	waitpid(pid, NULL, 0);
	CHECK_INT(entries_of("a", 8, NULL), 0);
	journal_discard("a");
	CHECK(access("a", F_OK) != 0);
}

/* What stands at its path by then is not the journal's. */
static void only_itself_is_removed(void)
{
	const struct journal_entry *entries;
	size_t count;
	struct journal *j = journal_open("a", 7, &entries, &count, NULL);

	CHECK_INT(unlink("a"), 0);
	write_text("a", "precious\n");
	journal_remove(j);
	CHECK(has_text("a", "precious\n"));
	unlink("a");
}

int main(void)
{
	if (!mkdtemp(dir) || chdir(dir) != 0)
		return 2;
	RUN(it_is_of_one_problem);
	RUN(lines_are_of_one_problem);
	RUN(no_makespan_is_below_0);
	RUN(what_was_cut_off_is_a_journal);
	RUN(other_files_stay);
	RUN(links_and_pipes_stay);
	RUN(two_exclude_each_other);
	RUN(only_itself_is_removed);
	rmdir(dir);
	return check_done();
}

/* tests/unit/test_input.c - a file is read anew by each run; of a pipe it is said once that it has been read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/check.h"

static char read_one(void)
{
	char c = '-';

	return read(STDIN_FILENO, &c, 1) == 1 ? c : '-';
}

static void file_is_read_anew(void)
{
	char path[] = "/tmp/heterotune-input.XXXXXX";
	struct input x;
	int fd = mkstemp(path);

	REQUIRE(fd >= 0 && write(fd, "abc", 3) == 3 && lseek(fd, 1, SEEK_SET) == 1);
	CHECK(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	input_init(&x);
	for (int run = 0; run < 3; run++) {
		CHECK(!input_next(&x));
		CHECK_INT(read_one(), 'b');
		CHECK_INT(read_one(), 'c');
		CHECK_INT(read_one(), '-');
	}
	close(fd);
	unlink(path);
}

static void pipe_is_said_to_be_read(void)
{
	struct input x;
	int fd[2];

	REQUIRE(pipe(fd) == 0);
	CHECK(dup2(fd[0], STDIN_FILENO) == STDIN_FILENO);
	input_init(&x);
	CHECK_INT(write(fd[1], "a", 1), 1);
	CHECK(input_is_for_one(&x)); /* the first run may read it */
	CHECK_INT(read_one(), 'a');
	CHECK(!input_next(&x));
	CHECK(!input_next(&x)); /* somebody may write */
	CHECK_INT(write(fd[1], "a", 1), 1);
	close(fd[1]);
	CHECK(!input_next(&x)); /* it was not read */
	CHECK(!input_is_for_one(&x));
	CHECK_INT(read_one(), 'a');
	CHECK(input_is_for_one(&x));
	CHECK_HAS(input_next(&x), "standard input is a pipe");
	CHECK(!input_next(&x));
	close(fd[0]);
}

/* Nobody has ever written to it: each run gets as much. */
static void pipe_without_anything(void)
{
	struct input x;
	int fd[2];

	REQUIRE(pipe(fd) == 0);
	CHECK(dup2(fd[0], STDIN_FILENO) == STDIN_FILENO);
	close(fd[1]);
	input_init(&x);
	for (int run = 0; run < 3; run++) {
		CHECK(!input_next(&x));
		CHECK(!input_is_for_one(&x));
	}
	close(fd[0]);
}

static void nothing_to_read(void)
{
	struct input x;
	int fd = open("/dev/null", O_RDONLY);

	CHECK(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
	input_init(&x);
	for (int run = 0; run < 2; run++)
		CHECK(!input_next(&x));
	close(STDIN_FILENO);
	input_init(&x);
	for (int run = 0; run < 2; run++)
		CHECK(!input_next(&x));
}

int main(void)
{
	RUN(file_is_read_anew);
	RUN(pipe_is_said_to_be_read);
	RUN(pipe_without_anything);
	RUN(nothing_to_read);
	return check_done();
}

/* core/base/input.c - standard input of a program that is run more than once. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/input.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that wait in a pipe; -1: it is none. */
static int waiting(void)
{
	struct stat st;
	int left = 0;

	return fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) && ioctl(STDIN_FILENO, FIONREAD, &left) == 0 ?
	               left :
	               -1;
}

/* A pipe that is empty, and that nobody writes to any more. */
static int is_empty(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return waiting() == 0 && poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

void input_init(struct input *x)
{
	struct stat st;

	*x = (struct input){.start = -1, .was_empty = is_empty()};
	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		x->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

int input_is_for_one(const struct input *x)
{
	return x->nruns ? !x->was_empty && is_empty() : waiting() > 0;
}

const char *input_next(struct input *x)
{
	if (x->nruns++ == 0)
		return NULL;
	if (x->start >= 0)
		lseek(STDIN_FILENO, x->start, SEEK_SET);
	if (x->is_said || x->was_empty || !is_empty())
		return NULL;
	x->is_said = 1;
	return "standard input is a pipe that has been read to its end: the program gets nothing of it any more; a "
	       "file, < FILE, is read anew by each run";
}

int input_is_same(const struct input *x)
{
	struct stat st;

	return x->start >= 0 || fstat(STDIN_FILENO, &st) != 0 || S_ISCHR(st.st_mode);
}

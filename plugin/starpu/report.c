/* plugin/starpu/report.c - what the scheduler library reports: sentences on stderr, lines for `heterotune run`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One write() a line: an application's processes (MPI) share the file and the terminal. What cannot be written is
 * lost: a report is never a reason to disturb the program.
 */
#include "plugin/starpu/report.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPORT_MAX_LINE = 1400 };

static void write_line(int fd, char line[REPORT_MAX_LINE], const char *fmt, va_list ap)
{
	size_t n = strlen(line), len;

	vsnprintf(line + n, REPORT_MAX_LINE - n - 1, fmt, ap);
	for (char *s = line; *s; s++)
		if (*s == '\n')
			*s = ' ';
	len = strlen(line);
	line[len] = '\n';
	if (write(fd, line, len + 1) < 0)
		return;
}

void report_sentence(const char *fmt, ...)
{
	char line[REPORT_MAX_LINE] = "heterotune: ";
	va_list ap;

	va_start(ap, fmt);
	write_line(STDERR_FILENO, line, fmt, ap);
	va_end(ap);
}

static int is_one(const char *variable)
{
	const char *value = getenv(variable);

	return value && strcmp(value, "1") == 0;
}

static int is_first_process(void)
{
	static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		const char *rank = getenv(ranks[i]);

		if (rank)
			return strcmp(rank, "0") == 0;
	}
	return 1;
}

void report_note(const char *fmt, ...)
{
	char line[REPORT_MAX_LINE] = "heterotune: ";
	va_list ap;

	if (is_one("HETEROTUNE_QUIET") || !is_first_process())
		return;
	va_start(ap, fmt);
	write_line(STDERR_FILENO, line, fmt, ap);
	va_end(ap);
}

void report_verbose(const char *fmt, ...)
{
	char line[REPORT_MAX_LINE] = "heterotune: ";
	va_list ap;

	if (!is_one("HETEROTUNE_VERBOSE"))
		return;
	va_start(ap, fmt);
	write_line(STDERR_FILENO, line, fmt, ap);
	va_end(ap);
}

int report_is_read(void)
{
	const char *path = getenv("HETEROTUNE_REPORT");

	return path && *path;
}

void report_line(const char *fmt, ...)
{
	char line[REPORT_MAX_LINE];
	va_list ap;
	int fd;

	if (!report_is_read())
		return;
	fd = open(getenv("HETEROTUNE_REPORT"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%ld ", (long)getpid());
	va_start(ap, fmt);
	write_line(fd, line, fmt, ap);
	va_end(ap);
	close(fd);
}

void report_scheduler(const char *name)
{
	const char *path = getenv("HETEROTUNE_SCHEDULER");
	int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666) : -1;

	if (fd < 0)
		return;
	if (write(fd, name, strlen(name)) < 0)
		ftruncate(fd, 0);
	close(fd);
}

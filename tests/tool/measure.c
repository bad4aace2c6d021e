/* tests/tool/measure.c - what a command costs: the least user time of a few runs, and the largest memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: measure RUNS COMMAND...
 *
 * Prints "USER_S WALL_S PEAK_MIB". The command's output is discarded; exit status 1 when it fails once.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double user = 1e30, wall = 1e30;
	long peak = 0;
	int runs = argc > 2 ? atoi(argv[1]) : 0;

	if (runs < 1)
		return 2;
	for (int i = 0; i < runs; i++) {
		double start = now();
		pid_t pid = fork();
		struct rusage u;
		int status;

		if (pid == 0) {
			int null = open("/dev/null", O_WRONLY);

			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
			execvp(argv[2], argv + 2);
			_exit(127);
		}
		if (pid < 0 || wait4(pid, &status, 0, &u) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
			return 1;
		if (seconds(u.ru_utime) < user)
			user = seconds(u.ru_utime);
		if (now() - start < wall)
			wall = now() - start;
		if (u.ru_maxrss > peak)
			peak = u.ru_maxrss;
	}
	printf("%.3f %.3f %.1f\n", user, wall, (double)peak / 1024);
	return 0;
}

/* tests/unit/test_launch.c - programs that end well, badly, by a signal, or never start. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/launch.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "tests/lib/check.h"

static int shell(const char *script, const struct launch_var *vars, int *status)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};
	struct launch l = {.argv = argv, .vars = vars};
	struct launch_result r;
	int rc = launch_wait(&l, &r, NULL);

	*status = r.status;
	return rc;
}

static void status_is_passed_on(void)
{
	static const struct {
		const char *script;
		int status;
	} cases[] = {
		{"exit 0", 0},
		{"exit 1", 1},
		{"exit 42", 42},
		{"exit 127", 127},
		{"exit 255", 255},
		{"kill -TERM $$", 128 + SIGTERM},
		{"kill -KILL $$", 128 + SIGKILL},
		{"kill -SEGV $$", 128 + SIGSEGV},
	};
	int status;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(shell(cases[i].script, NULL, &status), 0);
		CHECK_INT(status, cases[i].status);
	}
}

/* What has asked this process, and through it the program, to end. */
static void signals_are_reported(void)
{
	static const struct {
		const char *script;
		int signal;
	} cases[] = {
		{"exit 0", 0},
		{"trap : INT; kill -INT $PPID; sleep 0.1; exit 0", SIGINT},
		{"trap : TERM; kill -TERM $PPID; sleep 0.1; exit 0", SIGTERM},
		{"trap : HUP; kill -HUP $PPID; sleep 0.1; exit 0", SIGHUP},
		{"trap : USR1; kill -USR1 $PPID; sleep 0.1; exit 0", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *argv[] = {"sh", "-c", (char *)cases[i].script, NULL};
		const struct launch l = {.argv = argv};
		struct launch_result r;

		CHECK_INT(launch_wait(&l, &r, NULL), 0);
		CHECK_INT(r.status, 0);
		CHECK_INT(r.signal, cases[i].signal);
	}
}

static void environment_is_the_programs_alone(void)
{
	static const struct launch_var vars[] = {
		{"LAUNCH_A", "first"},
		{"LAUNCH_A", "a 'b' \"c\" $d\n"},
		{"LAUNCH_B", NULL},
		{NULL, NULL},
	};
	int status;

	setenv("LAUNCH_B", "there", 1);
	unsetenv("LAUNCH_A");
	CHECK_INT(shell("test \"$LAUNCH_A\" = \"a 'b' \\\"c\\\" \\$d\n\" && test -z \"${LAUNCH_B+x}\"", vars, &status),
	          0);
	CHECK_INT(status, 0);
	CHECK(!getenv("LAUNCH_A"));
	CHECK_STR(getenv("LAUNCH_B"), "there");
}

static void what_cannot_start(void)
{
	char *missing[] = {"/nonexistent/program", NULL}, *unknown[] = {"no-such-program-heterotune", NULL};
	char *directory[] = {"/tmp", NULL}, *fine[] = {"true", NULL};
	const struct {
		struct launch l;
		int status;
		const char *part;
	} cases[] = {
		{{.argv = missing}, 127, "/nonexistent/program: cannot be started: No such file"},
		{{.argv = unknown}, 127, "no-such-program-heterotune: cannot be started: No such file"},
		{{.argv = directory}, 126, "/tmp: cannot be started: it is a directory, expected a program"},
		{{.argv = fine, .dir = "/nonexistent"}, 125, "/nonexistent: cannot be made the working directory"},
		{{.argv = fine, .output = "/nonexistent/out"}, 125, "/nonexistent/out: cannot be written"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ht_err err = {""};
		struct launch_result r;

		CHECK_INT(launch_wait(&cases[i].l, &r, &err), -1);
		CHECK_INT(r.status, cases[i].status);
		CHECK_HAS(err.text, cases[i].part);
	}
}

static void output_and_directory(void)
{
	char dir[] = "/tmp/test_launch.XXXXXX", *argv[] = {"sh", "-c", "pwd; echo err >&2", NULL};
	struct launch l = {.argv = argv};
	struct launch_result r;
	char out[64], *text;

	if (!mkdtemp(dir))
		SKIP("/tmp cannot be written");
	snprintf(out, sizeof(out), "%s/out", dir);
	l.dir = dir;
	l.output = out;
	CHECK_INT(launch_wait(&l, &r, NULL), 0);
	CHECK_INT(launch_wait(&l, &r, NULL), 0);
	text = file_read(out, 4096, NULL, NULL);
	CHECK(text != NULL);
	if (text) {
		char want[256];

		snprintf(want, sizeof(want), "%s\nerr\n%s\nerr\n", dir, dir);
		CHECK_STR(text, want);
	}
	free(text);
	dir_remove(dir);
}

/* A process that launches `sleep` is asked to end: the sleeper ends with it, and the status says by what. */
static void signals_are_passed_on(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		char *argv[] = {"sleep", "30", NULL};
		struct launch l = {.argv = argv};
		struct launch_result r;

		launch_wait(&l, &r, NULL);
		_exit(r.status);
	}
	usleep(300000);
	kill(pid, SIGTERM);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 128 + SIGTERM);
}

static void ignored_children_and_time(void)
{
	char *argv[] = {"sh", "-c", "sleep 0.2; exit 7", NULL};
	struct launch l = {.argv = argv};
	struct launch_result r;

	signal(SIGCHLD, SIG_IGN);
	CHECK_INT(launch_wait(&l, &r, NULL), 0);
	CHECK_INT(r.status, 7);
	CHECK(r.wall_ns >= 200000000 && r.wall_ns < 20000000000);
	CHECK(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
}

static void count_call(void *calls)
{
	++*(int *)calls;
}

static void called_while_it_runs(void)
{
	char *argv[] = {"sleep", "2.5", NULL};
	int calls = 0;
	struct launch l = {.argv = argv, .often = count_call, .ctx = &calls, .often_s = 1, .limit_s = 100};
	struct launch_result r;

	CHECK_INT(launch_wait(&l, &r, NULL), 0);
	CHECK_INT(r.status, 0);
	CHECK(calls == 1 || calls == 2); /* one each second, or later on a busy machine */
	CHECK(!r.was_ended);
}

/* The program sends the signal to this process, as a batch system would, and says with its status that it came back. */
static void batch_signals_reach_the_program(void)
{
	static const char *const names[] = {"USR1", "USR2", "ALRM", "XCPU", "CONT", "TSTP", "WINCH", "HUP"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char script[256];
		int status;

		snprintf(script, sizeof(script),
		         "trap 'kill -CONT $PPID; exit 7' %s; kill -%s $PPID; "
		         "i=0; while [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done; exit 1",
		         names[i], names[i]);
		CHECK_INT(shell(script, NULL, &status), 0);
		CHECK_INT(status, 7);
	}
}

/* Nothing can be passed on by a process that is killed: the kernel ends the program. */
static void no_orphan_is_left(void)
{
	char path[] = "/tmp/test_launch.XXXXXX", *text = NULL;
	int fd = mkstemp(path);
	pid_t pid;

	CHECK(fd >= 0);
	close(fd);
	pid = fork();
	if (pid == 0) {
		const struct launch_var vars[] = {{"OUT", path}, {NULL, NULL}};
		int status;

		shell("trap 'echo ended > $OUT; exit' TERM; echo begun > $OUT; while :; do sleep 0.05; done", vars,
		      &status);
		_exit(0);
	}
	for (int i = 0; i < 200; i++) {
		free(text);
		text = file_read(path, 64, NULL, NULL);
		if (text && strcmp(text, "begun\n") == 0)
			kill(pid, SIGKILL);
		if (text && strcmp(text, "ended\n") == 0)
			break;
		usleep(50000);
	}
	waitpid(pid, NULL, 0);
	CHECK_STR(text, "ended\n");
	free(text);
	unlink(path);
}

/* What the program starts in the background and does not wait for is no zombie while the program runs. */
static void no_zombies(void)
{
	int status;

	CHECK_INT(shell("(true &); sleep 0.5; ! grep -Eqs \"[)] Z $PPID \" /proc/[0-9]*/stat", NULL, &status), 0);
	CHECK_INT(status, 0);
}

static void an_ignored_stop(void)
{
	int status;

	signal(SIGTSTP, SIG_IGN);
	CHECK_INT(shell("kill -TSTP $PPID; sleep 0.3; ! grep -q '[)] T ' /proc/$PPID/stat || "
	                "{ kill -CONT $PPID; exit 1; }",
	                NULL, &status),
	          0);
	CHECK_INT(status, 0);
}

int main(void)
{
	RUN(status_is_passed_on);
	RUN(signals_are_reported);
	RUN(environment_is_the_programs_alone);
	RUN(what_cannot_start);
	RUN(output_and_directory);
	RUN(signals_are_passed_on);
	RUN(batch_signals_reach_the_program);
	RUN(no_orphan_is_left);
	RUN(no_zombies);
	RUN(an_ignored_stop);
	RUN(ignored_children_and_time);
	RUN(called_while_it_runs);
	return check_done();
}

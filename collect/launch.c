/* collect/launch.c - start a program with changes to its environment, wait for it, and say how it ended. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Signals are blocked and taken with sigwaitinfo() instead of being handled, so nothing runs asynchronously and no
 * state has to be global. The child gets the caller's mask back before exec. What keeps exec from working travels
 * through a close-on-exec pipe: the step and its errno, or end of file when exec went well.
 */
#include "collect/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/config/shell.h"

enum { LAUNCH_NOT_EXECUTABLE = 126 };

static const int64_t GRACE_NS = 5000000000; /* from SIGTERM to SIGKILL */

enum launch_step { STEP_DIR, STEP_OUTPUT, STEP_EXEC };

struct launch_failure {
	enum launch_step step;
	int number; /* errno */
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int redirect(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	return fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0;
}

/* In the child, which is a copy of this single-threaded process: setenv() is safe here. */
static void child_run(const struct launch *l, int fd, const sigset_t *mask, pid_t parent)
{
	struct launch_failure f = {.step = STEP_DIR};

	/* Kept by exec. Where the parent has been killed before, nobody else will say so. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		raise(SIGTERM);

	for (const struct launch_var *v = l->vars; v && v->name; v++)
		if (v->value)
			setenv(v->name, v->value, 1);
		else
			unsetenv(v->name);
	if (l->dir && chdir(l->dir) != 0)
		goto fail;
	f.step = STEP_OUTPUT;
	if (l->output && redirect(l->output) != 0)
		goto fail;
	f.step = STEP_EXEC;
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(l->argv[0], l->argv);
fail:
	f.number = errno;
	if (write(fd, &f, sizeof(f)) != sizeof(f))
		_exit(STATUS_FAILED);
	_exit(LAUNCH_NOT_FOUND);
}

static int not_started(const struct launch *l, const struct launch_failure *f, int *status, struct ht_err *err)
{
	const char *why = strerror(f->number);
	struct stat st;

	*status = STATUS_FAILED;
	if (f->step == STEP_DIR)
		return ht_err_set(err, "%s: cannot be made the working directory: %s", l->dir, why);
	if (f->step == STEP_OUTPUT)
		return ht_err_set(err, "%s: cannot be written: %s", l->output, why);
	*status = f->number == ENOENT || f->number == ENOTDIR ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
	if (stat(l->argv[0], &st) == 0 && S_ISDIR(st.st_mode) && *status == LAUNCH_NOT_EXECUTABLE)
		why = "it is a directory, expected a program";
	return ht_err_set(err, "%s: cannot be started: %s", l->argv[0], why);
}

/* A signal, or -1 once it is `until`; 0: there is no such time. */
static int wait_for_signal(const sigset_t *signals, siginfo_t *info, int64_t until)
{
	int64_t left = until - now_ns();
	const struct timespec t = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};

	return !until ? sigwaitinfo(signals, info) : left > 0 ? sigtimedwait(signals, info, &t) : -1;
}

/* By the program as well. One that is blocked comes all the same. */
static int is_ignored(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Whether the program has it already: the terminal sends it to one group of processes, which a program can leave. */
static int is_known_to(pid_t pid, const siginfo_t *info)
{
	return info->si_code == SI_KERNEL && info->si_signo != SIGTERM && info->si_signo != SIGHUP &&
	       getpgid(pid) == getpgrp();
}

/* 0: there is no such process. */
static pid_t parent_of(pid_t pid)
{
	char *path = ht_asprintf("/proc/%d/stat", (int)pid), *text = file_read(path, 4096, NULL, NULL);
	const char *name_end = text ? strrchr(text, ')') : NULL; /* a name may have any characters */
	int parent = 0;

	if (name_end && sscanf(name_end + 1, " %*c %d", &parent) != 1)
		parent = 0;
	free(text);
	free(path);
	return parent;
}

/* The next process that this one or its children have started; 0: there are no more. */
static pid_t next_started(DIR *proc)
{
	struct dirent *e;

	while ((e = readdir(proc))) {
		pid_t each = (pid_t)strtol(e->d_name, NULL, 10), above = each > 0 ? parent_of(each) : 0;

		while (above > 1 && above != getpid())
			above = parent_of(above);
		if (above == getpid()) /* which is 1 where it is what a container runs */
			return each;
	}
	return 0;
}

/* To the program and all that it has started: a script that is ended would leave its program running. */
static void signal_all(pid_t pid, int signal)
{
	DIR *d = opendir("/proc");

	if (!d)
		kill(pid, signal);
	for (pid_t each; d && (each = next_started(d));)
		kill(each, signal);
	if (d)
		closedir(d);
}

/* Whether a process has loaded StarPU. */
static int has_starpu(pid_t pid)
{
	char *path = ht_asprintf("/proc/%d/maps", (int)pid), *line = NULL;
	FILE *f = fopen(path, "r");
	size_t size = 0;
	int found = 0;

	while (f && !found && getline(&line, &size, f) > 0)
		found = strstr(line, "/libstarpu") != NULL;
	if (f)
		fclose(f);
	free(line);
	free(path);
	return found;
}

/* The time of the next call, after one that was due. 0: there are none. */
static int64_t call_often(const struct launch *l, int64_t due)
{
	if (!l->often)
		return 0;
	if (now_ns() < due)
		return due;
	l->often(l->ctx);
	return now_ns() + l->often_s * INT64_C(1000000000);
}

/* Until the child has ended, where it was ended with all that it has started: its wait status. */
static int wait_for(pid_t pid, const sigset_t *signals, const struct launch *l, struct launch_result *r)
{
	int64_t until = l->limit_s && l->limit_s < 1000000000 ? now_ns() + l->limit_s * 1000000000 : 0;
	int64_t due = now_ns() + l->often_s * INT64_C(1000000000);
	int status = 0, any = 0, has_ended = 0, asked = 0;
	siginfo_t info;
	pid_t got;

	for (;;) {
		got = waitpid(-1, &any, WNOHANG); /* and what others have left to this process */
		if (got == pid) {
			has_ended = 1;
			status = any;
		}
		if (has_ended && (!r->was_ended || (got < 0 && errno == ECHILD)))
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		if (got > 0)
			continue;
		if (until && now_ns() >= until) {
			if (has_ended && asked > 1) /* what is left cannot be ended */
				return status;
			signal_all(pid, asked++ ? SIGKILL : SIGTERM);
			r->was_ended = 1;
			until = now_ns() + GRACE_NS;
		}
		due = call_often(l, due);
		if (wait_for_signal(signals, &info, due && (!until || due < until) ? due : until) < 0 ||
		    info.si_signo == SIGCHLD)
			continue;
		if (interrupt_is_signal(info.si_signo) && !is_ignored(info.si_signo))
			r->signal = info.si_signo;
		if (!has_ended && !is_known_to(pid, &info))
			kill(pid, info.si_signo);
		/* It is blocked here, so it has not stopped this process yet. */
		if (info.si_signo == SIGTSTP && !is_ignored(SIGTSTP))
			raise(SIGSTOP);
	}
}

static int is_any_left(void)
{
	pid_t got;

	do
		got = waitpid(-1, NULL, WNOHANG);
	while (got > 0);
	return got == 0;
}

static int is_starpu_left(void)
{
	DIR *d = opendir("/proc");
	int found = 0;

	for (pid_t each; d && !found && (each = next_started(d));)
		found = has_starpu(each);
	if (d)
		closedir(d);
	return found;
}

int launch_wait(const struct launch *l, struct launch_result *r, struct ht_err *err)
{
	static const int passed_on[] = {SIGCHLD, SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
	                                SIGUSR2, SIGALRM, SIGXCPU, SIGCONT, SIGTSTP, SIGWINCH};
	struct sigaction keep_children = {.sa_handler = SIG_DFL}, old_action;
	struct launch_failure failure;
	int fd[2], status, rc = -1;
	sigset_t signals, old_mask;
	const pid_t parent = getpid();
	int64_t start;
	ssize_t got;
	pid_t pid;

	*r = (struct launch_result){.status = STATUS_FAILED};
	if (pipe2(fd, O_CLOEXEC) != 0)
		return ht_err_set(err, "%s: cannot be started: %s", l->argv[0], strerror(errno));
	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(&signals, passed_on[i]);
	sigprocmask(SIG_BLOCK, &signals, &old_mask);
	/* Where SIGCHLD is ignored, which is inherited, the kernel throws the status away. */
	sigaction(SIGCHLD, &keep_children, &old_action);
	/* What an ended script leaves behind comes to this process, which sees it, and ends it too after the limit. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start = now_ns();
	pid = fork();
	if (pid == 0)
		child_run(l, fd[1], &old_mask, parent);
	close(fd[1]);
	if (pid < 0) {
		ht_err_set(err, "%s: cannot be started: %s", l->argv[0], strerror(errno));
		goto out;
	}
	do
		got = read(fd[0], &failure, sizeof(failure));
	while (got < 0 && errno == EINTR);
	status = wait_for(pid, &signals, l, r);
	r->wall_ns = now_ns() - start;
	r->left_running = is_any_left();
	r->left_starpu = r->left_running && is_starpu_left();
	if (got == (ssize_t)sizeof(failure)) {
		not_started(l, &failure, &r->status, err);
	} else if (status == -1) {
		ht_err_set(err, "%s: cannot be waited for: %s", l->argv[0], strerror(errno));
	} else {
		r->status = r->was_ended        ? 128 + SIGKILL :
		            WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
		                                  WEXITSTATUS(status);
		rc = 0;
	}
out:
	close(fd[0]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	sigaction(SIGCHLD, &old_action, NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	return rc;
}

const char *launch_ended(int status, char text[96])
{
	int n = snprintf(text, 96, "ended with status %d", status), signal = interrupt_signal_of(status);

	if (signal)
		snprintf(text + n, 96 - (size_t)n, ", that of signal %d (%s)", signal, strsignal(signal));
	return text;
}

char *launch_not_loaded(int status)
{
	char *heterotune = shell_heterotune(), *text;

	if (status == LAUNCH_NOT_FOUND)
		text = ht_asprintf(": where it is a library that was not found, eval \"$(%s env)\" first, which sets "
		                   "LD_LIBRARY_PATH for StarPU's",
		                   heterotune);
	else
		text = ht_strndup("", 0);
	free(heterotune);
	return text;
}

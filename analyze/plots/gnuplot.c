/* analyze/plots/gnuplot.c - gnuplot as a child process: a script and data files in, one picture out. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/base/utf8.h"

#define SCRIPT_NAME "script.gp"
#define IMAGE_NAME  "picture"
#define LOG_NAME    "log"

enum { MAX_PICTURE_BYTES = 1 << 28 };

/* Pixels: beside a title, and of a character for each of its points. */
enum { TITLE_POINTS = 13, LEAST_POINTS = 8, TITLE_SIDES = 30 };
static const double CHARACTER = 0.735;

struct gnuplot {
	enum gnuplot_term term;
	int columns; /* of TERM_DUMB */
	int width;   /* of others, in pixels */
	char *dir;
	FILE *script, *data;
	struct ht_err err; /* what went wrong before the picture is drawn */
};

static const char *const term_names[TERM_COUNT] = {"png", "svg", "pdf", "dumb"};
static const char *const term_suffixes[TERM_COUNT] = {".png", ".svg", ".pdf", ".txt"};

const char *gnuplot_term_suffix(enum gnuplot_term t)
{
	return term_suffixes[t];
}

enum gnuplot_term gnuplot_term_parse(const char *name)
{
	int t = 0;

	while (t < TERM_COUNT && strcmp(name, term_names[t]) != 0)
		t++;
	return (enum gnuplot_term)t;
}

enum gnuplot_term gnuplot_terminal(const struct gnuplot *g)
{
	return g->term;
}

int gnuplot_columns(const struct gnuplot *g)
{
	return g->columns;
}

int gnuplot_points(const struct gnuplot *g, const char *text)
{
	int points = TITLE_POINTS, columns = utf8_columns(text, strlen(text));

	while (points > LEAST_POINTS && columns * points * CHARACTER > g->width - TITLE_SIDES)
		points--;
	return points;
}

static FILE *open_in(const struct gnuplot *g, const char *name, const char *mode, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", g->dir, name);
	FILE *f = fopen(path, mode);

	if (!f)
		ht_err_set(err, "%s: cannot be opened: %s", path, strerror(errno));
	free(path);
	return f;
}

struct gnuplot *gnuplot_create(enum gnuplot_term term, int columns, struct ht_err *err)
{
	struct gnuplot *g = ht_alloc(1, sizeof(*g));
	const char *tmp = getenv("TMPDIR");

	g->term = term;
	g->columns = columns;
	g->dir = ht_asprintf("%s/heterotune-plot.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(g->dir)) {
		ht_err_set(err, "%s: cannot be made a directory: %s", g->dir, strerror(errno));
		free(g->dir);
		g->dir = NULL;
		goto fail;
	}
	g->script = open_in(g, SCRIPT_NAME, "w", err);
	if (!g->script)
		goto fail;
	return g;
fail:
	gnuplot_free(g);
	return NULL;
}

static void close_file(struct gnuplot *g, FILE **f)
{
	int bad;

	if (!*f)
		return;
	errno = 0;
	bad = ferror(*f);
	bad |= fclose(*f);
	if (bad)
		ht_err_set(&g->err, "%s: cannot be written: %s", g->dir, strerror(errno ? errno : EIO));
	*f = NULL;
}

void gnuplot_free(struct gnuplot *g)
{
	if (!g)
		return;
	close_file(g, &g->script);
	close_file(g, &g->data);
	if (g->dir)
		dir_remove(g->dir);
	free(g->dir);
	free(g);
}

static void write_terminal(FILE *f, const struct gnuplot *g, int width, int height)
{
	switch (g->term) {
	case TERM_PNG:
		/* Same picture where gnuplot was built without cairo, in plainer letters. */
		fprintf(f,
		        "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
		        "set terminal pngcairo noenhanced size %d,%d font 'sans,11' linewidth 1\n} else {\n"
		        "set terminal png noenhanced truecolor size %d,%d\n}\n",
		        width, height, width, height);
		break;
	case TERM_SVG:
		fprintf(f, "set terminal svg noenhanced size %d,%d font 'sans,13' background '#ffffff' name 'plot'\n",
		        width, height);
		break;
	case TERM_PDF:
		fprintf(f, "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'sans,11' linewidth 1\n",
		        width / 96.0, height / 96.0);
		break;
	default: fprintf(f, "set terminal dumb noenhanced mono size %d,%d\n", g->columns, height / 20);
	}
}

FILE *gnuplot_script(struct gnuplot *g, int width, int height)
{
	FILE *f = g->script;

	g->width = width;
	write_terminal(f, g, width, height);
	fputs("set output '" IMAGE_NAME "'\n"
	      "set encoding utf8\n"
	      "set datafile separator whitespace\n",
	      f);
	if (g->term != TERM_DUMB)
		fputs("set border 3 linewidth 1 linecolor rgb '#606060'\n"
		      "set tics out nomirror scale 0.6\n"
		      "set grid ytics back linetype 1 linewidth 0.6 linecolor rgb '#dddddd'\n"
		      "set key outside right top vertical Left reverse samplen 1.2 spacing 1.15 width 1\n",
		      f);
	else
		fputs("set border 3\nset tics nomirror\nset key outside bottom center horizontal\n", f);
	return f;
}

/* Where there is no file the script takes what is written: it will not be run. */
FILE *gnuplot_data(struct gnuplot *g, const char *name)
{
	close_file(g, &g->data);
	g->data = open_in(g, name, "w", &g->err);
	return g->data ? g->data : g->script;
}

struct ht_err *gnuplot_err(struct gnuplot *g)
{
	return &g->err;
}

/* percent: for a percent sign. */
static void put_text(FILE *script, const char *text, const char *percent)
{
	const char *s = text;

	/*
	 * In single quotes gnuplot expands neither backquotes nor macros nor backslashes. It takes '' there for one
	 * quote, but not at the start nor behind another one.
	 */
	fputc('\'', script);
	while (*s) {
		int n = utf8_length(s);

		if (n == 0)
			fputc('?', script);
		else if (n == 1 && ((unsigned char)*s < 0x20 || *s == 0x7f))
			fputc(' ', script);
		else if (n == 1 && *s == '\'')
			fputs("'.\"'\".'", script);
		else if (n == 1 && *s == '%')
			fputs(percent, script);
		else
			fwrite(s, 1, (size_t)n, script);
		s += n ? n : 1;
	}
	fputc('\'', script);
}

void gnuplot_text(FILE *script, const char *text)
{
	put_text(script, text, "%");
}

void gnuplot_tic(FILE *script, const char *text)
{
	put_text(script, text, "%%");
}

static int not_found(struct ht_err *err)
{
	return ht_err_set(err, "gnuplot was not found: plots need it installed, in a directory of PATH");
}

int gnuplot_present(struct ht_err *err)
{
	return path_has_program("gnuplot") ? 0 : not_found(err);
}

/*
 * In the child: the directory, the three standard streams, the signals, the environment, gnuplot. Writes the errno of a
 * failure into `report`.
 */
static _Noreturn void become_gnuplot(const struct gnuplot *g, int report)
{
	char *const argv[] = {"gnuplot", "--default-settings", SCRIPT_NAME, NULL};
	int null, log, code;
	sigset_t none;

	if (chdir(g->dir) != 0)
		goto fail;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	log = open(LOG_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (null < 0 || log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		goto fail;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("GNUTERM");
	execvp(argv[0], argv);
fail:
	code = errno;
	while (write(report, &code, sizeof(code)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Returns the status of waitpid(), or -1: gnuplot could not be started. */
static int run_child(const struct gnuplot *g, struct ht_err *err)
{
	int report[2], code = 0, status = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0)
		return ht_err_set(err, "gnuplot cannot be started: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_gnuplot(g, report[1]);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return ht_err_set(err, "gnuplot cannot be started: %s", strerror(errno));
	}
	do
		got = read(report[0], &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return ht_err_set(err, "gnuplot cannot be waited for: %s", strerror(errno));
	if (got > 0 && code == ENOENT)
		return not_found(err);
	if (got > 0)
		return ht_err_set(err, "gnuplot cannot be started: %s", strerror(code));
	return status;
}

/* The last lines of what gnuplot wrote, in one line. */
static void last_lines(const struct gnuplot *g, char *buf, size_t size)
{
	FILE *f = open_in(g, LOG_NAME, "r", NULL);
	char line[256], kept[3][256] = {{0}};
	size_t n = 0, used = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *s = line + strspn(line, " \t\r\n^");

		s[strcspn(s, "\r\n")] = '\0';
		if (*s)
			memmove(kept[n++ % 3], s, strlen(s) + 1);
	}
	if (f)
		fclose(f);
	buf[0] = '\0';
	for (size_t i = n > 3 ? n - 3 : 0; i < n && used < size; i++) {
		int w = snprintf(buf + used, size - used, "%s%s", used ? " | " : "", kept[i % 3]);

		used += w > 0 ? (size_t)w : 0;
	}
	if (!n)
		snprintf(buf, size, "it wrote nothing");
}

/* gnuplot may end well and have drawn nothing: a picture is a file that has something in it. */
static int picture_drawn(const char *picture)
{
	struct stat st;

	return stat(picture, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

/*
 * cairo puts the time into a PDF, from 1.18 on into what it compresses, where it stays. As many digits as before, or
 * the offsets in the file would be wrong.
 */
static void undate(char *text, size_t len)
{
	static const char key[] = "/CreationDate (D:";
	char *at = memmem(text, len, key, sizeof(key) - 1);

	if (!at)
		return;
	for (at += sizeof(key) - 1; at < text + len && *at >= '0' && *at <= '9'; at++)
		*at = '0';
}

char *gnuplot_draw(struct gnuplot *g, size_t *len, struct ht_err *err)
{
	char *picture = ht_asprintf("%s/" IMAGE_NAME, g->dir), *text = NULL, words[800];
	int status;

	fputs("\nunset output\n", g->script);
	close_file(g, &g->script);
	close_file(g, &g->data);
	if (*g->err.text) {
		ht_err_set(err, "%s", g->err.text);
		goto out;
	}
	status = interrupt_pending() ? ht_err_set(err, "interrupted") : run_child(g, err);
	if (status == -1)
		goto out;
	if (status != 0 || !picture_drawn(picture)) {
		last_lines(g, words, sizeof(words));
		if (WIFSIGNALED(status))
			ht_err_set(err, "gnuplot was ended by signal %d: %s", WTERMSIG(status), words);
		else
			ht_err_set(err, "gnuplot drew nothing and ended with status %d: %s", WEXITSTATUS(status),
			           words);
		goto out;
	}
	text = file_read(picture, MAX_PICTURE_BYTES, len, err);
	if (text && g->term == TERM_PDF)
		undate(text, *len);
out:
	free(picture);
	return text;
}

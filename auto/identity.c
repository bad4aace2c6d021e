/* auto/identity.c - what a result of `auto` is of: command line, environment, program. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/identity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto/steps.h"
#include "core/base/alloc.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/run/manifest.h"

static const char *const names[IDENTITY_PARTS] = {STEPS_FIRST, "environment", "program"};

static uint64_t hash_text(uint64_t h, const char *text)
{
	return hash64(h, text, strlen(text) + 1);
}

static uint64_t hash_environment(void)
{
	uint64_t h = HASH64_START;
	size_t n;
	char **vars = manifest_environment(&n);

	for (size_t i = 0; i < n; i++)
		h = hash_text(h, vars[i]);
	free(vars);
	return h;
}

/*
 * As execvp() finds it: a word with a slash is a path, others are looked up, in the working directory where an entry of
 * PATH is empty. free() it; NULL: there is none.
 */
static char *find_program(const char *word)
{
	const char *dirs = getenv("PATH");

	if (strchr(word, '/'))
		return realpath(word, NULL);
	while (dirs) {
		size_t len = strcspn(dirs, ":");
		char *path = ht_asprintf("%.*s/%s", len ? (int)len : 1, len ? dirs : ".", word);
		struct stat st;
		int is_it = stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
		char *real = is_it ? realpath(path, NULL) : NULL;

		free(path);
		if (real)
			return real;
		dirs = dirs[len] ? dirs + len + 1 : NULL;
	}
	return NULL;
}

static uint64_t hash_program(const char *word)
{
	char *path = find_program(word);
	uint64_t h = HASH64_START;
	struct stat st;

	if (path && stat(path, &st) == 0) {
		h = hash_text(h, path);
		h = hash64(h, &st.st_size, sizeof(st.st_size));
		h = hash64(h, &st.st_mtim, sizeof(st.st_mtim));
	}
	free(path);
	return h;
}

void identity_of(struct identity *x, char *const *words)
{
	x->parts[IDENTITY_COMMAND] = HASH64_START;
	for (char *const *w = words; *w; w++)
		x->parts[IDENTITY_COMMAND] = hash_text(x->parts[IDENTITY_COMMAND], *w);
	x->parts[IDENTITY_ENVIRONMENT] = hash_environment();
	x->parts[IDENTITY_PROGRAM] = hash_program(words[0]);
}

const char *identity_differs(const struct identity *x, const struct steps *s)
{
	static const char *const words[IDENTITY_PARTS] = {"command line", "environment", "program file"};

	for (int i = 0; i < IDENTITY_PARTS; i++) {
		if (!steps_has(s, names[i]))
			return "";
		if (!steps_is_done(s, names[i], x->parts[i]))
			return words[i];
	}
	return NULL;
}

int identity_save(const struct identity *x, struct steps *s, struct ht_err *err)
{
	for (int i = 0; i < IDENTITY_PARTS; i++)
		if (steps_put(s, names[i], x->parts[i], err) != 0)
			return -1;
	return 0;
}

char *identity_dir(const struct identity *x, const char *program, int fresh)
{
	for (int i = 1; !fresh; i++) {
		char *dir = path_numbered(program, ".tuned", i);
		struct steps s;
		int same;

		if (!file_exists(dir)) {
			free(dir);
			break;
		}
		steps_open(&s, dir, 0);
		same = identity_differs(x, &s) == NULL;
		steps_free(&s);
		if (same)
			return dir;
		free(dir);
	}
	return path_unused(program, ".tuned");
}

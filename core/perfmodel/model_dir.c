/* core/perfmodel/model_dir.c - the performance models of one host in a directory of samplings. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A file is SYMBOL.HOST; StarPU leaves the host out where the symbol has a dot. Both may have dots, so a name alone
 * does not say where the host starts. What decides: the host that was asked for, then the hosts that have bus files
 * (DIR/bus/HOST.config or .bandwidth), then the first dot.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/perfmodel/model_parts.h"

struct names {
	char **at;
	size_t count, cap;
};

static void names_free(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->at[i]);
	free(n->at);
}

static int names_has(const struct names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->at[i], name) == 0)
			return 1;
	return 0;
}

static void names_add(struct names *n, const char *name, size_t len)
{
	char *copy = ht_strndup(name, len);

	if (names_has(n, copy))
		free(copy);
	else
		*VEC_PUSH(n->at, n->count, n->cap) = copy;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_sort(struct names *n)
{
	if (n->count)
		qsort(n->at, n->count, sizeof(*n->at), by_text);
}

/* The files in a directory, sorted; one that is not there has none. Files of 0 bytes are left out. */
static int list(const char *dir, struct names *n, struct ht_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return errno == ENOENT ? 0 : ht_err_set(err, "%s: cannot be read: %s", dir, strerror(errno));
	while ((e = readdir(d)) != NULL) {
		char *path = ht_asprintf("%s/%s", dir, e->d_name);
		struct stat st;

		if (e->d_name[0] != '.' && stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
			*VEC_PUSH(n->at, n->count, n->cap) = ht_strndup(e->d_name, strlen(e->d_name));
		free(path);
	}
	closedir(d);
	names_sort(n);
	return 0;
}

/* Its first line that is neither empty nor a comment is a version alone. */
static int looks_like_model(const char *dir, const char *name)
{
	char *path = ht_asprintf("%s/%s", dir, name), line[256] = "";
	FILE *f = file_open_stream(path, NULL);
	int version = 0, used = 0;

	free(path);
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f) && (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0'))
		;
	fclose(f);
	return sscanf(line, "%3d %n", &version, &used) == 1 && !line[used] && version >= 42 && version <= 45;
}

static int hosts_with_bus(const char *dir, struct names *hosts, struct ht_err *err)
{
	static const char *const suffixes[] = {".config", ".bandwidth"};
	char *bus = ht_asprintf("%s/bus", dir);
	struct names files = {0};
	int rc = list(bus, &files, err);

	for (size_t i = 0; i < files.count; i++)
		for (int k = 0; k < 2; k++) {
			size_t len = strlen(files.at[i]), end = strlen(suffixes[k]);

			if (len > end && strcmp(files.at[i] + len - end, suffixes[k]) == 0)
				names_add(hosts, files.at[i], len - end);
		}
	names_free(&files);
	free(bus);
	return rc;
}

/* The host in a file's name: the longest of the known ones it ends with, NULL when there is none. */
static const char *known_host(const char *name, const struct names *known)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
		if (dot > name && names_has(known, dot + 1))
			return dot + 1;
	return NULL;
}

/* The host of all files, "" when no name has one; in `hosts`, which keeps it, are all that were found. */
static const char *only_host(const struct names *files, const struct names *known, struct names *hosts)
{
	for (size_t i = 0; i < files->count; i++) {
		const char *host = known_host(files->at[i], known);

		if (host)
			names_add(hosts, host, strlen(host));
	}
	if (hosts->count == 0)
		for (size_t i = 0; i < files->count; i++) {
			const char *dot = strchr(files->at[i], '.');

			if (dot && dot[1])
				names_add(hosts, dot + 1, strlen(dot + 1));
		}
	return hosts->count ? hosts->at[0] : "";
}

static const char *choose_host(const char *dir, const struct names *files, const struct names *known,
                               struct names *hosts, struct ht_err *err)
{
	const char *host = only_host(files, known, hosts);
	char names[400] = "";
	size_t len = 0;

	if (hosts->count <= 1)
		return host;
	names_sort(hosts);
	for (size_t i = 0; i < hosts->count && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "", hosts->at[i]);
	ht_err_set(err, "%s: models of %zu hosts, expected the name of one of them: %s", dir, hosts->count, names);
	return NULL;
}

/* The length of the symbol in a file's name when it is a model of `host`, else 0. */
static size_t symbol_length(const char *name, const char *host, const struct names *known)
{
	const char *other = known_host(name, known), *dot = strchr(name, '.');
	size_t len = strlen(name), end = strlen(host);

	if (*host && len > end + 1 && name[len - end - 1] == '.' && strcmp(name + len - end, host) == 0)
		return !other || strlen(other) <= end ? len - end - 1 : 0;
	if (!dot || !*host)
		return len;
	/* A symbol with a dot, or the model of a host without bus files: its whole name is unique. */
	return other ? 0 : len;
}

static int add_files(struct model_set *set, const char *dir, const struct names *files, const char *host,
                     const struct names *known, struct ht_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->count; i++) {
		size_t len = symbol_length(files->at[i], host, known);
		char *symbol = ht_strndup(files->at[i], len), *path = ht_asprintf("%s/%s", dir, files->at[i]);

		if (len && !model_find(set, symbol))
			rc = model_set_add_file(set, path, symbol, host, err);
		free(symbol);
		free(path);
	}
	return rc;
}

enum { NDIRS = 5 };

/* The files of every place below dir: codelets/45 to codelets/42, or dir itself. */
static int list_places(const char *dir, char *places[NDIRS], struct names files[NDIRS], struct ht_err *err)
{
	char *codelets = ht_asprintf("%s/codelets", dir);
	int flat = !file_exists(codelets), rc = 0;
	struct names all = {0};

	for (int v = 0; v < 4; v++) {
		places[v] = ht_asprintf("%s/%d", codelets, 45 - v);
		if (rc == 0 && !flat)
			rc = list(places[v], &files[v], err);
	}
	places[4] = ht_strndup(dir, strlen(dir));
	if (flat && (rc = list(dir, &all, err)) == 0)
		for (size_t i = 0; i < all.count; i++)
			if (looks_like_model(dir, all.at[i]))
				names_add(&files[4], all.at[i], strlen(all.at[i]));
	names_free(&all);
	free(codelets);
	return rc;
}

int model_set_add_dir(struct model_set *set, const char *dir, const char *host, struct ht_err *err)
{
	struct names files[NDIRS] = {{0}}, known = {0}, hosts = {0}, all = {0};
	char *places[NDIRS] = {NULL};
	int rc = -1;

	if (!file_exists(dir))
		return ht_err_set(err, "%s: is not there, expected a directory of performance models", dir);
	if (list_places(dir, places, files, err) != 0 || hosts_with_bus(dir, &known, err) != 0)
		goto out;
	for (int v = 0; v < NDIRS; v++)
		for (size_t i = 0; i < files[v].count; i++)
			names_add(&all, files[v].at[i], strlen(files[v].at[i]));
	if (!host)
		host = choose_host(dir, &all, &known, &hosts, err);
	rc = host ? 0 : -1;
	for (int v = 0; rc == 0 && v < NDIRS; v++)
		rc = add_files(set, places[v], &files[v], host, &known, err);
out:
	for (int v = 0; v < NDIRS; v++) {
		names_free(&files[v]);
		free(places[v]);
	}
	names_free(&known);
	names_free(&hosts);
	names_free(&all);
	return rc;
}

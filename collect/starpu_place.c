/* collect/starpu_place.c - where the StarPU is that setup/starpu found or built. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/starpu_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"

enum { MAX_BYTES = 1 << 20 };

#define DEFAULT_VERSION "1.4.10" /* of setup/starpu, which installs it as if no version were asked for */

static const char *flavour_name(enum starpu_flavour flavour)
{
	return flavour == STARPU_SIMGRID ? "simgrid" : "native";
}

/* Of a command that prints one line; NULL: it fails, or prints nothing. */
static char *line_of(const char *command)
{
	char text[4096];
	FILE *f = popen(command, "r");
	int got = f && fgets(text, sizeof(text), f);

	if (!f || pclose(f) != 0 || !got)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return *text ? ht_strndup(text, strlen(text)) : NULL;
}

/* A variable of DIR/starpu-1.4.pc: "name=value" or "Name: value". */
static char *pc_value(const char *dir, const char *name)
{
	char *path = ht_asprintf("%s/starpu-1.4.pc", dir), *state = NULL, *value = NULL;
	char *text = file_read(path, MAX_BYTES, NULL, NULL);
	size_t len = strlen(name);

	for (char *line = text ? strtok_r(text, "\n", &state) : NULL; line && !value;
	     line = strtok_r(NULL, "\n", &state))
		if (strncmp(line, name, len) == 0 && (line[len] == '=' || line[len] == ':')) {
			line += len + 1 + strspn(line + len + 1, " ");
			value = ht_strndup(line, strlen(line));
		}
	free(text);
	free(path);
	return value;
}

/* 0: there is a StarPU at p's places, which otherwise are forgotten. */
static int look(struct starpu_place *p)
{
	char *path, *header;

	if (p->prefix && p->libdir && p->pcdir)
		p->version = pc_value(p->pcdir, "Version");
	if (!p->version) {
		starpu_place_fini(p);
		*p = (struct starpu_place){.prefix = NULL};
		return -1;
	}
	path = ht_asprintf("%s/include/starpu/1.4/starpu_config.h", p->prefix);
	header = file_read(path, MAX_BYTES, NULL, NULL);
	p->has_fxt = header && strstr(header, "#define STARPU_USE_FXT 1");
	free(header);
	free(path);
	return 0;
}

/* Where set-up has installed it, or a user by hand. */
static int look_below(struct starpu_place *p, char *prefix)
{
	if (!prefix)
		return -1;
	p->prefix = prefix;
	p->libdir = ht_asprintf("%s/lib", prefix);
	p->pcdir = ht_asprintf("%s/lib/pkgconfig", prefix);
	return look(p);
}

/* Systems have it elsewhere below their prefix: Debian in lib/x86_64-linux-gnu, others in lib64. */
static int look_in_system(struct starpu_place *p)
{
	p->prefix = line_of("pkg-config --variable=prefix starpu-1.4 2>/dev/null");
	p->libdir = line_of("pkg-config --variable=libdir starpu-1.4 2>/dev/null");
	p->pcdir = line_of("pkg-config --variable=pcfiledir starpu-1.4 2>/dev/null");
	return look(p);
}

/* The cache of setup/starpu; NULL: neither variable is set. */
static char *cache_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache)
		return ht_asprintf("%s/heterotune", cache);
	return home && *home ? ht_asprintf("%s/.cache/heterotune", home) : NULL;
}

int starpu_place_find(struct starpu_place *p, enum starpu_flavour flavour, struct ht_err *err)
{
	const char *asked = getenv("HETEROTUNE_STARPU"), *name = flavour_name(flavour);
	char *cache = cache_dir(), *prefix;
	int rc;

	*p = (struct starpu_place){.prefix = NULL};
	if (asked && (!*asked || strcmp(asked, DEFAULT_VERSION) == 0))
		asked = NULL;
	if (asked && *asked == '/')
		prefix = ht_asprintf("%s/%s", asked, name);
	else if (cache && asked)
		prefix = ht_asprintf("%s/%s/starpu-%s", cache, asked, name);
	else
		prefix = cache ? ht_asprintf("%s/starpu-%s", cache, name) : NULL;
	rc = look_below(p, prefix);
	if (rc != 0 && flavour == STARPU_NATIVE && !asked)
		rc = look_in_system(p);
	if (rc != 0)
		ht_err_set(err,
		           "there is no StarPU 1.4 (%s)%s%s%s%s: 'setup/starpu %s', in heterotune's source, builds one",
		           name, cache ? " in " : "", cache ? cache : "",
		           flavour == STARPU_NATIVE ? ", and pkg-config knows none" : "",
		           asked ? ", and HETEROTUNE_STARPU asks for another one" : "", name);
	free(cache);
	return rc;
}

void starpu_place_fini(struct starpu_place *p)
{
	free(p->prefix);
	free(p->libdir);
	free(p->pcdir);
	free(p->version);
}

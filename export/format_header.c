/* export/format_header.c - a C header with the callback that gives StarPU the setting, for StarPU 1.3 and 1.4. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The header is code that never changes (export/heterotune.h.in, compiled as C99 and as C++ with warnings as errors,
 * against StarPU 1.3 and 1.4) around the tables of the config. StarPU asserts that exactly the architectures that
 * map a bucket are valid for it, so the code maps what is present and nothing else; a bucket that no present
 * architecture has in its list goes to the end of the lists of those that can run it, or its first task would end the
 * program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/config/config_match.h"
#include "core/config/config_words.h"
#include "export/export.h"
#include "export/heterotune.h.in.h"

/* What an architecture is called in StarPU's headers; NULL where a version does not have it. */
static const struct {
	const char *word, *where, *v3_worker, *v3_heteroprio, *v4;
} archs[ARCH_COUNT] = {
	[ARCH_CPU] = {"CPU", "STARPU_CPU", "STARPU_CPU_WORKER", "STARPU_CPU_IDX", "STARPU_CPU_WORKER"},
	[ARCH_CUDA] = {"CUDA", "STARPU_CUDA", "STARPU_CUDA_WORKER", "STARPU_CUDA_IDX", "STARPU_CUDA_WORKER"},
	[ARCH_OPENCL] = {"OPENCL", "STARPU_OPENCL", "STARPU_OPENCL_WORKER", "STARPU_OPENCL_IDX",
                         "STARPU_OPENCL_WORKER"},
	[ARCH_MIC] = {"MIC", "STARPU_MIC", "STARPU_MIC_WORKER", "STARPU_MIC_IDX", NULL},
	[ARCH_FPGA] = {"FPGA", "STARPU_MAX_FPGA", NULL, NULL, "STARPU_MAX_FPGA_WORKER"},
	[ARCH_MPI_MS] = {"MPI_MS", "STARPU_MPI_MS", "STARPU_MPI_MS_WORKER", "STARPU_MPI_MS_IDX",
                         "STARPU_MPI_MS_WORKER"},
	[ARCH_TCPIP_MS] = {"TCPIP_MS", "STARPU_TCPIP_MS", NULL, NULL, "STARPU_TCPIP_MS_WORKER"},
	[ARCH_HIP] = {"HIP", "STARPU_HIP", NULL, NULL, "STARPU_HIP_WORKER"},
	[ARCH_SYCL] = {"SYCL", "STARPU_SYCL", NULL, NULL, "STARPU_SYCL_WORKER"},
};

/* Names come from applications: in a comment only what can neither end it nor confuse an editor. */
static void put_comment(FILE *f, const char *s)
{
	for (; s && *s; s++)
		putc((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-' ||
		                     *s == '.' || *s == ' ' || *s == '=' || *s == ',' ?
		             *s :
		             '_',
		     f);
}

/*
 * A string literal; octal escapes have three digits, so what follows never belongs to them, and '?' makes no
 * trigraph.
 */
static void put_literal(FILE *f, const char *s)
{
	putc('"', f);
	for (; s && *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '?')
			fprintf(f, "\\%03o", c);
		else
			putc(c, f);
	}
	putc('"', f);
}

/* The config is of another policy, with the best setting of Heteroprio beside it. */
static void put_other_policy(FILE *f, const struct config *c)
{
	char text[CONFIG_WORDS];

	fputs("/*\n * In replays no setting of Heteroprio was clearly faster than ", f);
	put_comment(f, config_words(c, text));
	fputs(".\n * Leave this header out, and start the application so:\n *\n *\t", f);
	if (config_needs_library(c))
		fputs("heterotune run CONFIG --", f);
	else
		put_comment(f, config_variables(c, text));
	fputs(" COMMAND\n */\n", f);
}

static void put_title(FILE *f, const struct config *c)
{
	const int is_chosen = strcmp(c->policy, "heteroprio") == 0;
	const char *plus = "";

	fputs("/* StarPU Heteroprio setting ", f);
	if (is_chosen)
		put_comment(f, c->chosen);
	else
		fprintf(f, "of %d bucket%s", c->nbuckets, plural((uint64_t)c->nbuckets));
	fputs(" for ", f);
	for (int a = 0; a < ARCH_COUNT; a++)
		if (c->workers[a]) {
			fprintf(f, "%s%d %s", plus, c->workers[a], arch_name((enum arch)a));
			plus = " + ";
		}
	if (*c->machine_name) {
		fputs(" (", f);
		put_comment(f, c->machine_name);
		putc(')', f);
	}
	fputs(". Written by heterotune. */\n", f);
	if (!is_chosen)
		put_other_policy(f, c);
}

static void put_locality(FILE *f, const struct config *c)
{
	const struct config_locality *l = &c->locality;

	if (!l->enabled)
		return;
	fputs("/*\n * The setting counts on StarPU 1.4's locality mode. In the environment of the application:\n"
	      " *\n *\tSTARPU_HETEROPRIO_USE_LA=1\n",
	      f);
	if (*l->push)
		fprintf(f, " *\tSTARPU_LAHETEROPRIO_PUSH=%s\n", config_starpu_push(l->push));
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (l->step[a])
			fprintf(f, " *\tSTARPU_LAHETEROPRIO_PRIO_STEP_%s=%d\n", archs[a].word, l->step[a]);
		if (l->subgroup[a])
			fprintf(f, " *\tSTARPU_LAHETEROPRIO_S_%s=%d\n", archs[a].word, l->subgroup[a]);
	}
	fputs(" */\n", f);
}

static void put_startup(FILE *f, const struct config *c)
{
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	int n = starpu_env_vars(&c->starpu_env, c->workers, vars);

	if (n)
		fputs("/*\n * The setting was found for StarPU started in this way. In the environment of the application:\n *\n",
		      f);
	for (int i = 0; i < n; i++)
		fprintf(f, " *\t%s=%s\n", vars[i].name, vars[i].value);
	if (n)
		fputs(" */\n", f);
}

/* The architectures that the tables name. */
static arch_mask used_archs(const struct config *c)
{
	arch_mask used = 0;

	for (int b = 0; b < c->nbuckets; b++)
		used |= c->buckets[b].where;
	return used;
}

/* One row of the table, in the words of the version that is compiled against. */
static void put_arch(FILE *f, const struct config *c, int a)
{
	const struct config_list *l = &c->lists[a];

	if (!archs[a].v4)
		fputs("#ifdef HETEROTUNE_STARPU_1_3\n", f);
	else if (!archs[a].v3_worker)
		fputs(a == ARCH_SYCL ? "#ifdef STARPU_SYCL /* StarPU 1.5 */\n" : "#ifndef HETEROTUNE_STARPU_1_3\n", f);
	fprintf(f, "\t\t{HETEROTUNE_%s_WORKER, HETEROTUNE_%s, (int)%s, 0x%x, %d, {", archs[a].word, archs[a].word,
	        archs[a].where, 1u << a, l->count);
	for (int i = 0; i < l->count; i++)
		fprintf(f, "%s%d", i ? ", " : "", l->buckets[i]);
	fprintf(f, "%s}},\n", l->count ? "" : "0");
	if (!archs[a].v4 || !archs[a].v3_worker)
		fputs("#endif\n", f);
}

static void put_archs(FILE *f, const struct config *c)
{
	for (int a = 0; a < ARCH_COUNT; a++)
		if (used_archs(c) >> a & 1)
			put_arch(f, c, a);
}

static void put_names(FILE *f, const struct config *c)
{
	arch_mask used = used_archs(c);

	fputs("#if STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4\n"
	      "#define HETEROTUNE_STARPU_1_3 1\n"
	      "#define HETEROTUNE_CALLBACK sched_policy_init\n"
	      "typedef enum starpu_heteroprio_types heterotune_arch;\n",
	      f);
	for (int a = 0; a < ARCH_COUNT; a++)
		if ((used >> a & 1) && archs[a].v3_worker)
			fprintf(f, "#define HETEROTUNE_%s %s\n#define HETEROTUNE_%s_WORKER %s\n", archs[a].word,
			        archs[a].v3_heteroprio, archs[a].word, archs[a].v3_worker);
	fputs("#else\n"
	      "#define HETEROTUNE_CALLBACK sched_policy_callback\n"
	      "typedef enum starpu_worker_archtype heterotune_arch;\n",
	      f);
	for (int a = 0; a < ARCH_COUNT; a++)
		if ((used >> a & 1) && archs[a].v4)
			fprintf(f, "#define HETEROTUNE_%s %s\n#define HETEROTUNE_%s_WORKER %s\n", archs[a].word,
			        archs[a].v4, archs[a].word, archs[a].v4);
	fputs("#endif\n\n", f);
}

/*
 * Number, where, fastest and a factor for each bit. With the CPU as the fastest StarPU tests no factor, so none is
 * given.
 */
static void put_bucket(FILE *f, const struct config *c, int b)
{
	const struct config_bucket *k = &c->buckets[b];

	fprintf(f, "\t\t{%d, 0x%x, 0x%x, {", config_starpu_number(c, b), k->where,
	        k->fastest == ARCH_NONE || k->fastest == ARCH_CPU ? 0 : 1u << k->fastest);
	for (int a = 0; a < ARCH_COUNT; a++) {
		/* Compilers warn of a literal that is 0 as a float. */
		int is_given = k->fastest != ARCH_CPU && (float)k->slow_factor[a] > 0;
		char text[32];

		fputs(a ? ", " : "", f);
		number_text(text, is_given ? k->slow_factor[a] : 0);
		fprintf(f, "%s%sf", text, text[strcspn(text, ".e")] ? "" : ".0");
	}
	fputs("}}, /* ", f);
	put_comment(f, k->name);
	fputs(" */\n", f);
}

static void put_buckets(FILE *f, const struct config *c)
{
	for (int b = 0; b < c->nbuckets; b++)
		put_bucket(f, c, b);
}

static void put_sizes(FILE *f, const struct config *c)
{
	struct config_match *m = config_match_create(c);

	fprintf(f, "enum { HETEROTUNE_BUCKETS = %d, HETEROTUNE_KINDS = %d };\n", c->nbuckets, config_match_nkinds(m));
	config_match_free(m);
}

static void put_kinds(FILE *f, const struct config *c)
{
	struct config_match *m = config_match_create(c);
	int last = -1;

	for (uint32_t i = 0; i < config_match_nmembers(m); i++) {
		int kind, bucket;
		const struct config_member *member = config_match_member(m, i, &kind, &bucket);

		if (kind == last)
			continue;
		last = kind;
		fputs("\t\t{", f);
		put_literal(f, member->codelet);
		fputs(", ", f);
		put_literal(f, member->model);
		fputs("},\n", f);
	}
	config_match_free(m);
}

/* The least integer is no literal of C. */
static void put_priority(FILE *f, int32_t priority)
{
	if (priority == INT32_MIN)
		fputs("-2147483647 - 1", f);
	else
		fprintf(f, "%" PRId32, priority);
}

static void put_members(FILE *f, const struct config *c)
{
	struct config_match *m = config_match_create(c);

	for (uint32_t i = 0; i < config_match_nmembers(m); i++) {
		int kind, bucket;
		const struct config_member *member = config_match_member(m, i, &kind, &bucket);

		fprintf(f, "\t\t{%d, %d, %u, 0x%" PRIx32 "u, {", kind, config_starpu_number(c, bucket), member->limits,
		        member->footprint);
		put_priority(f, member->priority[0]);
		fputs(", ", f);
		put_priority(f, member->priority[1]);
		fprintf(f, "}, {%" PRIu32 "u, %" PRIu32 "u}},\n", member->submission[0], member->submission[1]);
	}
	config_match_free(m);
}

static int write_header(const struct export_source *s, const char *out, struct ht_err *err)
{
	static const struct {
		const char *line;
		void (*put)(FILE *f, const struct config *c);
	} parts[] = {
		{"@title\n", put_title},     {"@locality\n", put_locality}, {"@startup\n", put_startup},
		{"@names\n", put_names},     {"@sizes\n", put_sizes},       {"@archs\n", put_archs},
		{"@buckets\n", put_buckets}, {"@kinds\n", put_kinds},       {"@members\n", put_members},
	};
	struct outfile o;

	if (outfile_open(&o, out, err) != 0)
		return -1;
	for (const char *line = heterotune_h_in; *line;) {
		size_t len = strcspn(line, "\n") + 1;

		if (*line != '@')
			fwrite(line, 1, len, o.f);
		for (size_t i = 0; *line == '@' && i < sizeof(parts) / sizeof(*parts); i++)
			if (strncmp(line, parts[i].line, len) == 0)
				parts[i].put(o.f, s->config);
		line += len;
	}
	return outfile_commit(&o, err);
}

const struct export_format format_header = {
	.name = "header",
	.mark = "Written by heterotune",
	.summary = "a C header to include in the application (StarPU 1.3 and 1.4)",
	.write = write_header,
};

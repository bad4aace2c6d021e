/* core/base/xml_write.c - the writer of XML: indented, escaped, whole or not there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/base/xml.h"

struct xml_writer {
	struct outfile out;
	char **open; /* names of the elements that are open, outermost first */
	size_t depth, cap;
	int in_tag; /* the innermost has no '>' yet */
	int roots;
	char *bad; /* the first value that XML cannot hold, as a sentence; told by commit */
};

struct xml_writer *xml_writer_create(const char *path, struct ht_err *err)
{
	struct xml_writer *w = ht_alloc(1, sizeof(*w));

	if (outfile_open(&w->out, path, err) != 0) {
		free(w);
		return NULL;
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", w->out.f);
	return w;
}

static void indent(struct xml_writer *w)
{
	for (size_t i = 0; i < w->depth; i++)
		fputs("  ", w->out.f);
}

void xml_open(struct xml_writer *w, const char *name)
{
	assert(w->depth || !w->roots);
	if (w->in_tag)
		fputs(">\n", w->out.f);
	indent(w);
	fprintf(w->out.f, "<%s", name);
	*VEC_PUSH(w->open, w->depth, w->cap) = ht_strndup(name, strlen(name));
	w->in_tag = 1;
	w->roots = 1;
}

/*
 * The length of the character at s if XML 1.0 can hold it (section 2.2: tab, newline, return, and every code point from
 * U+0020 but surrogates, U+FFFE and U+FFFF); else 0.
 */
static int char_len(const char *s)
{
	if ((unsigned char)*s < 0x20)
		return *s == '\t' || *s == '\n' || *s == '\r';
	return strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0 ? 0 : utf8_length(s);
}

int xml_holds(const char *text)
{
	int len = 1;

	while (*text && (len = char_len(text)) > 0)
		text += len;
	return len > 0;
}

/* Escapes also what a reader would turn into a space (tab, newline), so that reading gives back what was written. */
static int put_escaped(FILE *f, const char *s)
{
	while (*s) {
		int len = char_len(s);

		if (!len)
			return -1;
		switch (*s) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		case '\t':
		case '\n':
		case '\r': fprintf(f, "&#%d;", *s); break;
		default: fwrite(s, 1, (size_t)len, f); break;
		}
		s += len;
	}
	return 0;
}

void xml_put(struct xml_writer *w, const char *attr, const char *fmt, ...)
{
	char small[256], *text = small;
	va_list ap;
	int n;

	assert(w->in_tag);
	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(small)) {
		text = ht_alloc((size_t)n + 1, 1);
		va_start(ap, fmt);
		vsnprintf(text, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	fprintf(w->out.f, " %s=\"", attr);
	if (put_escaped(w->out.f, text) != 0 && !w->bad)
		w->bad = ht_asprintf("<%s %s=...>: the value has a byte that XML cannot hold, expected UTF-8 text",
		                     w->open[w->depth - 1], attr);
	fputc('"', w->out.f);
	if (text != small)
		free(text);
}

void xml_close(struct xml_writer *w)
{
	char *name;

	assert(w->depth);
	name = w->open[--w->depth];
	if (w->in_tag) {
		fputs("/>\n", w->out.f);
	} else {
		indent(w);
		fprintf(w->out.f, "</%s>\n", name);
	}
	w->in_tag = 0;
	free(name);
}

int xml_writer_commit(struct xml_writer *w, struct ht_err *err)
{
	int rc = -1;

	assert(!w->depth && w->roots);
	if (w->bad)
		ht_err_set(err, "%s: cannot be written: %s", w->out.path ? w->out.path : "standard output", w->bad);
	else
		rc = outfile_commit(&w->out, err);
	xml_writer_abort(w);
	return rc;
}

void xml_writer_abort(struct xml_writer *w)
{
	if (!w)
		return;
	outfile_abort(&w->out);
	while (w->depth)
		free(w->open[--w->depth]);
	free(w->open);
	free(w->bad);
	free(w);
}

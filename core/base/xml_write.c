/* core/base/xml_write.c - the writer of XML: libxml2's, into a file that is whole or not there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <libxml/xmlwriter.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/base/xml.h"

struct xml_writer {
	struct outfile out;
	xmlTextWriterPtr text;
	const char *element; /* the last one that was opened */
	char *bad;           /* the first value that XML cannot hold, as a sentence for xml_writer_commit() */
};

/* libxml2 would print that a write failed; the file remembers it for outfile_commit(). */
static int put_bytes(void *file, const char *bytes, int count)
{
	fwrite(bytes, 1, (size_t)count, file);
	return count;
}

struct xml_writer *xml_writer_create(const char *path, struct ht_err *err)
{
	struct xml_writer *w = ht_alloc(1, sizeof(*w));
	xmlOutputBufferPtr buffer;

	if (outfile_open(&w->out, path, err) != 0) {
		free(w);
		return NULL;
	}
	buffer = xmlOutputBufferCreateIO(put_bytes, NULL, w->out.f, NULL);
	w->text = buffer ? xmlNewTextWriter(buffer) : NULL;
	if (!w->text) {
		ht_err_set(err, "%s: the writer of XML cannot be started", path);
		outfile_abort(&w->out);
		free(w);
		return NULL;
	}
	xmlTextWriterSetIndent(w->text, 1);
	xmlTextWriterSetIndentString(w->text, BAD_CAST "  ");
	xmlTextWriterStartDocument(w->text, NULL, "UTF-8", NULL);
	return w;
}

void xml_open(struct xml_writer *w, const char *name)
{
	w->element = name;
	xmlTextWriterStartElement(w->text, BAD_CAST name);
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

void xml_put(struct xml_writer *w, const char *attr, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = ht_vasprintf(fmt, ap);
	va_end(ap);
	if (xml_holds(text))
		xmlTextWriterWriteAttribute(w->text, BAD_CAST attr, BAD_CAST text);
	else if (!w->bad)
		w->bad = ht_asprintf("<%s %s=...>: the value has a byte that XML cannot hold, expected UTF-8 text",
		                     w->element, attr);
	free(text);
}

void xml_close(struct xml_writer *w)
{
	xmlTextWriterEndElement(w->text);
}

int xml_writer_commit(struct xml_writer *w, struct ht_err *err)
{
	int rc = -1;

	xmlTextWriterEndDocument(w->text);
	xmlFreeTextWriter(w->text);
	if (w->bad)
		ht_err_set(err, "%s: cannot be written: %s", w->out.path ? w->out.path : "standard output", w->bad);
	else
		rc = outfile_commit(&w->out, err);
	outfile_abort(&w->out);
	free(w->bad);
	free(w);
	return rc;
}

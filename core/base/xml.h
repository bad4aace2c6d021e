/* core/base/xml.h - XML in and out, validated. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_XML_H
#define CORE_BASE_XML_H

#include <stddef.h>

struct arena;
struct ht_err;

struct xml_attr {
	const char *name, *value;
};

struct xml_node { /* an element; text between elements is not kept */
	const char *name;
	int line;
	struct xml_attr *attrs;
	int nattrs;
	struct xml_node *child, *next;
};

/*
 * The root element, its tree in arena `a`. `schema` is RELAX NG text (XML form) or NULL. External entities and the
 * network are off; a file above 64 MiB is refused. Errors: file, line, what was found.
 */
const struct xml_node *xml_load(const char *path, const char *schema, struct arena *a, struct ht_err *err);

/* NULL when it is not there. */
const char *xml_attr(const struct xml_node *n, const char *name);
const struct xml_node *xml_child(const struct xml_node *n, const char *name); /* first child of that name */
const struct xml_node *xml_next(const struct xml_node *n, const char *name);  /* next sibling of that name */
size_t xml_count(const struct xml_node *n, const char *name);                 /* children of that name */

/* Whether a value can be written: UTF-8 text without control characters but white space. */
int xml_holds(const char *text);

/*
 * A writer: an indented document that is whole or not there (core/base/file.h). xml_open() begins an element, xml_put()
 * adds an attribute to the element that was opened last, before any child; xml_close() ends the innermost. Tabs and
 * line breaks in a value are escaped, so that xml_load() gives back what was put. `name` and `attr` are literals.
 */
struct xml_writer;
struct xml_writer *xml_writer_create(const char *path, struct ht_err *err);
void xml_open(struct xml_writer *w, const char *name);
void xml_put(struct xml_writer *w, const char *attr, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void xml_close(struct xml_writer *w);
/* Frees `w`. -1: the file could not be written, or a value does not hold (xml_holds()); `path` is as it was. */
int xml_writer_commit(struct xml_writer *w, struct ht_err *err);

#endif

/* core/base/xml.c - reading XML, validated against RELAX NG, by libxml2. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * libxml2 parses and validates; what callers see is a plain tree in their arena. External entities are never loaded (no
 * XML_PARSE_NOENT, no XML_PARSE_DTDLOAD) and a document that declares entities of its own is refused: no file of ours
 * or of StarPU does, and it is the only way in which a small document becomes a large tree. The depth is libxml2's
 * limit (256 without XML_PARSE_HUGE), so the recursion of convert() is bounded.
 */
#include "core/base/xml.h"

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"

enum { XML_MAX_BYTES = 64 << 20 };

/* The first error that libxml2 reports: later ones are its consequences. */
struct xml_complaint {
	char text[512];
	int line;
	xmlNodePtr element; /* where it is, a node of the document; NULL: not known */
};

#if LIBXML_VERSION >= 21200
typedef const xmlError *libxml_error;
#else
typedef xmlErrorPtr libxml_error;
#endif

static void complaint_take(void *data, libxml_error e)
{
	struct xml_complaint *c = data;
	size_t len;

	if (c->text[0] || !e || !e->message)
		return;
	snprintf(c->text, sizeof(c->text), "%s", e->message);
	len = strlen(c->text);
	while (len && (c->text[len - 1] == '\n' || c->text[len - 1] == ' '))
		c->text[--len] = '\0';
	for (char *s = c->text; *s; s++)
		if (*s == '\n')
			*s = ' ';
	c->line = e->line;
	c->element = e->node;
}

static xmlDocPtr parse(const char *path, const char *text, size_t len, struct ht_err *err)
{
	xmlParserCtxtPtr ctxt = xmlNewParserCtxt();
	struct xml_complaint c = {"", 0, NULL};
	xmlDocPtr doc;

	if (!ctxt) {
		ht_err_set(err, "%s: the XML parser cannot be started", path);
		return NULL;
	}
	doc = xmlCtxtReadMemory(ctxt, text, (int)len, path, NULL,
	                        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA |
	                                XML_PARSE_BIG_LINES);
	if (!doc) {
		complaint_take(&c, (libxml_error)xmlCtxtGetLastError(ctxt));
		ht_err_set(err, "%s:%d: %s, expected well-formed XML", path, c.line > 0 ? c.line : 1,
		           c.text[0] ? c.text : "the document is empty");
	}
	xmlFreeParserCtxt(ctxt);
	return doc;
}

static int refuse_entities(const char *path, xmlDocPtr doc, struct ht_err *err)
{
	xmlDtdPtr dtd = xmlGetIntSubset(doc);

	for (xmlNodePtr n = dtd ? dtd->children : NULL; n; n = n->next)
		if (n->type == XML_ENTITY_DECL)
			return ht_err_set(err, "%s: declares the entity '%s', expected a document without entities",
			                  path, n->name ? (const char *)n->name : "");
	return 0;
}

/*
 * libxml2 names the element whose attributes do not validate, and neither attribute nor value. So each attribute is
 * held against the patterns of its name that the schema has in elements of that name.
 */
enum { MOST_PATTERNS = 8, MOST_REFS = 16 };

struct patterns {
	const char *name; /* of the attribute */
	xmlNodePtr at[MOST_PATTERNS];
	int n;
};

static int is_named(xmlNodePtr n, const char *pattern, const char *name)
{
	xmlChar *own;
	int equal;

	if (n->type != XML_ELEMENT_NODE || strcmp((const char *)n->name, pattern) != 0)
		return 0;
	own = xmlGetNoNsProp(n, (const xmlChar *)"name");
	equal = own && (!name || strcmp((const char *)own, name) == 0);
	xmlFree(own);
	return equal;
}

static xmlNodePtr definition_of(xmlNodePtr ref)
{
	xmlChar *name = xmlGetNoNsProp(ref, (const xmlChar *)"name");
	xmlNodePtr n = xmlDocGetRootElement(ref->doc)->children;

	while (n && !is_named(n, "define", (const char *)name))
		n = n->next;
	xmlFree(name);
	return n;
}

/* Adds the patterns below `n`, and below the definitions that it refers to, but not those of elements below it. */
static void add_patterns(struct patterns *p, xmlNodePtr n, int refs)
{
	for (n = n->children; n; n = n->next) {
		if (is_named(n, "attribute", p->name) && p->n < MOST_PATTERNS)
			p->at[p->n++] = n;
		else if (is_named(n, "ref", NULL) && refs < MOST_REFS && definition_of(n))
			add_patterns(p, definition_of(n), refs + 1);
		else if (!is_named(n, "element", NULL))
			add_patterns(p, n, refs);
	}
}

static void find_patterns(struct patterns *p, xmlNodePtr schema, const char *element)
{
	for (xmlNodePtr n = schema; n; n = n->next) {
		if (is_named(n, "element", element))
			add_patterns(p, n, 0);
		find_patterns(p, n->children, element);
	}
}

/* "a whole number from 0 to 99" of a <data> of the schema; other types have the schema's own name. */
static void add_data(char **text, xmlNodePtr data)
{
	static const char *const words[][2] = {{"nonNegativeInteger", "a whole number from 0"},
	                                       {"positiveInteger", "a whole number from 1"},
	                                       {"integer", "a whole number"},
	                                       {"double", "a number"},
	                                       {"string", "text"}};
	static const char *const params[][2] = {{"minInclusive", "from"}, {"maxInclusive", "to"}, {"pattern", "as"}};
	xmlChar *type = xmlGetNoNsProp(data, (const xmlChar *)"type");
	const char *word = (const char *)type;

	for (size_t i = 0; word && i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i][0], (const char *)type) == 0)
			word = words[i][1];
	ht_append(text, "%s%s", **text ? ", " : "", word ? word : "");
	for (xmlNodePtr n = data->children; n; n = n->next)
		for (size_t i = 0; i < sizeof(params) / sizeof(*params); i++)
			if (is_named(n, "param", params[i][0])) {
				xmlChar *value = xmlNodeGetContent(n);

				ht_append(text, " %s %s", params[i][1], (const char *)value);
				xmlFree(value);
			}
	xmlFree(type);
}

/* Appends the values and kinds of values that the schema names below `n`, with ", " between them. */
static void add_values(char **text, xmlNodePtr n, int refs)
{
	for (n = n->children; n; n = n->next) {
		if (n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, "value") == 0) {
			xmlChar *value = xmlNodeGetContent(n);

			ht_append(text, "%s%s", **text ? ", " : "", (const char *)value);
			xmlFree(value);
		} else if (n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, "data") == 0) {
			add_data(text, n);
		} else if (is_named(n, "ref", NULL) && refs < MOST_REFS && definition_of(n)) {
			add_values(text, definition_of(n), refs + 1);
		} else {
			add_values(text, n, refs);
		}
	}
}

static void ignore(void *data, libxml_error e)
{
	(void)data;
	(void)e;
}

/* A schema with the same definitions, whose only element has only that attribute. NULL: it has no <start>. */
static xmlDocPtr schema_of_attribute(xmlNodePtr pattern)
{
	xmlDocPtr schema = xmlCopyDoc(pattern->doc, 1);
	xmlNodePtr grammar = xmlDocGetRootElement(schema), start = grammar ? grammar->children : NULL, element;

	while (start && strcmp((const char *)start->name, "start") != 0)
		start = start->next;
	if (!start) {
		xmlFreeDoc(schema);
		return NULL;
	}
	xmlUnlinkNode(start);
	xmlFreeNode(start);
	start = xmlNewChild(grammar, grammar->ns, (const xmlChar *)"start", NULL);
	element = xmlNewChild(start, grammar->ns, (const xmlChar *)"element", NULL);
	xmlNewProp(element, (const xmlChar *)"name", (const xmlChar *)"only");
	xmlAddChild(element, xmlDocCopyNode(pattern, schema, 1));
	return schema;
}

/* Also where that cannot be found out. */
static int pattern_takes(xmlNodePtr pattern, const xmlChar *name, const xmlChar *value)
{
	xmlDocPtr schema = schema_of_attribute(pattern), doc = xmlNewDoc(NULL);
	xmlRelaxNGParserCtxtPtr parser = schema ? xmlRelaxNGNewDocParserCtxt(schema) : NULL;
	xmlRelaxNGValidCtxtPtr valid = NULL;
	xmlRelaxNGPtr rng = NULL;
	int takes = 1;

	if (!parser || !doc)
		goto out;
	xmlDocSetRootElement(doc, xmlNewDocNode(doc, NULL, (const xmlChar *)"only", NULL));
	xmlNewProp(xmlDocGetRootElement(doc), name, value);
	xmlRelaxNGSetParserStructuredErrors(parser, (xmlStructuredErrorFunc)ignore, NULL);
	rng = xmlRelaxNGParse(parser);
	valid = rng ? xmlRelaxNGNewValidCtxt(rng) : NULL;
	if (!valid)
		goto out;
	xmlRelaxNGSetValidStructuredErrors(valid, (xmlStructuredErrorFunc)ignore, NULL);
	takes = xmlRelaxNGValidateDoc(valid, doc) == 0;
out:
	xmlRelaxNGFreeValidCtxt(valid);
	xmlRelaxNGFree(rng);
	xmlRelaxNGFreeParserCtxt(parser);
	xmlFreeDoc(doc);
	xmlFreeDoc(schema);
	return takes;
}

static int is_refused(const struct patterns *p, const xmlChar *name, const xmlChar *value)
{
	for (int i = 0; i < p->n; i++)
		if (pattern_takes(p->at[i], name, value))
			return 0;
	return p->n > 0;
}

/* A file of a later version of heterotune has a larger number than the only one that is expected. */
static int is_newer(const xmlChar *name, const xmlChar *value, const char *expected)
{
	return strcmp((const char *)name, "version") == 0 && strtod((const char *)value, NULL) > strtod(expected, NULL);
}

/* The first attribute of the element that its schema refuses, in a sentence. 0: there is none. */
static int say_attribute(const char *path, const struct xml_complaint *c, xmlDocPtr schema, struct ht_err *err)
{
	const char *element = (const char *)c->element->name;
	int is_said = 0;

	for (xmlAttrPtr at = c->element->properties; at && !is_said; at = at->next) {
		struct patterns p = {.name = (const char *)at->name};
		xmlChar *value = xmlNodeListGetString(at->doc, at->children, 1);
		const xmlChar *own = value ? value : (const xmlChar *)"";

		find_patterns(&p, xmlDocGetRootElement(schema), element);
		if (is_refused(&p, at->name, own)) {
			char *values = ht_strndup("", 0);

			add_values(&values, p.at[0], 0);
			ht_err_set(err, "%s:%d: %s of %s is \"%.60s\"%s%s%s", path, c->line, p.name, element,
			           (const char *)own, *values ? ", expected " : ", which its schema refuses", values,
			           is_newer(at->name, own, values) ? ": made by a newer heterotune" : "");
			free(values);
			is_said = 1;
		}
		xmlFree(value);
	}
	return is_said;
}

static xmlNodePtr pattern_of(xmlNodePtr schema, const char *element)
{
	xmlNodePtr found = NULL;

	for (xmlNodePtr n = schema; n && !found; n = n->next)
		found = is_named(n, "element", element) ? n : pattern_of(n->children, element);
	return found;
}

/* An attribute that the pattern asks for, wherever else it has a choice, and the element lacks; xmlFree() it. */
static xmlChar *missing_of(xmlNodePtr pattern, xmlNodePtr element, int refs)
{
	xmlChar *name = NULL;

	for (xmlNodePtr n = pattern->children; n && !name; n = n->next) {
		if (is_named(n, "attribute", NULL)) {
			name = xmlGetNoNsProp(n, (const xmlChar *)"name");
			if (xmlHasProp(element, name)) {
				xmlFree(name);
				name = NULL;
			}
		} else if (is_named(n, "ref", NULL) && refs < MOST_REFS && definition_of(n)) {
			name = missing_of(definition_of(n), element, refs + 1);
		}
	}
	return name;
}

static int say_missing(const char *path, const struct xml_complaint *c, xmlDocPtr schema, struct ht_err *err)
{
	xmlNodePtr pattern = pattern_of(xmlDocGetRootElement(schema), (const char *)c->element->name);
	xmlChar *name = pattern && strstr(c->text, "attributes") ? missing_of(pattern, c->element, 0) : NULL;

	if (!name)
		return 0;
	ht_err_set(err, "%s:%d: %s has no %s, which is expected", path, c->line, (const char *)c->element->name,
	           (const char *)name);
	xmlFree(name);
	return 1;
}

/* What libxml2 says, unless an attribute is the reason. */
static void say_invalid(const char *path, const struct xml_complaint *c, const char *schema, struct ht_err *err)
{
	xmlDocPtr doc = c->element && c->element->type == XML_ELEMENT_NODE ?
	                        xmlReadMemory(schema, (int)strlen(schema), NULL, NULL, XML_PARSE_NONET) :
	                        NULL;

	if (!doc || (!say_attribute(path, c, doc, err) && !say_missing(path, c, doc, err)))
		ht_err_set(err, "%s:%d: %s", path, c->line > 0 ? c->line : 1,
		           c->text[0] ? c->text : "is not what its schema asks for");
	xmlFreeDoc(doc);
}

static int validate(const char *path, xmlDocPtr doc, const char *schema, struct ht_err *err)
{
	xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt(schema, (int)strlen(schema));
	struct xml_complaint c = {"", 0, NULL};
	xmlRelaxNGValidCtxtPtr valid = NULL;
	xmlRelaxNGPtr rng = NULL;
	int rc = -1;

	if (parser) {
		xmlRelaxNGSetParserStructuredErrors(parser, (xmlStructuredErrorFunc)complaint_take, &c);
		rng = xmlRelaxNGParse(parser);
	}
	valid = rng ? xmlRelaxNGNewValidCtxt(rng) : NULL;
	if (!valid) {
		ht_err_set(err, "%s: its schema cannot be used: %s (line %d of the schema)", path, c.text, c.line);
		goto out;
	}
	xmlRelaxNGSetValidStructuredErrors(valid, (xmlStructuredErrorFunc)complaint_take, &c);
	if (xmlRelaxNGValidateDoc(valid, doc) != 0) {
		say_invalid(path, &c, schema, err);
		goto out;
	}
	rc = 0;
out:
	xmlRelaxNGFreeValidCtxt(valid);
	xmlRelaxNGFree(rng);
	xmlRelaxNGFreeParserCtxt(parser);
	return rc;
}

static const char *keep(struct arena *a, const xmlChar *s)
{
	const char *text = s ? (const char *)s : "";

	return arena_strndup(a, text, strlen(text));
}

static struct xml_node *convert(xmlNodePtr from, struct arena *a)
{
	struct xml_node *to = arena_alloc(a, 1, sizeof(*to)), **tail = &to->child;
	int n = 0;

	to->name = keep(a, from->name);
	to->line = (int)xmlGetLineNo(from);
	for (xmlAttrPtr at = from->properties; at; at = at->next)
		n++;
	to->attrs = arena_alloc(a, (size_t)n, sizeof(*to->attrs));
	for (xmlAttrPtr at = from->properties; at; at = at->next) {
		xmlChar *value = xmlNodeListGetString(from->doc, at->children, 1);

		to->attrs[to->nattrs].name = keep(a, at->name);
		to->attrs[to->nattrs].value = keep(a, value);
		to->nattrs++;
		xmlFree(value);
	}
	for (xmlNodePtr c = from->children; c; c = c->next)
		if (c->type == XML_ELEMENT_NODE) {
			*tail = convert(c, a);
			tail = &(*tail)->next;
		}
	return to;
}

const struct xml_node *xml_load(const char *path, const char *schema, struct arena *a, struct ht_err *err)
{
	const struct xml_node *root = NULL;
	xmlDocPtr doc = NULL;
	size_t len = 0;
	char *text = file_read(path, XML_MAX_BYTES, &len, err);

	if (!text)
		return NULL;
	doc = parse(path, text, len, err);
	if (!doc || refuse_entities(path, doc, err) != 0)
		goto out;
	if (schema && validate(path, doc, schema, err) != 0)
		goto out;
	root = convert(xmlDocGetRootElement(doc), a);
out:
	xmlFreeDoc(doc);
	free(text);
	return root;
}

const char *xml_attr(const struct xml_node *n, const char *name)
{
	for (int i = 0; i < n->nattrs; i++)
		if (strcmp(n->attrs[i].name, name) == 0)
			return n->attrs[i].value;
	return NULL;
}

static const struct xml_node *first_named(const struct xml_node *n, const char *name)
{
	while (n && strcmp(n->name, name) != 0)
		n = n->next;
	return n;
}

const struct xml_node *xml_child(const struct xml_node *n, const char *name)
{
	return first_named(n->child, name);
}

const struct xml_node *xml_next(const struct xml_node *n, const char *name)
{
	return first_named(n->next, name);
}

size_t xml_count(const struct xml_node *n, const char *name)
{
	size_t count = 0;

	for (n = xml_child(n, name); n; n = xml_next(n, name))
		count++;
	return count;
}

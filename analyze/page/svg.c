/* analyze/page/svg.c - a drawing of gnuplot's SVG terminal as a part of an HTML page. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/svg.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Begin and length of a piece of the text. */
struct piece {
	const char *s;
	size_t len;
};

struct svg {
	FILE *f;
	const char *id;
	const char *at; /* what comes next */
	int in_text;    /* depth of <text>: between elements there is only layout elsewhere */
	int uses_defs;  /* something refers to an id */
};

static int is(struct piece p, const char *word)
{
	return strlen(word) == p.len && memcmp(p.s, word, p.len) == 0;
}

static int is_one_of(struct piece p, const char *const *words)
{
	while (*words && !is(p, *words))
		words++;
	return *words != NULL;
}

/* A name of XML: what stands until a blank, a slash, '=' or '>'. */
static struct piece name_at(const char *s)
{
	return (struct piece){s, strcspn(s, " \t\r\n/=>\"'<")};
}

static int element_passes(struct piece name)
{
	static const char *const known[] = {
		"g",    "path",    "polygon", "polyline", "rect", "circle",   "ellipse",        "line",
		"text", "tspan",   "use",     "image",    "defs", "clipPath", "linearGradient", "radialGradient",
		"stop", "pattern", NULL,
	};

	return is_one_of(name, known);
}

static int attribute_passes(struct piece name)
{
	static const char *const known[] = {
		"x",
		"y",
		"x1",
		"y1",
		"x2",
		"y2",
		"cx",
		"cy",
		"r",
		"rx",
		"ry",
		"dx",
		"dy",
		"d",
		"points",
		"width",
		"height",
		"fill",
		"fill-opacity",
		"fill-rule",
		"stroke",
		"stroke-width",
		"stroke-dasharray",
		"stroke-opacity",
		"opacity",
		"color",
		"transform",
		"font-family",
		"font-size",
		"font-weight",
		"font-style",
		"text-anchor",
		"preserveAspectRatio",
		"image-rendering",
		"shape-rendering",
		"clip-path",
		"offset",
		"stop-color",
		"id",
		"href",
		"xlink:href",
		"xml:space",
		NULL,
	};

	return is_one_of(name, known);
}

/* "rgb( 96,  96,  96)" as "#606060": plots have thousands of them. */
static int put_colour(FILE *f, struct piece v)
{
	char text[32];
	unsigned int rgb[3];
	int end = 0;

	if (v.len < 10 || v.len >= sizeof(text))
		return 0;
	memcpy(text, v.s, v.len);
	text[v.len] = '\0';
	if (sscanf(text, "rgb(%u ,%u ,%u )%n", &rgb[0], &rgb[1], &rgb[2], &end) != 3 || end != (int)v.len ||
	    rgb[0] > 255 || rgb[1] > 255 || rgb[2] > 255)
		return 0;
	fprintf(f, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
	return 1;
}

/* A value without blanks around it and none beside another; it stands in double quotes. */
static void put_value(FILE *f, struct piece v)
{
	int blank = 0, begun = 0;

	for (size_t i = 0; i < v.len; i++) {
		if (isspace((unsigned char)v.s[i])) {
			blank = begun;
			continue;
		}
		if (blank)
			putc(' ', f);
		blank = 0;
		begun = 1;
		if (v.s[i] == '"')
			fputs("&quot;", f);
		else if (v.s[i] == '<')
			fputs("&lt;", f);
		else
			putc(v.s[i], f);
	}
}

/* Only what is inside the drawing may be referred to. */
static int put_reference(const struct svg *g, struct piece name, struct piece v)
{
	static const char picture[] = "data:image/png;base64,";
	size_t len = sizeof(picture) - 1;

	if (v.len > len && memcmp(v.s, picture, len) == 0 &&
	    strspn(v.s + len, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n") >= v.len - len) {
		fprintf(g->f, " %.*s=\"%.*s\"", (int)name.len, name.s, (int)v.len, v.s);
		return 1;
	}
	if (v.len < 2 || *v.s != '#')
		return 0;
	fprintf(g->f, " %.*s=\"#%s-", (int)name.len, name.s, g->id);
	put_value(g->f, (struct piece){v.s + 1, v.len - 1});
	putc('"', g->f);
	return 1;
}

static int has(struct piece v, const char *word)
{
	return memmem(v.s, v.len, word, strlen(word)) != NULL;
}

static void put_attribute(const struct svg *g, struct piece element, struct piece name, struct piece v)
{
	if (!attribute_passes(name) || (is(name, "id") && is(element, "g")))
		return;
	if (is(name, "href") || is(name, "xlink:href")) {
		put_reference(g, name, v);
		return;
	}
	if (has(v, "url(") && (v.len < 7 || memcmp(v.s, "url(#", 5) != 0))
		return;
	fprintf(g->f, " %.*s=\"", (int)name.len, name.s);
	if (is(name, "id")) {
		fprintf(g->f, "%s-", g->id);
		put_value(g->f, v);
	} else if (v.len > 5 && memcmp(v.s, "url(#", 5) == 0) {
		fprintf(g->f, "url(#%s-", g->id);
		put_value(g->f, (struct piece){v.s + 5, v.len - 5});
	} else if (!put_colour(g->f, v)) {
		put_value(g->f, v);
	}
	putc('"', g->f);
}

/* The next attribute of the tag, at g->at. 0: the tag has no more of them. */
static int next_attribute(struct svg *g, struct piece *name, struct piece *v)
{
	for (;;) {
		char quote;

		g->at += strspn(g->at, " \t\r\n/");
		*name = name_at(g->at);
		if (name->len == 0)
			return 0;
		g->at += name->len;
		g->at += strspn(g->at, " \t\r\n");
		if (*g->at != '=')
			continue;
		g->at++;
		g->at += strspn(g->at, " \t\r\n");
		quote = *g->at;
		if (quote != '"' && quote != '\'')
			return 0;
		*v = (struct piece){g->at + 1, strcspn(g->at + 1, quote == '"' ? "\"" : "'")};
		g->at += 1 + v->len;
		g->at += *g->at != '\0';
		return 1;
	}
}

/* To behind the '>' that ends the tag. Returns whether it closed itself. */
static int end_tag(struct svg *g)
{
	size_t n = strcspn(g->at, ">");
	int closed = g->at[-1] == '/' || (n > 0 && g->at[n - 1] == '/');

	g->at += n + (g->at[n] == '>');
	return closed;
}

/* An element that does not pass, with all in it; g->at is behind its name. */
static void skip_element(struct svg *g, struct piece name)
{
	struct piece n, v;
	int depth = 1;

	while (next_attribute(g, &n, &v))
		;
	if (end_tag(g))
		return;
	while (depth > 0 && (g->at = strchr(g->at, '<')) != NULL) {
		int closes = g->at[1] == '/';
		struct piece other = name_at(g->at + 1 + closes);

		g->at = other.s + other.len;
		while (next_attribute(g, &n, &v))
			;
		if (!end_tag(g) && other.len == name.len && memcmp(other.s, name.s, name.len) == 0)
			depth += closes ? -1 : 1;
	}
	if (!g->at)
		g->at = "";
}

static void put_element(struct svg *g)
{
	struct piece name = name_at(g->at), attribute, v;

	g->at += name.len;
	if (!element_passes(name) || (is(name, "defs") && !g->uses_defs)) {
		skip_element(g, name);
		return;
	}
	fprintf(g->f, "<%.*s", (int)name.len, name.s);
	while (next_attribute(g, &attribute, &v))
		put_attribute(g, name, attribute, v);
	if (end_tag(g)) {
		fputs("/>", g->f);
		return;
	}
	putc('>', g->f);
	g->in_text += is(name, "text");
}

static void close_element(struct svg *g)
{
	struct piece name = name_at(g->at);

	g->at += name.len;
	end_tag(g);
	if (!element_passes(name) || (is(name, "defs") && !g->uses_defs))
		return;
	fprintf(g->f, "</%.*s>%s", (int)name.len, name.s, is(name, "g") ? "\n" : "");
	g->in_text -= is(name, "text") && g->in_text > 0;
}

static int put_root(struct svg *g, const char *label)
{
	struct piece name, v;

	while (next_attribute(g, &name, &v))
		if (is(name, "viewBox")) {
			fputs("<svg viewBox=\"", g->f);
			put_value(g->f, v);
			fprintf(g->f, "\" role=\"img\" aria-labelledby=\"%s\">\n", label);
			end_tag(g);
			return 0;
		}
	return -1;
}

int svg_inline(FILE *f, const char *text, const char *id, const char *label)
{
	struct svg g = {.f = f, .id = id};
	const char *root = strstr(text, "<svg"), *defs;

	if (!root || !strstr(root, "</svg>"))
		return -1;
	g.at = root + 4;
	if (put_root(&g, label) != 0)
		return -1;
	defs = strstr(text, "</defs>");
	g.uses_defs = defs && (strstr(defs, "href='#") || strstr(defs, "href=\"#") || strstr(defs, "url(#"));
	while (*g.at && strncmp(g.at, "</svg", 5) != 0) {
		size_t n = strcspn(g.at, "<");

		if (g.in_text)
			fwrite(g.at, 1, n, f);
		g.at += n;
		if (strncmp(g.at, "</svg", 5) == 0 || !*g.at)
			break;
		if (strncmp(g.at, "<!--", 4) == 0) {
			const char *end = strstr(g.at + 4, "-->");

			g.at = end ? end + 3 : "";
		} else if (g.at[1] == '/') {
			g.at += 2;
			close_element(&g);
		} else if (g.at[1] == '!' || g.at[1] == '?') {
			end_tag(&g);
		} else {
			g.at++;
			put_element(&g);
		}
	}
	fputs("</svg>\n", f);
	return 0;
}

/* tests/unit/test_xml.c - XML in and out: what comes back is what went in, and nothing foreign is let in. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/xml.h"
#include "tests/lib/check.h"
#include "tests/lib/held.h"
#include "tests/lib/mangle.h"

static const char schema[] =
	"<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\" "
	"datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\"><start>"
	"<element name=\"a\"><zeroOrMore><element name=\"b\"><attribute name=\"n\"><data type=\"int\"/></attribute></element>"
	"</zeroOrMore></element></start></grammar>";

struct scratch {
	char dir[64], path[96];
};

static void scratch_make(struct scratch *s)
{
	strcpy(s->dir, "/tmp/heterotune-test-XXXXXX");
	if (!mkdtemp(s->dir))
		abort();
	snprintf(s->path, sizeof(s->path), "%s/x.xml", s->dir);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static void tree(void)
{
	struct scratch s;
	struct arena *a = arena_create();
	struct ht_err err = {""};
	const struct xml_node *root, *n;

	scratch_make(&s);
	write_text(
		s.path,
		"<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"http://nowhere.invalid/a.dtd\">\n<!-- c -->\n"
		"<a x='1' y=\"&lt;&amp;&#65;\">\n text <b n='1'/> <![CDATA[<b/>]]> <c><b n='9'/></c>\n<b n='2'/></a>\n");
	root = xml_load(s.path, NULL, a, &err);
	CHECK_STR(err.text, "");
	if (root) {
		CHECK_STR(root->name, "a");
		CHECK_INT(root->line, 4);
		CHECK_INT(root->nattrs, 2);
		CHECK_STR(xml_attr(root, "y"), "<&A");
		CHECK(!xml_attr(root, "z"));
		n = xml_child(root, "b");
		CHECK(n && strcmp(xml_attr(n, "n"), "1") == 0 && n->line == 5);
		n = n ? xml_next(n, "b") : NULL;
		CHECK(n && strcmp(xml_attr(n, "n"), "2") == 0 && n->line == 6);
		CHECK(n && !xml_next(n, "b"));
		CHECK(!xml_child(root, "d"));
		n = xml_child(root, "c");
		CHECK(n && n->child && !n->child->next);
	}
	arena_free(a);
	dir_remove(s.dir);
}

static void schemas(void)
{
	static const struct {
		const char *text, *message; /* NULL: it is valid */
	} table[] = {
		{"<a/>", NULL},
		{"<a><b n='3'/><b n='-4'/></a>", NULL},
		{"<b n='3'/>", "x.xml:1: "},
		{"<a>\n<b/></a>", "x.xml:2: "},
		{"<a>\n\n<b n='x'/></a>", "x.xml:3: "},
		{"<a>\n<b n='1'/>\n<c/></a>", "x.xml:3: "},
		{"<a z='1'/>", "x.xml:1: "},
	};
	struct scratch s;

	scratch_make(&s);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena *a = arena_create();
		struct ht_err err = {""};
		const struct xml_node *root;

		write_text(s.path, table[i].text);
		root = xml_load(s.path, schema, a, &err);
		CHECK(!root == !!table[i].message);
		CHECK_HAS(err.text, table[i].message ? table[i].message : "");
		if (!table[i].message)
			CHECK_STR(err.text, "");
		arena_free(a);
	}
	dir_remove(s.dir);
}

/* That the text is refused, with this in the sentence, which names the file. */
static void check_refused(const struct scratch *s, const char *text, const char *schema_text, const char *message)
{
	struct arena *a = arena_create();
	struct ht_err err = {""};

	write_text(s->path, text);
	CHECK(!xml_load(s->path, schema_text, a, &err));
	CHECK_HAS(err.text, message);
	CHECK_HAS(err.text, s->path);
	CHECK_INT(strstr(err.text, "newer") != NULL, strstr(message, "newer") != NULL);
	arena_free(a);
}

/* Which attribute of which element has which value; patterns may be in other definitions. */
static void attributes_that_are_refused(void)
{
	static const char choices[] =
		"<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\" "
		"datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\"><start><element name=\"a\">"
		"<attribute name=\"version\"><value type=\"string\">1</value></attribute>"
		"<attribute name=\"title\"><text/></attribute>"
		"<zeroOrMore><choice><element name=\"b\"><ref name=\"arch\"/></element>"
		"<element name=\"c\"><attribute name=\"arch\"><data type=\"positiveInteger\"/></attribute></element>"
		"</choice></zeroOrMore></element></start><define name=\"arch\"><attribute name=\"arch\"><list><oneOrMore>"
		"<ref name=\"name\"/></oneOrMore></list></attribute></define><define name=\"name\"><choice>"
		"<value type=\"string\">cpu</value><value type=\"string\">cuda</value></choice></define></grammar>";
	static const char single[] = "<element name=\"a\" xmlns=\"http://relaxng.org/ns/structure/1.0\" "
				     "datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">"
				     "<attribute name=\"n\"><data type=\"integer\"/></attribute></element>";
	static const struct {
		const char *text, *message;
	} table[] = {
		{"<a title='x' version='2'/>",
	         "x.xml:1: version of a is \"2\", expected 1: made by a newer heterotune"},
		{"<a title='x' version='0'/>", "x.xml:1: version of a is \"0\", expected 1"},
		{"<a title='' version='1'>\n<b arch='cpu gpu'/></a>",
	         "x.xml:2: arch of b is \"cpu gpu\", expected cpu, cuda"},
		{"<a title='' version='1'>\n<c arch='cpu'/></a>",
	         "x.xml:2: arch of c is \"cpu\", expected a whole number from 1"},
		{"<a title='' version='1' more='2'/>", "more"},
		{"<a version='1'/>", "x.xml:1: a has no title, which is expected"},
		{"<a title='' version='1'>\n<b/></a>", "x.xml:2: b has no arch, which is expected"},
	};
	struct scratch s;

	scratch_make(&s);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_refused(&s, table[i].text, choices, table[i].message);
	/* A schema without <start> does not show which attribute it is. */
	check_refused(&s, "<a n='1' more='2'/>", single, "x.xml:1: Invalid attribute more for element a");
	dir_remove(s.dir);
}

/* Every bad file is refused with its name; with a line where there is one. */
static void refused(void)
{
	static const struct {
		const char *text, *message;
	} table[] = {
		{"", "x.xml:1: "},
		{"   \n", "x.xml:"},
		{"no xml", "x.xml:1: "},
		{"<a>\n<b>\n</a>", "x.xml:3: "},
		{"<a x='1' x='2'/>", "x.xml:1: "},
		{"<a>&nope;</a>", "x.xml:1: "},
		{"<a x='\x01'/>", "x.xml:1: "},
		{"<a x='\xff\xfe'/>", "x.xml:1: "},
		{"<a/><b/>", "x.xml:1: "},
		{"<!DOCTYPE a [<!ENTITY e SYSTEM \"/etc/hostname\">]><a>&e;</a>", "declares the entity 'e'"},
		{"<!DOCTYPE a [<!ENTITY e \"x\">]><a v='&e;&e;'/>", "declares the entity 'e'"},
		{"<!DOCTYPE a [<!ENTITY % p SYSTEM \"file:///etc/hostname\">%p;]><a/>", "declares the entity 'p'"},
	};
	struct scratch s;

	scratch_make(&s);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_refused(&s, table[i].text, NULL, table[i].message);
	dir_remove(s.dir);
}

/* Depth costs stack and entities cost memory: both end in a sentence. */
static void bombs(void)
{
	const size_t before = held_bytes();
	struct scratch s;
	struct arena *a = arena_create();
	struct ht_err err = {""};
	FILE *f;

	scratch_make(&s);
	f = fopen(s.path, "w");
	for (int i = 0; f && i < 100000; i++)
		fputs("<a>", f);
	if (f)
		fclose(f);
	CHECK(!xml_load(s.path, NULL, a, &err));
	CHECK_HAS(err.text, "x.xml:1: ");
	err.text[0] = '\0';
	f = fopen(s.path, "w");
	if (f) {
		fputs("<!DOCTYPE a [<!ENTITY l0 \"lol\">", f);
		for (int i = 1; i < 12; i++) {
			fprintf(f, "<!ENTITY l%d \"", i);
			for (int k = 0; k < 10; k++)
				fprintf(f, "&l%d;", i - 1);
			fputs("\">", f);
		}
		fputs("]><a v=\"&l11;\"/>", f);
		fclose(f);
	}
	CHECK(!xml_load(s.path, NULL, a, &err));
	CHECK_HAS(err.text, "x.xml");
	CHECK(held_bytes() < before + (1 << 20));
	arena_free(a);
	dir_remove(s.dir);
}

static void no_file(void)
{
	struct scratch s;
	struct arena *a = arena_create();
	struct ht_err err = {""};

	scratch_make(&s);
	CHECK(!xml_load(s.path, NULL, a, &err));
	CHECK_HAS(err.text, "x.xml: cannot be read");
	CHECK(!xml_load(s.dir, NULL, a, &err));
	CHECK_HAS(err.text, "is a directory");
	CHECK(!xml_writer_create("/nonexistent/x.xml", &err));
	CHECK_HAS(err.text, "/nonexistent/x.xml: cannot be written");
	arena_free(a);
	dir_remove(s.dir);
}

static void written(void)
{
	struct scratch s;
	struct ht_err err = {""};
	struct xml_writer *w;
	char *text;

	scratch_make(&s);
	w = xml_writer_create(s.path, &err);
	xml_open(w, "a");
	xml_put(w, "x", "%s", "<&>\"'\t\n");
	xml_open(w, "b");
	xml_close(w);
	xml_open(w, "c");
	xml_put(w, "n", "%d", 7);
	xml_open(w, "d");
	xml_close(w);
	xml_close(w);
	xml_close(w);
	CHECK_INT(xml_writer_commit(w, &err), 0);
	text = file_read(s.path, 1 << 16, NULL, &err);
	CHECK_STR(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a x=\"&lt;&amp;&gt;&quot;'&#9;&#10;\">\n  <b/>\n"
	                "  <c n=\"7\">\n    <d/>\n  </c>\n</a>\n");
	free(text);
	dir_remove(s.dir);
	CHECK(xml_holds("") && xml_holds("a\t\xc3\xa9"));
	CHECK(!xml_holds("\xc3") && !xml_holds("a\x01") && !xml_holds("\xef\xbf\xbe") && !xml_holds("\xed\xa0\x80"));
}

/*
 * Any text that XML can hold is read back as it was: ASCII, UTF-8 of every length, white space, longer than a buffer.
 */
static void round_trip(void)
{
	struct scratch s;
	char longer[5000];
	const char *texts[] = {"",     " a  b ", "\t\r\n", "<a/>&amp;]]>", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	                       "\x7f", longer};

	memset(longer, '"', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	scratch_make(&s);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct arena *a = arena_create();
		struct ht_err err = {""};
		struct xml_writer *w = xml_writer_create(s.path, &err);
		const struct xml_node *root;

		xml_open(w, "a");
		xml_put(w, "v", "%s", texts[i]);
		xml_close(w);
		CHECK_INT(xml_writer_commit(w, &err), 0);
		root = xml_load(s.path, NULL, a, &err);
		CHECK_STR(err.text, "");
		CHECK(root && strcmp(xml_attr(root, "v"), texts[i]) == 0);
		arena_free(a);
	}
	dir_remove(s.dir);
}

/* What XML cannot hold is refused, and the file that was there stays as it was. */
static void not_written(void)
{
	static const char *const texts[] = {
		"\x01",         "a\x1f",        "\xff",
		"\xc3",         "\xc0\x80",     "\xe0\x80\x80",
		"\xed\xa0\x80", "\xef\xbf\xbf", "\xf4\x90\x80\x80",
		"\x80",
	};
	struct scratch s;

	scratch_make(&s);
	write_text(s.path, "old");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ht_err err = {""};
		struct xml_writer *w = xml_writer_create(s.path, &err);
		char *text;

		xml_open(w, "a");
		xml_put(w, "v", "%s", texts[i]);
		xml_close(w);
		CHECK_INT(xml_writer_commit(w, &err), -1);
		CHECK_HAS(err.text, "<a v=...>: the value has a byte that XML cannot hold");
		text = file_read(s.path, 1 << 16, NULL, &err);
		CHECK_STR(text, "old");
		free(text);
	}
	dir_remove(s.dir);
}

static int survives(const char *path, void *ctx)
{
	struct arena *a = arena_create();
	struct ht_err err = {""};
	int fine = xml_load(path, ctx, a, &err) ? err.text[0] == '\0' : err.text[0] != '\0';

	arena_free(a);
	return fine;
}

static void cut_and_mangled(void)
{
	char any[sizeof(schema)];

	strcpy(any, schema);
	CHECK_INT(mangle("tests/data/machine/good.xml", 200, 2, survives, NULL), 0);
	CHECK_INT(mangle("tests/data/machine/good.xml", 50, 3, survives, any), 0);
}

int main(void)
{
	RUN(tree);
	RUN(schemas);
	RUN(attributes_that_are_refused);
	RUN(refused);
	RUN(bombs);
	RUN(no_file);
	RUN(written);
	RUN(round_trip);
	RUN(not_written);
	RUN(cut_and_mangled);
	return check_done();
}

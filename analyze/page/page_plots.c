/* analyze/page/page_plots.c - the section of a page with the plots that its timeline does not show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page_plots.h"

#include <stdlib.h>

#include "analyze/page/html.h"
#include "analyze/page/packed.h"
#include "analyze/plots/drawing.h"
#include "analyze/plots/gnuplot.h"
#include "core/base/err.h"

/* What all SVG drawings of a page may have before base64; a drawing that does not fit into the rest is a PNG. */
enum { SVG_BYTES = 3 << 20 };

/*
 * As an image in a data: URL, in which a browser runs no script and loads nothing, whatever gnuplot drew. Takes what an
 * SVG drawing needs from svg_left.
 */
static int put_picture(FILE *f, const struct plot *p, const struct plot_input *in, const char *label, size_t *svg_left,
                       struct ht_err *err)
{
	const char *type = "svg+xml";
	size_t len = 0;
	char *picture = plot_draw(p, in, TERM_SVG, &len, err);

	if (picture && len <= *svg_left) {
		*svg_left -= len;
	} else if (picture) {
		free(picture);
		picture = plot_draw(p, in, TERM_PNG, &len, err);
		type = "png";
	}
	if (!picture)
		return -1;
	fprintf(f, "<img aria-labelledby=\"%s\" alt=\"\" src=\"data:image/%s;base64,", label, type);
	base64_write(f, (const unsigned char *)picture, len);
	fputs("\">\n", f);
	free(picture);
	return 0;
}

static void put_plot(FILE *f, const struct plot *p, const struct drawing *d, size_t *svg_left)
{
	struct ht_err err = {""};
	char label[80], *drawn = NULL;
	size_t size;
	FILE *memory = open_memstream(&drawn, &size);
	int rc;

	snprintf(label, sizeof(label), "%s-caption", p->name);
	if (p->nothing && p->nothing(&d->input))
		rc = ht_err_set(&err, "%s", p->nothing(&d->input));
	else
		rc = memory ? put_picture(memory, p, &d->input, label, svg_left, &err) :
		              ht_err_set(&err, "out of memory");
	if (memory)
		fclose(memory);
	fprintf(f, "<figure class=\"plot\" id=\"plot-%s\">\n", p->name);
	if (rc == 0) {
		fprintf(f, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n", label);
		fputs(drawn, f);
		fputs("</div>\n", f);
	}
	fprintf(f, "<figcaption id=\"%s\"><strong>%s</strong>: ", label, p->name);
	html_text(f, p->summary);
	if (rc != 0) {
		fputs(". Not drawn: ", f);
		html_text(f, err.text);
	}
	fputs("</figcaption>\n</figure>\n", f);
	free(drawn);
}

void page_plots(FILE *f, const struct drawing *d)
{
	struct ht_err err = {""};
	size_t svg_left = SVG_BYTES;

	fputs("<section id=\"plots\">\n<h2>Plots</h2>\n", f);
	if (gnuplot_present(&err) == 0) {
		for (int i = 0; plots[i]; i++)
			if (plots[i]->use == PLOT_ALWAYS)
				put_plot(f, plots[i], d, &svg_left);
	} else {
		fputs("<p class=\"note\">Without plots: ", f);
		html_text(f, err.text);
		fputs(".</p>\n", f);
	}
	fputs("</section>\n", f);
}

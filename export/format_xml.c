/* export/format_xml.c - the config itself, in its one canonical form. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config.h"
#include "export/export.h"

static int write_xml(const struct export_source *s, const char *out, struct ht_err *err)
{
	return config_save(s->config, out, err);
}

const struct export_format format_xml = {
	.name = "xml",
	.mark = "<config",
	.summary = "the config in canonical form",
	.write = write_xml,
};

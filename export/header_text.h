/* export/header_text.h - the parts of an exported C header that are the same for every config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef EXPORT_HEADER_TEXT_H
#define EXPORT_HEADER_TEXT_H

extern const char header_usage[], header_includes[], header_init_begin[], header_init_buckets[], header_init_end[],
	header_kinds_end[], header_bucket_end[];

#endif

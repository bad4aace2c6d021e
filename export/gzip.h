/* export/gzip.h - a file in the form of gzip, without its compression: for readers that insist on the name .gz. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include <stdio.h>

/*
 * What is written to the result comes out of gzip -d as it was: RFC 1952 around stored blocks of RFC 1951. fclose() it
 * before `to`, which stays open; errors of writing are those of `to`. NULL: no memory.
 */
FILE *gzip_stored(FILE *to);

#endif

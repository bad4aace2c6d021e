/* export/gzip.h - a file compressed by gzip. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include <stdio.h>

/*
 * What is written to the result is compressed into `to`, which stays open and has to be empty so far. fclose() the
 * result before `to`: it fails, with errno, if anything could not be written. NULL: no memory or no descriptor left.
 */
FILE *gzip_open(FILE *to);

#endif

/* export/gzip.c - a file compressed by gzip: zlib as a stream of the C library. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "export/gzip.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 1 << 16 };

static ssize_t write_some(void *cookie, const char *data, size_t len)
{
	return gzwrite(cookie, data, (unsigned int)len);
}

static int end(void *cookie)
{
	int status;

	errno = 0;
	status = gzclose(cookie);
	if (status != Z_OK && errno == 0)
		errno = EIO;
	return status == Z_OK ? 0 : -1;
}

FILE *gzip_open(FILE *to)
{
	int fd = dup(fileno(to));
	gzFile z = fd < 0 ? NULL : gzdopen(fd, "wb");
	FILE *f = z ? fopencookie(z, "w", (cookie_io_functions_t){.write = write_some, .close = end}) : NULL;

	if (f)
		setvbuf(f, NULL, _IOFBF, BUFFER);
	else if (z)
		gzclose(z);
	else if (fd >= 0)
		close(fd);
	return f;
}

/* plugin/starpu/codelet_key.h - a number for a codelet, by which it is known again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_CODELET_KEY_H
#define PLUGIN_CODELET_KEY_H

#include <stdint.h>

/* By its address and its functions: the memory of a codelet may become that of another one. */
uint64_t codelet_key(const void *codelet);

#endif

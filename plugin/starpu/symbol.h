/* plugin/starpu/symbol.h - what a function or an object of the running program is called. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_SYMBOL_H
#define PLUGIN_SYMBOL_H

#include <stddef.h>

/*
 * The symbol at an address of a loaded program or library, as its file has it (static ones too, where it is not
 * stripped), or as it is exported. A C++ function is called as in its source, without parameters, where the program has
 * the C++ library. Where the file has several static symbols of that name, or `size` (32 or more) is too little for it,
 * "@" and the place in the file's memory follow. -1: there is none. Reads the file.
 */
int symbol_name(const void *address, char *name, size_t size);

/* "FILE+0xPLACE", the same in every run of one build. -1: the address is in no loaded file. */
int symbol_place(const void *address, char *name, size_t size);

#endif

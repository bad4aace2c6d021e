/* plugin/starpu/symbol.c - what a function or an object of the running program is called. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/symbol.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file as it lies on disk: nothing of it is trusted. */
struct image {
	const unsigned char *bytes;
	size_t size;
};

struct symbols {
	const ElfW(Sym) * entries;
	size_t n;
	const char *strings; /* ends with a 0 */
	size_t nstrings;
};

static const void *part(const struct image *i, uint64_t offset, uint64_t size, size_t alignment)
{
	return offset <= i->size && size <= i->size - offset && offset % alignment == 0 ? i->bytes + offset : NULL;
}

static const void *section(const struct image *i, const ElfW(Shdr) * s, size_t alignment)
{
	return s->sh_type == SHT_NOBITS ? NULL : part(i, s->sh_offset, s->sh_size, alignment);
}

/* The table that strip takes away. */
static int open_symbols(const struct image *i, struct symbols *s)
{
	const ElfW(Ehdr) *header = part(i, 0, sizeof(*header), 1);
	const ElfW(Shdr) * sections;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    header->e_shentsize != sizeof(*sections))
		return -1;
	sections = part(i, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections), _Alignof(ElfW(Shdr)));
	for (int k = 0; sections && k < header->e_shnum; k++) {
		if (sections[k].sh_type != SHT_SYMTAB || sections[k].sh_link >= header->e_shnum)
			continue;
		s->entries = section(i, &sections[k], _Alignof(ElfW(Sym)));
		s->n = sections[k].sh_size / sizeof(*s->entries);
		s->strings = section(i, &sections[sections[k].sh_link], 1);
		s->nstrings = sections[sections[k].sh_link].sh_size;
		return s->entries && s->strings && s->nstrings && !s->strings[s->nstrings - 1] ? 0 : -1;
	}
	return -1;
}

/* NULL: not of a function or an object of the program. */
static const char *text_of(const struct symbols *s, const ElfW(Sym) * e)
{
	int type = ELF64_ST_TYPE(e->st_info);

	if ((type != STT_FUNC && type != STT_OBJECT) || e->st_shndx == SHN_UNDEF || e->st_name >= s->nstrings ||
	    !s->strings[e->st_name])
		return NULL;
	return s->strings + e->st_name;
}

/* Where the parameters at the end of a demangled function begin; the whole length: there are none. */
static size_t parameters_at(const char *text)
{
	size_t n = strlen(text), at = n;
	int depth = 0;

	if (!n || text[n - 1] != ')')
		return n;
	do {
		at--;
		depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
	} while (at && depth);
	return at ? at : n;
}

static void take_out(char *text, const char *what)
{
	for (char *at; (at = strstr(text, what));)
		memmove(at, at + strlen(what), strlen(at + strlen(what)) + 1);
}

/*
 * A C++ symbol as it is in the source, without the parameters, which are those of every codelet's function, and without
 * the result, which only templates have. The C++ library of the program does it; without one the symbol stays. Its
 * length, as of snprintf().
 */
static size_t readable(const char *symbol, char *name, size_t size)
{
	char *(*demangle)(const char *symbol, char *to, size_t *size, int *status);
	char *text = NULL, *from;
	int length;

	*(void **)&demangle = strncmp(symbol, "_Z", 2) == 0 ? dlsym(RTLD_DEFAULT, "__cxa_demangle") : NULL;
	if (demangle)
		text = demangle(symbol, NULL, NULL, NULL);
	if (text) {
		text[parameters_at(text)] = '\0';
		take_out(text, "(anonymous namespace)::");
		from = strncmp(text, "void ", 5) == 0 ? text + 5 : text;
		length = snprintf(name, size, "%s", *from ? from : symbol);
	} else {
		length = snprintf(name, size, "%s", symbol);
	}
	free(text);
	return (size_t)length;
}

/* The place follows a name that others may have, also by its first characters if there is no room for more. */
static void put_name(const char *symbol, uint64_t place, int several, char *name, size_t size)
{
	size_t length = readable(symbol, name, size);
	char end[24];
	int n = snprintf(end, sizeof(end), "@0x%llx", (unsigned long long)place);

	if (!several && length < size)
		return;
	if (length + (size_t)n >= size)
		length = size - (size_t)n - 1;
	snprintf(name + length, size - length, "%s", end);
}

static int find(const struct symbols *s, uint64_t place, char *name, size_t size)
{
	const char *found = NULL, *text;
	int several = 0;

	for (size_t k = 0; k < s->n && !found; k++)
		if (s->entries[k].st_value == place)
			found = text_of(s, &s->entries[k]);
	for (size_t k = 0; k < s->n && found && !several; k++) {
		text = text_of(s, &s->entries[k]);
		several = text && s->entries[k].st_value != place && strcmp(text, found) == 0;
	}
	if (!found)
		return -1;
	put_name(found, place, several, name, size);
	return 0;
}

static int find_in_file(const char *path, uint64_t place, char *name, size_t size)
{
	struct image i = {NULL, 0};
	struct symbols symbols;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
	void *bytes = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	i.bytes = bytes;
	i.size = (size_t)st.st_size;
	if (open_symbols(&i, &symbols) == 0)
		rc = find(&symbols, place, name, size);
	munmap(bytes, i.size);
	return rc;
}

int symbol_name(const void *address, char *name, size_t size)
{
	struct link_map *map;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
		return -1;
	/* The program's own entry has no name. */
	if (find_in_file(*map->l_name ? map->l_name : "/proc/self/exe", (uintptr_t)address - map->l_addr, name, size) ==
	    0)
		return 0;
	if (!info.dli_sname || info.dli_saddr != address)
		return -1;
	put_name(info.dli_sname, (uintptr_t)address - map->l_addr, 0, name, size);
	return 0;
}

int symbol_place(const void *address, char *name, size_t size)
{
	struct link_map *map;
	const char *slash;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
		return -1;
	slash = strrchr(info.dli_fname, '/');
	snprintf(name, size, "%s+0x%llx", slash ? slash + 1 : info.dli_fname,
	         (unsigned long long)((uintptr_t)address - map->l_addr));
	return 0;
}

/* plugin/starpu/codelet_name.c - names for tasks of codelets that have neither a name nor a model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names are looked up once for all codelets with the same functions, as a program has them that makes one for each
 * task; only one without functions is known by its address. What is known only grows: lists that are read without a
 * lock. A name is known by its address, too: the object of a task may be submitted again with another codelet.
 */
#include "plugin/starpu/codelet_name.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace/trace.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/symbol.h"
#include "plugin/starpu/where.h"

/* A codelet's arrays of functions, CPUs' first. */
enum { NARRAYS = 4 };

/* What the name of a codelet is found by: its functions, what it says of them, and, where it has none, its address. */
struct origin {
	const void *of[NARRAYS + 2];
};

struct known {
	struct origin origin;
	struct known *next, *next_name;
	char name[WHERE_NAME + 1]; /* "": it cannot be named */
};

enum { LISTS = 64 };
static _Atomic(struct known *) known[LISTS], names[LISTS];

static const void *function_of(const void *codelet, int array)
{
	const size_t at[NARRAYS] = {sp.layout->codelet.cpu_funcs, sp.layout->codelet.cuda_funcs,
	                            sp.layout->codelet.hip_funcs, sp.layout->codelet.opencl_funcs};

	return *(void *const *)(const void *)((const unsigned char *)codelet + at[array]);
}

static const char *given_of(const void *codelet)
{
	return *(const char *const *)(const void *)((const unsigned char *)codelet + sp.layout->codelet.cpu_funcs_name);
}

static struct origin origin_of(const void *codelet)
{
	struct origin o = {{NULL}};
	int has_function = 0;

	for (int i = 0; i < NARRAYS; i++) {
		o.of[i] = function_of(codelet, i);
		has_function |= o.of[i] != NULL;
	}
	o.of[NARRAYS] = given_of(codelet);
	o.of[NARRAYS + 1] = has_function ? NULL : codelet;
	return o;
}

static void look_up(const void *codelet, char *name, size_t size)
{
	const char *given = given_of(codelet);

	for (int i = 0; i < NARRAYS; i++)
		if (symbol_name(function_of(codelet, i), name, size) == 0)
			return;
	if (given && *given) {
		*name = '\0';
		strncat(name, given, size - 1);
		return;
	}
	for (int i = 0; i < NARRAYS; i++)
		if (symbol_place(function_of(codelet, i), name, size) == 0)
			return;
	if (symbol_name(codelet, name, size) != 0 && symbol_place(codelet, name, size) != 0)
		*name = '\0';
}

static size_t list_of(const void *address)
{
	return ((uintptr_t)address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 58;
}

static size_t list_of_origin(const struct origin *o)
{
	uintptr_t sum = 0;

	for (size_t i = 0; i < sizeof(o->of) / sizeof(*o->of); i++)
		sum += (uintptr_t)o->of[i];
	return list_of((const void *)sum);
}

static int is_given_here(const char *name)
{
	const struct known *k = atomic_load(&names[list_of(name)]);

	while (k && k->name != name)
		k = k->next_name;
	return k != NULL;
}

static const struct known *find(const void *codelet)
{
	const struct origin origin = origin_of(codelet);
	_Atomic(struct known *) *list = &known[list_of_origin(&origin)];
	_Atomic(struct known *) *named;
	struct known *first = atomic_load(list), *k;

	for (k = first; k; k = k->next)
		if (memcmp(&k->origin, &origin, sizeof(origin)) == 0)
			return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	named = &names[list_of(k->name)];
	k->origin = origin;
	look_up(codelet, k->name, sizeof(k->name));
	k->next_name = atomic_load(named);
	while (!atomic_compare_exchange_weak(named, &k->next_name, k))
		;
	/* Two threads may add the same. */
	k->next = first;
	while (!atomic_compare_exchange_weak(list, &k->next, k))
		;
	return k;
}

void codelet_name_task(struct starpu_task *task)
{
	const void *codelet = *task_codelet(task);
	const char *name = *task_name(task), *given;
	const struct known *k;

	if (codelet && name && (!*name || is_given_here(name) || strcmp(name, TRACE_TASK_BUILD) == 0))
		*task_name(task) = NULL;
	given = sp.starpu_task_get_name(task);
	k = codelet && (!given || !*given) ? find(codelet) : NULL;
	if (k && *k->name)
		*task_name(task) = k->name;
}

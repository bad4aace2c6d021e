/* plugin/starpu/guard.h - work that needs memory, given up as a whole where there is none. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_GUARD_H
#define PLUGIN_GUARD_H

/*
 * Calls work(arg). Where an allocation in it fails (core/base/alloc.h), the work is left at once: what it had allocated
 * is lost, locks that it held stay locked, so it takes none. Returns 0, or -1 when it was left. Does not nest.
 */
int guarded(void (*work)(void *arg), void *arg);

#endif

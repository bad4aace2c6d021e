/* core/dag/other_type.h - whether two graphs are of one application: the types of their tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_OTHER_TYPE_H
#define CORE_DAG_OTHER_TYPE_H

struct dag;
struct dag_type;

/*
 * The first type of `d` that `of` has none of: types are the same where their codelets are, or their models; those with
 * neither are. NULL: it has them all.
 */
const struct dag_type *other_type(const struct dag *d, const struct dag *of);

#endif

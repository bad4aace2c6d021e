/* core/base/version.h - which heterotune this is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_VERSION_H
#define CORE_BASE_VERSION_H

#define HETEROTUNE_VERSION "0.2.0"

#endif

/* commands.h - the commands of the tool, each defined at the bottom of its cmd_NAME.c. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "core/base/command.h"

extern const struct command cmd_collect, cmd_import, cmd_analyze, cmd_plot, cmd_tune, cmd_replay, cmd_export, cmd_run,
	cmd_auto, cmd_graph, cmd_check, cmd_report, cmd_compare, cmd_control, cmd_env, cmd_doctor;

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ports set, one of the commands that change something. */
#pragma once

#include "cli/command.h"

extern const struct command ports_set_command;

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl roce set */
#pragma once

#include "cli/command.h"

extern const struct command roce_set_command;

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group container: see doctor/container.def. */
#include "doctor/check.h"

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group limits: see doctor/limits.def. */
#include "doctor/check.h"

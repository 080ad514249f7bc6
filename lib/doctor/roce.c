/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group roce: see doctor/roce.def. */
#include "doctor/check.h"

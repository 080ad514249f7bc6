/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group pcie: see doctor/pcie.def. */
#include "doctor/check.h"

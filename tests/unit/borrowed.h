/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constant strings in the place of those that a record owns, where it is only looked at. */
#pragma once

static inline char *borrowed(const char *text)
{
	union {
		const char *constant;
		char *shown;
	} both = {.constant = text};

	return both.shown;
}

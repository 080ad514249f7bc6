/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lets a record that is only read borrow constant strings instead of owning copies. */
#pragma once

static inline char *borrowed(const char *text)
{
	union {
		const char *constant;
		char *shown;
	} both = {.constant = text};

	return both.shown;
}

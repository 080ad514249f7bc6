/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text that comes out goes to terminals. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* NULL is clean. */
static inline void check_clean(const char *text)
{
	char *clean = text ? text_clean(text, strlen(text)) : NULL;

	if (clean && strcmp(clean, text))
		abort();
	free(clean);
}

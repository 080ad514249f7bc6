/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All text that is output goes to terminals. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* NULL counts as clean. */
static inline void check_clean(const char *text)
{
	char *clean = text ? text_clean(text, strlen(text)) : NULL;

	if (clean && strcmp(clean, text))
		abort();
	free(clean);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A word of the command line that takes a value, such as `netns-mode exclusive`: what help, manual
 * and completion say about it. Static const data.
 */
#pragma once

#include "schema/value.h"

struct keyword {
	const char *word;
	const char *metavar;		 /* of the value: NAME, on|off */
	const char *help;		 /* one line, lower case, no full stop */
	const struct enum_name *choices; /* words that the value may be; NULL: any */
	unsigned int completion;	 /* enum completion, for a value without choices */
};

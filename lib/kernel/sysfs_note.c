/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/sysfs_note.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

void sysfs_note_text(struct problems *problems, const char *object, const char *attribute,
		     const char *text)
{
	enum { SHOWN = 60 };
	size_t length = strlen(text);
	_cleanup_(freep) char *clean = text_clean(text, length < SHOWN ? length : SHOWN);
	_cleanup_(freep) char *error = mem_format("unexpected text '%s'", clean);

	problem_add_text(problems, object, attribute, "sysfs", error, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the readers of sysfs note as problems beside plain errors of reading. */
#pragma once

#include "schema/problem.h"

/*
 * Notes that the text of `object`'s `attribute` is not of its form. The text is shown, cleaned and
 * cut after 60 bytes: the operator may know it. All strings are copied.
 */
void sysfs_note_text(struct problems *problems, const char *object, const char *attribute,
		     const char *text);

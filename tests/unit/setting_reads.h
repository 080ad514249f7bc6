/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests of changes: the value that a setting reads as. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/change.h"

static inline void assert_reads(struct change *change, const char *wanted)
{
	_cleanup_(freep) char *value = NULL;

	assert_int_equal(change->setting->read(change, &value), 0);
	assert_string_equal(value, wanted);
}

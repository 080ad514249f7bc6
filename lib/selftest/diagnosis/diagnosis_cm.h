/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of a diagnosis that concerns librdmacm: its calls, events and their status. */
#pragma once

#include "selftest/diagnosis/diagnosis_words.h"

/* Always true: something is said. */
bool diagnose_cm(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		 struct diagnosis *ret_diagnosis);

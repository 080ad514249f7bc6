/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to verbs and their answers (kernel/verbs/verbs_record.h); private to this folder. */
#pragma once

#include <stdbool.h>

struct attribute_change;
struct bytes;
struct recorded_message;

/* Replaces the message by the one in `out`. Returns false if its content is unknown. */
bool anonymise_verbs(const struct attribute_change *change, struct recorded_message *message,
		     bool is_answer, struct bytes *out);

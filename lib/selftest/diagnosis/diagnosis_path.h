/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of a diagnosis that concerns the ports and the way between them. */
#pragma once

#include "selftest/diagnosis/diagnosis_words.h"

/* True if one of the ports is known not to be active. */
bool diagnose_port_state(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			 struct diagnosis *ret_diagnosis);
/*
 * Packets were sent and no answer came: where they stay, as far as the counters of both sides tell.
 * `lead` says what was seen of it.
 */
void diagnose_delivery(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		       const char *lead, struct diagnosis *ret_diagnosis);
/* The queue pairs go by an MTU that one of the ports has not. */
bool diagnose_path_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a measurement came to, in its row. */
#pragma once

#include "selftest/trial/trial.h"

/* The figures of the run that the near side just finished, also of one that was cut short. */
void figures_note(struct trial *trial, const struct message_run *run,
		  const struct message_ran *ran);
/* Fails the row if it misses what the user expects. */
void figures_compare(struct trial *trial, const struct message_run *run);

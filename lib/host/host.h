/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The host's name and processors, for queries over the fabric. */
#pragma once

/* The name with its domain if it has one; the caller frees it. */
char *host_name(void);
/*
 * A line for each processor, "cpu 0: model NAME MHZ 2199.998", as ibsysstat(8) has them; what is
 * not known is a `?`. Empty if nothing can be read. The caller frees it.
 */
char *host_processors(void);

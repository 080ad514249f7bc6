/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The host's name and processors, which it reports to queries over the fabric. */
#pragma once

/* The host name, with its domain if one is set; the caller frees it. */
char *host_name(void);
/*
 * One line per processor, "cpu 0: model NAME MHZ 2199.998", in the format of ibsysstat(8), with `?`
 * for unknown values. Empty if nothing can be read. The caller frees it.
 */
char *host_processors(void);

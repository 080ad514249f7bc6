/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of differentiated services code points: AF31 is 26. Pure functions. */
#pragma once

/*
 * Names from RFC 2474 (CS0 to CS7), 2597 (AF11 to AF43), 3246 (EF), 5865 (VOICE-ADMIT), 8622 (LE);
 * NULL: none.
 */
const char *dscp_name(unsigned int dscp);
/* Parses a name in any case, or a number from 0 to 63. Returns 0 or -EINVAL. */
int dscp_parse(const char *text, unsigned int *ret_dscp);

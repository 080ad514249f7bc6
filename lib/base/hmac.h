/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* HMAC-SHA256 (RFC 2104) by GnuTLS, which the first call loads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HMAC_BYTES 32

/*
 * Returns 0; -ELIBACC or -ELIBBAD as library_open(); -EIO if the library refuses, as in FIPS mode.
 */
int hmac_sha256(const void *key, size_t key_bytes, const void *text, size_t text_bytes,
		uint8_t ret_mac[static HMAC_BYTES]);
/*
 * Return why it failed with that error, as a sentence for the user, and the next step, which the
 * caller frees.
 */
const char *hmac_failure(int rc);
char *hmac_hint(int rc);

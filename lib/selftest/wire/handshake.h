/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How both sides prove that they know the token without showing it: each sends a nonce, and an
 * HMAC, keyed with the token, over both nonces. The HMAC also covers a text that differs by side,
 * so that one side's proof cannot be sent back as the other's; a fresh nonce makes a recorded proof
 * useless.
 */
#pragma once

#include <stdbool.h>

#include "selftest/wire/message.h"

enum handshake_role { HANDSHAKE_CLIENT, HANDSHAKE_SERVER };

/* Fills the nonce with unpredictable bytes. Returns 0 or -errno. */
int nonce_make(char ret_nonce[static NONCE_BYTES]);
/* Compares in constant time: the time does not depend on where the nonces differ. */
bool nonce_equal(const char a[static NONCE_BYTES], const char b[static NONCE_BYTES]);

#define HANDSHAKE_MOST_ROLE 32u

/*
 * Computes the HMAC over the role (which side proves, in which protocol; at most
 * HANDSHAKE_MOST_ROLE bytes), both nonces and the version. Returns 0, -EINVAL if the role is
 * longer, or an error of hmac_sha256().
 */
int handshake_prove(const char *token, const char *role, uint32_t version,
		    const char first[static NONCE_BYTES], const char second[static NONCE_BYTES],
		    char ret_mac[static NONCE_BYTES]);
/* Computes the proof of the side `role`. Returns 0 or an error of hmac_sha256(). */
int handshake_mac(const char *token, enum handshake_role role,
		  const struct message_challenge *challenge,
		  const struct message_response *response, char ret_mac[static NONCE_BYTES]);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How both sides prove that they know the token without showing it: each sends a nonce, and the
 * HMAC of both nonces with the token as the key. Each side has another text in it, so that one's
 * proof cannot be sent back as the other's; and a new nonce makes a recorded one useless.
 */
#pragma once

#include <stdbool.h>

#include "selftest/wire/message.h"

enum handshake_role { HANDSHAKE_CLIENT, HANDSHAKE_SERVER };

/* Fills it with bytes that cannot be guessed. 0 or -errno. */
int nonce_make(char ret_nonce[static NONCE_BYTES]);
/* Takes the same time wherever they differ. */
bool nonce_equal(const char a[static NONCE_BYTES], const char b[static NONCE_BYTES]);

#define HANDSHAKE_MOST_ROLE 32u

/*
 * The HMAC of the role (who proves it, in which protocol; at most HANDSHAKE_MOST_ROLE bytes), both
 * nonces and the version. 0 or an error of hmac_sha256().
 */
int handshake_prove(const char *token, const char *role, uint32_t version,
		    const char first[static NONCE_BYTES], const char second[static NONCE_BYTES],
		    char ret_mac[static NONCE_BYTES]);
/* The proof of that side. 0 or an error of hmac_sha256(). */
int handshake_mac(const char *token, enum handshake_role role,
		  const struct message_challenge *challenge,
		  const struct message_response *response, char ret_mac[static NONCE_BYTES]);

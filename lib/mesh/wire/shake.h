/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The handshake of a mesh: both sides prove that they know the token, as in selftest, but with
 * other texts, so that a proof of one protocol is invalid in the other. Pure except for random
 * numbers.
 */
#pragma once

#include "mesh/wire/mesh_message.h"

/* What a side remembers until its peer has proven itself. */
struct mesh_shake {
	struct mesh_challenge challenge;
	struct mesh_response response;
};

/* Makes the agent's first message; without a token it only says so. */
void mesh_shake_hello(const char *name, bool tokenless, struct mesh_message *message);
/*
 * Makes the coordinator's reply to a hello. Returns 0, -EPROTONOSUPPORT if both speak no common
 * version, or -errno.
 */
int mesh_shake_challenge(struct mesh_shake *shake, const struct mesh_hello *hello,
			 struct mesh_message *message);
/*
 * Makes the agent's reply to the challenge. Returns 0, -EPROTONOSUPPORT if the coordinator chose a
 * version that this side did not offer, or an error of nonce_make() or hmac_sha256().
 */
int mesh_shake_respond(struct mesh_shake *shake, const char *token,
		       const struct mesh_challenge *challenge, struct mesh_message *message);
/*
 * Checks that the agent knows the token, and fills `mac`. Returns 0, -EACCES, or an error of
 * hmac_sha256().
 */
int mesh_shake_admit(struct mesh_shake *shake, const char *token,
		     const struct mesh_response *response, struct mesh_admitted *admitted);
/* Checks that the coordinator knows the token. Returns 0, -EACCES, or an error of hmac_sha256(). */
int mesh_shake_check(const struct mesh_shake *shake, const char *token,
		     const struct mesh_admitted *admitted);

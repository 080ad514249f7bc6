/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The handshake of a mesh: both sides prove that they know the token, as selftest's do, with texts
 * of their own, so that no proof of one protocol is good in the other. Pure, but for random
 * numbers.
 */
#pragma once

#include "mesh/wire/mesh_message.h"

/* What a side remembers until the other has proven itself. */
struct mesh_shake {
	struct mesh_challenge challenge;
	struct mesh_response response;
};

/* The agent's first message; without a token it only says so. */
void mesh_shake_hello(const char *name, bool tokenless, struct mesh_message *message);
/* The coordinator's answer to a hello. 0; -EPROTONOSUPPORT: no version that both speak; -errno. */
int mesh_shake_challenge(struct mesh_shake *shake, const struct mesh_hello *hello,
			 struct mesh_message *message);
/* The agent's answer to that. 0; -EPROTONOSUPPORT: it chose a version that this side did not offer;
 * or an error of nonce_make() and hmac_sha256(). */
int mesh_shake_respond(struct mesh_shake *shake, const char *token,
		       const struct mesh_challenge *challenge, struct mesh_message *message);
/* Whether the agent knows the token: 0, -EACCES, or an error of hmac_sha256(). Fills `mac`. */
int mesh_shake_admit(struct mesh_shake *shake, const char *token,
		     const struct mesh_response *response, struct mesh_admitted *admitted);
/* Whether the coordinator does: 0, -EACCES, or an error of hmac_sha256(). */
int mesh_shake_check(const struct mesh_shake *shake, const char *token,
		     const struct mesh_admitted *admitted);

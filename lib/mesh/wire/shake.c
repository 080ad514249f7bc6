/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/wire/mesh_message.h"

#include <errno.h>
#include <stdio.h>

#include "selftest/wire/handshake.h"

#define AGENT_ROLE	 "rdmactl mesh agent"
#define COORDINATOR_ROLE "rdmactl mesh coordinator"

void mesh_shake_hello(const char *name, bool tokenless, struct mesh_message *message)
{
	struct mesh_hello *hello = &message->hello;

	message->type = MESH_MESSAGE_HELLO;
	*hello = (struct mesh_hello){
		.lowest = MESH_PROTOCOL_LOWEST,
		.highest = MESH_PROTOCOL,
		.tokenless = tokenless,
	};
	snprintf(hello->name, sizeof(hello->name), "%s", name ?: "");
	snprintf(hello->release, sizeof(hello->release), "%s", RDMACTL_VERSION);
}

int mesh_shake_challenge(struct mesh_shake *shake, const struct mesh_hello *hello,
			 struct mesh_message *message)
{
	int rc;

	if (hello->lowest > MESH_PROTOCOL || hello->highest < MESH_PROTOCOL_LOWEST)
		return -EPROTONOSUPPORT;
	*shake = (struct mesh_shake){
		.challenge.version = hello->highest < MESH_PROTOCOL ? hello->highest
								    : MESH_PROTOCOL,
	};
	rc = nonce_make(shake->challenge.nonce);
	message->type = MESH_MESSAGE_CHALLENGE;
	message->challenge = shake->challenge;
	return rc;
}

static int prove(const struct mesh_shake *shake, const char *token, const char *role,
		 char ret_mac[static NONCE_BYTES])
{
	return handshake_prove(token, role, shake->challenge.version, shake->challenge.nonce,
			       shake->response.nonce, ret_mac);
}

int mesh_shake_respond(struct mesh_shake *shake, const char *token,
		       const struct mesh_challenge *challenge, struct mesh_message *message)
{
	int rc;

	if (challenge->version > MESH_PROTOCOL)
		return -EPROTONOSUPPORT;
	*shake = (struct mesh_shake){.challenge = *challenge};
	rc = nonce_make(shake->response.nonce);
	if (!rc)
		rc = prove(shake, token, AGENT_ROLE, shake->response.mac);
	message->type = MESH_MESSAGE_RESPONSE;
	message->response = shake->response;
	return rc;
}

int mesh_shake_admit(struct mesh_shake *shake, const char *token,
		     const struct mesh_response *response, struct mesh_admitted *admitted)
{
	char mac[NONCE_BYTES];
	int rc;

	shake->response = *response;
	rc = prove(shake, token, AGENT_ROLE, mac);
	if (rc)
		return rc;
	if (!nonce_equal(mac, response->mac))
		return -EACCES;
	return prove(shake, token, COORDINATOR_ROLE, admitted->mac);
}

int mesh_shake_check(const struct mesh_shake *shake, const char *token,
		     const struct mesh_admitted *admitted)
{
	char mac[NONCE_BYTES];
	int rc = prove(shake, token, COORDINATOR_ROLE, mac);

	if (rc)
		return rc;
	return nonce_equal(mac, admitted->mac) ? 0 : -EACCES;
}

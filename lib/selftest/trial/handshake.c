/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a client does before the tests: the handshake, and the proof that its port is its own. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "selftest/trial/trial.h"
#include "selftest/wire/handshake.h"

static int fail_library(struct trial *trial, int rc)
{
	_cleanup_(freep) char *hint = hmac_hint(rc);

	trial_fail(trial, hint, "%s", hmac_failure(rc));
	return rc;
}

/* The server, too, must prove that it knows the token: anyone might listen on its TCP port. */
static int check_server(struct trial *trial, const struct message_challenge *challenge,
			const struct message_response *response,
			const struct message_admitted *admitted)
{
	char mac[NONCE_BYTES];
	int rc = handshake_mac(trial->request->token, HANDSHAKE_SERVER, challenge, response, mac);

	if (rc)
		return fail_library(trial, rc);
	if (nonce_equal(mac, admitted->mac))
		return 0;
	trial_fail(trial, "find out which program listens there: ss -tlnp",
		   "the program that answers as %s does not know the token", trial->request->peer);
	return -EACCES;
}

static int respond(struct trial *trial, const struct message_challenge *challenge)
{
	const char *token = trial->request->token;
	struct message_response response = {0};
	struct message_admitted admitted;
	int rc;

	if (token && !challenge->token_wanted) {
		trial_fail(trial,
			   "omit --token and unset RDMACTL_TOKEN, or start the server with the "
			   "same token",
			   "%s does not require a token, so anyone might answer there",
			   trial->request->peer);
		return -EACCES;
	}
	rc = nonce_make(response.nonce);
	if (rc) {
		trial_fail(trial, NULL, "cannot get random numbers: %s", strerror(-rc));
		return rc;
	}
	if (token)
		rc = handshake_mac(token, HANDSHAKE_CLIENT, challenge, &response, response.mac);
	if (rc)
		return fail_library(trial, rc);
	rc = trial_order(&trial->far, response, &response, &admitted);
	if (!rc && token)
		rc = check_server(trial, challenge, &response, &admitted);
	if (rc)
		return rc;
	trial->granted = admitted;
	trial_remark(trial,
		     token ? "both sides know the token" : "the server does not require a token");
	return 0;
}

int trial_shake_hands(struct trial *trial)
{
	const struct message_hello hello = {
		.lowest = PROTOCOL_VERSION,
		.highest = PROTOCOL_VERSION,
		.release = RDMACTL_VERSION,
	};
	struct message_challenge challenge;

	return trial_order(&trial->far, hello, &hello, &challenge) ?: respond(trial, &challenge);
}

#define PROOF_ATTEMPTS 5
#define PROOF_MSEC     500u
/*
 * Nothing is retried, so this must be long enough for a busy host to acknowledge: 4.096 us * 2^17 =
 * 0.5 s.
 */
#define PROOF_TIMEOUT 17u

/*
 * Has the server send its nonce, and fills in the proof. Returns 1; 0: the nonce did not arrive;
 * -errno: the row failed.
 */
static int receive_nonce(struct trial *trial, const struct qp_shape *shape,
			 struct message_proof *proof)
{
	const uint32_t skipped = shape->kind == QP_UD ? DATAGRAM_HEADER_BYTES : 0;
	const struct span span = trial_span(0, skipped + NONCE_BYTES);
	struct message_prove prove = {.qkey = TRIAL_QKEY};
	struct qp_numbers numbers;
	struct message_waited waited;

	if (trial_buffer(&trial->near, TRIAL_DATA, skipped + NONCE_BYTES, ACCESS_LOCAL) ||
	    trial_connect(trial, shape, &numbers) ||
	    trial_receive(&trial->near, &(struct message_receive){.id = 1, .span = span}))
		return -EIO;
	prove.qpn = numbers.near;
	if (trial_order(&trial->far, prove, &prove) ||
	    trial_look(&trial->near, PROOF_MSEC, &waited))
		return -EIO;
	if (!waited.count || waited.items[0].status ||
	    waited.items[0].bytes != skipped + NONCE_BYTES)
		return 0;
	memcpy(proof->nonce, agent_block(trial->near.agent, &span, 0) + skipped, NONCE_BYTES);
	return 1;
}

static void fail_proof(struct trial *trial)
{
	const struct diagnosis_facts facts = {
		.peer = trial->request->peer,
		.local = &trial->near.can.far,
		.remote = &trial->far.can.far,
	};
	struct diagnosis diagnosis;

	diagnose_unproven(&facts, &diagnosis);
	trial_fail_as(trial, &diagnosis);
}

/*
 * Uses a reliable connection, because datagrams could be sent to any queue pair of that port, which
 * another server might have created. The exchange supplies its attributes, because librdmacm
 * chooses the address itself. The server does not retransmit to a port that it does not know.
 */
static void prove(struct trial *trial)
{
	const struct trial_retries retries = {.rnr_retries = 7, .timeout = PROOF_TIMEOUT};
	const struct qp_shape shape = {
		.kind = endpoint_has_datagrams_only(&trial->near.can.far) ? QP_UD : QP_RC,
		.retries = &retries,
	};
	struct message_proof proof;
	int rc = 0;

	for (int i = 0; i < PROOF_ATTEMPTS && !rc; i++) {
		rc = receive_nonce(trial, &shape, &proof);
		if (rc > 0 && trial_order(&trial->far, proof, &proof))
			rc = -EIO;
		trial_release(trial);
	}
	if (!rc)
		fail_proof(trial);
	/* The server would refuse to send what the tests need. */
	if (rc <= 0)
		trial->blocked = trial->id;
	trial->unproven = rc < 0;
}

void trial_prove(struct trial *trial)
{
	const bool by_cm = trial->by_cm;
	struct message_is_proven answer;

	if (trial_order(&trial->far, proven, &(struct message_none){}, &answer) || answer.proven)
		return;
	trial->by_cm = trial_is_iwarp(trial);
	prove(trial);
	trial->by_cm = by_cm;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a test ended, as far as only the sides themselves know. */
#include "selftest/trial/trial.h"

void trial_look_for_gids(struct trial *trial, struct diagnosis_facts *facts)
{
	struct message_gid_seen seen = {0};

	if (trial->near.agent->context &&
	    !side_gid_look(&trial->near, &(struct message_none){}, &seen))
		facts->local_gid_gone = seen.gone;
	if (facts->peer && facts->remote && trial->granted.version >= PROTOCOL_WAYS &&
	    !trial->far.stop && !side_gid_look(&trial->far, &(struct message_none){}, &seen))
		facts->remote_gid_gone = seen.gone;
}

void trial_take_farewell(struct trial *trial, struct diagnosis_facts *facts)
{
	const bool left = facts->stop == STOP_PEER_GONE || facts->stop == STOP_PEER_SPOKE ||
			  trial->far.stop == STOP_PEER_GONE;

	if (facts->peer && left)
		facts->farewell = side_hear_farewell(&trial->far);
	if (facts->farewell == STOP_DEVICE_GONE) {
		facts->stop = STOP_DEVICE_GONE;
		facts->at_peer = true;
	}
	/* The peer cannot serve further tests. */
	if (facts->at_peer && facts->stop == STOP_DEVICE_GONE)
		trial->stop = STOP_PEER_GONE;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of a port: an Ethernet port through its netdev, an InfiniBand port through subnet
 * management, which treats local and remote ports alike.
 */
#pragma once

#include "change/change.h"
#include "mad/session.h"

/* A port that answers subnet management: the only destination of its session. Allocated. */
struct port_agent {
	struct mad_session session;
	struct problems problems; /* reported by the session */
	unsigned int port;
	struct number node_guid; /* of the node first found there */
	bool local;		 /* the changes' object is a device of this host */
	char *options;		 /* change_host.options; owned */
};

/* Ends the session and frees the agent: change_host.free_agent. */
void port_agent_free(void *agent);

/* Whether the port has extended speeds (FDR and on); false if it does not answer. */
bool port_agent_has_speeds_ext(struct port_agent *agent);

/* Both end with NULL. Need change->netdev_index, or a struct port_agent in change->host->agent. */
extern const struct setting *const port_netdev_setting_table[];
extern const struct setting *const port_agent_setting_table[];

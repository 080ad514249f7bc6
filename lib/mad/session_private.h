/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by session.c, session_find.c (destinations) and session_names.c (those that are names);
 * and the parts of mad_port_explain().
 */
#pragma once

#include "kernel/sysfs.h"
#include "mad/session.h"

/* Adds a problem; the message may quote words from outside. Always returns -EINVAL. */
int session_report(struct mad_session *session, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void session_free_destination(struct mad_destination *destination);
void session_drop_destinations(struct mad_session *session);
/* Parses a word. TARGET_NAME: it is a name. -EINVAL: it is not a destination, which is reported. */
int session_parse_target(struct mad_session *session, const char *name,
			 struct mad_target *ret_target);
/*
 * Looks up the names. A destination that is not found leaves the list; -EINVAL: several nodes have
 * the same name.
 */
int session_look_up_names(struct mad_session *session);
/* Reports that NAME/PORT names a port where only a node will do. -EINVAL. */
int session_refuse_port(struct mad_session *session, const char *name);
/* The path of the port's umad device file, or NULL. */
char *mad_port_find_node(const struct mad_port *port, const struct root *root);
/* Explains why the file `node` cannot be opened, in the words of mad_port_explain(). */
void mad_port_explain_node(const struct mad_port *port, const char *node, int error,
			   char **ret_reason, char **ret_hint);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mad: the subcommands are in mad_send.c, mad_decode.c and mad_classes.c. */
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/mad_run.h"

static const struct command *const children[] = {
	&mad_send_command,
	&mad_decode_command,
	&mad_classes_command,
	NULL,
};

const struct command mad_command = {
	.name = "mad",
	.group = GROUP_MAD,
	.summary = "send and decode management datagrams of any class",
	.objects = "COMMAND [DEST|FILE...]",
	.least_objects = 1,
	.most_objects = -1,
	.children = children,
	.child_word = "COMMAND",
	.own_timeout = true,
	.needs = "umad; decode needs nothing",
};

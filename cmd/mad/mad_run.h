/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the subcommands of rdmactl mad. */
#pragma once

#include "cmd/mad/mad_listing.h"
#include "mad/format/decode.h"

extern const struct command mad_send_command, mad_decode_command;

/* Whether datagrams are printed as text, one after the other, rather than as rows. */
bool mad_show_wanted(const struct ctx *ctx);
/* Prints one datagram; `raw` adds its bytes. */
void mad_show(const struct ctx *ctx, const struct mad_decoded *decoded, bool raw, bool first);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the subcommands of rdmactl mad. */
#pragma once

#include "cmd/mad/mad_listing.h"
#include "mad/format/decode.h"

extern const struct command mad_send_command, mad_decode_command;

/*
 * Reads a file of up to `most` bytes, `-` for standard input. Returns 0 or -errno; the caller frees
 * the bytes.
 */
int mad_read_file(const char *path, size_t most, unsigned char **ret_bytes, size_t *ret_count);

/* Whether datagrams are printed as text, one after the other, rather than as rows. */
bool mad_show_wanted(const struct ctx *ctx);
/* Prints one datagram; `raw` adds its bytes. */
void mad_show(const struct ctx *ctx, const struct mad_decoded *decoded, bool raw, bool first);

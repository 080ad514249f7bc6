/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the subcommands of rdmactl mad. */
#pragma once

#include "cmd/mad/mad_session.h"
#include "mad/format/decode.h"

extern const struct command mad_send_command, mad_decode_command, mad_classes_command;

struct send_args {
	struct mad_args mad;
	const char *class, *method, *attribute, *modifier;
	const char *data, *oui, *component_mask;
	bool raw, yes;
};

/* The numbers that the options give. */
struct send_words {
	uint8_t mgmt_class, method;
	uint16_t attribute;
	uint32_t modifier, oui;
	uint64_t component_mask;
};

/* Parses them. False: the listing has the complaint. */
bool send_words_parse(struct listing *listing, const struct send_args *args,
		      struct send_words *ret_words);

/*
 * Reads a file of up to `most` bytes, `-` for standard input. Returns 0 or -errno; the caller frees
 * the bytes.
 */
int mad_read_file(const char *path, size_t most, unsigned char **ret_bytes, size_t *ret_count);

/* Whether datagrams are shown for people, one below the other, and not as rows. */
bool mad_show_wanted(const struct ctx *ctx);
/* Shows one datagram; `raw` shows its bytes as well. */
void mad_show(const struct ctx *ctx, const struct mad_decoded *decoded, bool raw, bool first);

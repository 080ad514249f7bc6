/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mad.c picks from the command line is done in mad_send.c, mad_decode.c, mad_classes.c. */
#pragma once

#include "mad/format/decode.h"
#include "cmd/mad/mad_session.h"

struct mad_command_args {
	struct mad_args mad;
	const char *class, *method, *attribute, *modifier;
	const char *data, *oui, *component_mask;
	bool raw, yes;
};

extern const struct schema mad_classes_schema;

/* All return the exit status; `words` are those behind the form's. */
int mad_send(const struct ctx *ctx, const struct mad_command_args *args, char **words);
int mad_decode_files(const struct ctx *ctx, const struct mad_command_args *args, char **words);
int mad_classes(const struct ctx *ctx, const struct mad_command_args *args, char **words);

/*
 * The numbers that the options of `send` mean. Notes what is wrong with them, and returns false
 * then.
 */
struct mad_words {
	uint8_t mgmt_class, method;
	uint16_t attribute;
	uint32_t modifier, oui;
	uint64_t component_mask;
};
bool mad_words_parse(struct listing *listing, const struct mad_command_args *args,
		     struct mad_words *ret_words);

/* A whole file, `-` for standard input, up to so many bytes: 0 or -errno; the caller frees it. */
int mad_read_file(const char *path, size_t most, unsigned char **ret_bytes, size_t *ret_count);

/* Whether datagrams are shown as people read them, one below the other, and not as rows. */
bool mad_show_wanted(const struct ctx *ctx);
/* Shows one; `raw`: its bytes, too. */
void mad_show(const struct ctx *ctx, const struct mad_decoded *decoded, bool raw, bool first);

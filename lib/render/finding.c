/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings for people, and the colours of tones. */
#include <errno.h>

#include "render/format.h"

const char *format_tone(enum tone tone)
{
	switch (tone) {
	case TONE_GOOD:
		return "\033[32m";
	case TONE_WARNING:
		return "\033[33m";
	case TONE_BAD:
		return "\033[31m";
	default:
		return NULL;
	}
}

int render_finding(FILE *out, const struct render_options *options,
		   const struct finding_block *block)
{
	const char *color = options->color ? format_tone(block->verdict->tone) : NULL;
	const int indent = block->verdict_width + 2;

	fprintf(out, "%s%-*s%s  ", color ? color : "", block->verdict_width, block->verdict->word,
		color ? FORMAT_PLAIN : "");
	if (block->object)
		fprintf(out, "%s: ", block->object);
	fprintf(out, "%s [%s]\n", block->summary, block->check);
	for (size_t i = 0; block->evidence && i < block->evidence->count; i++)
		fprintf(out, "%*s%s\n", indent, "", block->evidence->items[i]);
	if (block->next_step)
		fprintf(out, "%*s-> %s\n", indent, "", block->next_step);
	return ferror(out) ? -EIO : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of sentences that evidence is made of. */
#pragma once

#include "base/text.h"
#include "mesh/judge/tally.h"

const char *words_host(const struct judge *judge, uint32_t host);
const struct endpoint *words_endpoint(const struct judge *judge, uint32_t port);
char *words_device(const struct judge *judge, uint32_t port);
/* Also sets the finding's share. */
void words_add_figures(struct text_buffer *text, struct judge_finding *finding,
		       const struct judge *judge, const struct tally *tally,
		       const struct culprit *culprit, const char *what);
void words_add_direction(struct text_buffer *text, struct judge_finding *finding,
			 const struct tally *tally);
/* The finding's own id, or JUDGE_BOTH if that is all that is wrong. */
enum judge_finding_id words_id(const struct tally *tally, enum judge_finding_id usual);
/* What else the figures of both ways at once tell, if `id` is JUDGE_BOTH. */
void words_add_both(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, const struct tally *tally, enum judge_finding_id id);
/* What to say of a culprit of which no result of the second pass was judged. */
const char *words_not_again(const struct tally *tally);
void words_add_second_pass(struct text_buffer *text, struct judge_finding *finding,
			   const struct tally *tally, bool alone_bad);
void words_add_port_facts(struct text_buffer *text, const struct judge *judge, uint32_t number);
/* `before`: what the sentence begins with. */
void words_add_loopback(struct text_buffer *text, const struct judge *judge, uint32_t number,
			const char *before);
void words_add_mean(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, uint32_t number);
void words_add_others(struct text_buffer *text, const struct judge *judge, uint32_t number);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of the sentences that evidence consists of. */
#pragma once

#include "base/text.h"
#include "mesh/judge/tally.h"

const char *words_host(const struct judge *judge, uint32_t host);
const struct endpoint *words_endpoint(const struct judge *judge, uint32_t port);
/* Also sets the finding's share. */
void words_add_figures(struct text_buffer *text, struct judge_finding *finding,
		       const struct judge *judge, const struct tally *tally,
		       const struct culprit *culprit, const char *what);
void words_add_direction(struct text_buffer *text, struct judge_finding *finding,
			 const struct tally *tally);
/* Returns `usual`, or JUDGE_BOTH if nothing else is wrong. */
enum judge_finding_id words_id(const struct tally *tally, enum judge_finding_id usual);
/* Adds what else the figures of both ways at once show, if `id` is JUDGE_BOTH. */
void words_add_both(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, const struct tally *tally, enum judge_finding_id id);
/* Text for a culprit that has no judged result of the second pass. */
const char *words_not_again(const struct tally *tally);
void words_add_second_pass(struct text_buffer *text, struct judge_finding *finding,
			   const struct tally *tally, bool alone_bad);
void words_add_port_facts(struct text_buffer *text, const struct judge *judge, uint32_t number);
/* `before`: the beginning of the sentence. */
void words_add_loopback(struct text_buffer *text, const struct judge *judge, uint32_t number,
			const char *before);
void words_add_mean(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, uint32_t number);
void words_add_others(struct text_buffer *text, const struct judge *judge, uint32_t number);

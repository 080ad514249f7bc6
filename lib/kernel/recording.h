/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text form of questions to netlink and verbs and of their answers, which a snapshot holds besides
 * files. Both use one format:
 *
 *     rdmactl-recording/1 little 64
 *     ask 20 5121 769 08000100...
 *     got 5121 2 28000100...
 *     got 3 2 00000000
 *     end
 *
 * The first line has the byte order, and to how many bits a number of 64 bits is aligned (to 32
 * only on i386), because payloads are copies of the host's memory, in hexadecimal digits; "-" is an
 * empty one. `ask` has the protocol, type, flags and payload of a question, and each `got` the
 * type, flags and payload of one message of its answer. Sequence and port numbers are omitted, and
 * zero where a payload repeats them. The numbers of generic netlink families need no translation:
 * the list of families is among the answers, and callers take the numbers from
 * there. For a question that was asked twice, the last answer counts.
 *
 * A recording comes from someone else: it is parsed strictly, and its answers get the same checks
 * as those of the kernel.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct root;

/* Netlink's protocol numbers (NETLINK_ROUTE, ...), and this one. */
enum { RECORDING_VERBS = 1000 };

/* The files of a snapshot that hold recordings. */
#define RECORDING_NETLINK_FILE "netlink/answers"
#define RECORDING_VERBS_FILE   "verbs/answers"

/* The message, with -ENODATA, for a question that was not recorded. */
#define RECORDING_LACKS "the snapshot does not hold this"

struct recorded_message {
	uint16_t type;
	uint16_t flags;
	uint32_t length;
	const uint8_t *payload; /* not aligned */
};

struct recording;

/*
 * Takes over the text, which is modified and later freed. -EBADMSG: it is damaged or too large;
 * -ENOEXEC: it is from a host with another layout. *ret_message, unless NULL, explains the error,
 * for the caller to free.
 */
int recording_parse(char *text, size_t length, struct recording **ret_recording,
		    char **ret_message);
/*
 * Chooses the source of the root's answers: *ret_recording, from a file below the folder of a
 * snapshot; NULL if the root is live (or NULL). *ret_fd is the result of recording_fd().
 * -EOPNOTSUPP: a saved tree has no answers; -ENODATA: the snapshot has no such file.
 */
int recording_choose(const struct root *root, const char *path, int *ret_fd,
		     struct recording **ret_recording);
/* Reads a file below the folder of a snapshot. -ENODATA: there is no such file. */
int recording_open(const struct root *root, const char *path, struct recording **ret_recording,
		   char **ret_message);
void recording_free(struct recording *recording);
/* Returns the messages of the answer, or NULL if this was not asked. */
const struct recorded_message *recording_find(const struct recording *recording, uint32_t protocol,
					      const struct recorded_message *question,
					      size_t *ret_count);
/* A question and the `count` messages of its answer. */
struct recorded_exchange {
	uint32_t protocol;
	struct recorded_message question;
	const struct recorded_message *messages;
	size_t count;
};

/* Returns the exchanges in sorted order, from 0. False: there are no more. */
bool recording_at(const struct recording *recording, size_t index,
		  struct recorded_exchange *ret_exchange);
/*
 * Appends to the text of a file what a recording holds of the protocols `first` to `last`, with
 * repeated questions only once.
 */
void recording_format(const struct recording *recording, uint32_t first, uint32_t last,
		      struct text_buffer *file);

/* Appends the first line of a file. */
void recording_begin(struct text_buffer *file);

/*
 * Returns the descriptor to which this process must record its questions to the live system,
 * inherited from the process that makes a snapshot; -1 if there is none, or if the root is NULL or
 * not live.
 */
int recording_fd(const struct root *root);
/* A question and its answer are collected in a text, and written in one piece once complete. */
void recording_ask(struct text_buffer *text, uint32_t protocol,
		   const struct recorded_message *question);
void recording_got(struct text_buffer *text, const struct recorded_message *answer);
/*
 * Writes the text and empties it. A piece past the limit of 32 MiB for all pieces is dropped, and
 * the loss is noted.
 */
void recording_end(int fd, struct text_buffer *text);
/* Notes that a piece was lost. */
void recording_lose(int fd);
/* Removes these notes from the pieces, and returns their number. */
size_t recording_count_lost(char *pieces);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Questions to netlink and verbs, and the answers to them, as text: what a snapshot holds besides
 * files. One kind of file for both:
 *
 *     rdmactl-recording/1 little 64
 *     ask 20 5121 769 08000100...
 *     got 5121 2 28000100...
 *     got 3 2 00000000
 *     end
 *
 * The first line has the byte order and the size of a pointer, because the bytes are those of the
 * memory of the host, in hexadecimal digits; "-" is none. `ask` has the protocol, the type, the
 * flags and the payload of a question. A `got` for each message of its answer has the type, the
 * flags and the payload. Sequence and port numbers are left out, and zero where a payload repeats
 * them. Numbers of generic netlink's families need no translation: the list of the families is
 * among the answers, and whoever asks takes the numbers from there. A question that was asked twice
 * has the last answer.
 *
 * A recording comes from someone else: it is read strictly, and an answer is what the kernel could
 * have sent as far as the one who asks is concerned: it checks both alike.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct root;

/* Protocols are numbers of netlink (NETLINK_ROUTE, ...), and this one. */
enum { RECORDING_VERBS = 1000 };

/* The files of a snapshot that hold recordings. */
#define RECORDING_NETLINK_FILE "netlink/answers"
#define RECORDING_VERBS_FILE   "verbs/answers"

/* What a question that was not asked gets, beside -ENODATA. */
#define RECORDING_LACKS "the snapshot does not hold this"

struct recorded_message {
	uint16_t type;
	uint16_t flags;
	uint32_t length;
	const uint8_t *payload; /* at no special alignment */
};

struct recording;

/*
 * Takes over the text, which may be changed and is freed. -EBADMSG: it is damaged or too large;
 * -ENOEXEC: it is of a host with another byte order or size of pointers. *ret_message says it, if
 * not NULL, for the caller to free.
 */
int recording_parse(char *text, size_t length, struct recording **ret_recording,
		    char **ret_message);
/*
 * Where the root's answers are: in *ret_recording, from a file below the folder of a snapshot; in
 * none if the root is live (NULL, too). *ret_fd is what recording_fd() says. -EOPNOTSUPP: a saved
 * tree has no answers; -ENODATA: the snapshot has none.
 */
int recording_choose(const struct root *root, const char *path, int *ret_fd,
		     struct recording **ret_recording);
/* Reads a file below the folder of a snapshot. -ENODATA: the snapshot has none. */
int recording_open(const struct root *root, const char *path, struct recording **ret_recording,
		   char **ret_message);
void recording_free(struct recording *recording);
/* The messages of the answer, or NULL: this was not asked. */
const struct recorded_message *recording_find(const struct recording *recording, uint32_t protocol,
					      const struct recorded_message *question,
					      size_t *ret_count);
/* What was asked and what came back; `messages` are `count`. */
struct recorded_exchange {
	uint32_t protocol;
	struct recorded_message question;
	const struct recorded_message *messages;
	size_t count;
};

/* The exchanges in their order, from 0. False: there are no more. */
bool recording_at(const struct recording *recording, size_t index,
		  struct recorded_exchange *ret_exchange);
/*
 * Adds what a recording holds of the protocols from `first` to `last` to the text of a file,
 * without what was asked twice.
 */
void recording_format(const struct recording *recording, uint32_t first, uint32_t last,
		      struct text_buffer *file);

/* The first line of a file. */
void recording_begin(struct text_buffer *file);

/*
 * Where this process is to note what it asks of the live system: the descriptor that the process
 * which makes a snapshot gave it, or -1, also for other roots and for NULL.
 */
int recording_fd(const struct root *root);
/* A question and its answer are put together, and written as one piece when the answer is whole. */
void recording_ask(struct text_buffer *text, uint32_t protocol,
		   const struct recorded_message *question);
void recording_got(struct text_buffer *text, const struct recorded_message *answer);
/*
 * Empties the text. What does not fit is lost, which is noted: all pieces have 32 MiB together.
 */
void recording_end(int fd, struct text_buffer *text);
/* Notes that a piece is lost. */
void recording_lose(int fd);
/* Takes these notes out of what was written, and returns their number. */
size_t recording_count_lost(char *pieces);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "kernel/root.h"

#define HEAD "rdmactl-recording/1 "

/* Written instead of a lost piece, until the pieces become a file. */
#define LOST "lost\n"

/*
 * Writing stops at 32 MiB, some 80,000 queue pairs. A piece of another process may be under way at
 * that moment, so the reader's limit is twice as large.
 */
#define LARGEST_WRITTEN	  (32u << 20)
#define LARGEST_RECORDING (2 * LARGEST_WRITTEN)
#define QUESTIONS_MOST	  (1u << 18)
#define MESSAGES_MOST	  (1u << 20)
/* Payload of a message: netlink sends at most 32 KiB, a GID table of verbs has 4,096 entries. */
#define LARGEST_PAYLOAD (1u << 20)

/* Variable with the descriptor that recording_fd() returns. */
#define RECORD_VARIABLE "RDMACTL_RECORD_FD"

struct recorded_question {
	uint32_t protocol;
	struct recorded_message message;
	size_t first, count; /* the messages of its answer */
};

struct recording {
	char *text; /* holds the payloads */
	struct recorded_question *questions;
	size_t question_count;
	struct recorded_message *messages;
	size_t message_count;
};

/*
 * i386 aligns 64 bits to 4 bytes within structures, other processors to 8, also those with 32-bit
 * pointers: no payload has a pointer.
 */
struct aligned {
	uint32_t first;
	uint64_t second;
};

static const char *own_layout(void)
{
	const uint16_t one = 1;
	const bool little = *(const uint8_t *)&one;

	if (sizeof(struct aligned) == 12)
		return "little 32 i386";
	return little ? "little 64" : "big 64";
}

/* Parses a decimal number and the blank after it. */
static bool take_number(char **at, uint32_t most, uint32_t *ret_number)
{
	const char *rest = *at;
	uint64_t value;

	if (text_take_u64(&rest, 10, most, &value) || *rest != ' ')
		return false;
	*at += rest + 1 - *at; /* without a cast that drops const */
	*ret_number = (uint32_t)value;
	return true;
}

/* Overwrites the digits, which reach to the end of the line, with their bytes. */
static bool take_payload(char *digits, struct recorded_message *message)
{
	const size_t length = strlen(digits);

	message->payload = (const uint8_t *)digits;
	if (!strcmp(digits, "-"))
		return true;
	if (!length || length % 2 || length / 2 > LARGEST_PAYLOAD)
		return false;
	/* Each byte is written where digits have been read already. */
	if (!text_read_hex(digits, (uint8_t *)digits, length / 2))
		return false;
	message->length = (uint32_t)(length / 2);
	return true;
}

static bool take_message(char *words, struct recorded_message *message)
{
	uint32_t type, flags;

	if (!take_number(&words, UINT16_MAX, &type) || !take_number(&words, UINT16_MAX, &flags))
		return false;
	message->type = (uint16_t)type;
	message->flags = (uint16_t)flags;
	return take_payload(words, message);
}

static bool take_question(struct recording *recording, char *words)
{
	struct recorded_question *question;

	if (recording->question_count == QUESTIONS_MOST)
		return false;
	question = mem_append(&recording->questions, &recording->question_count,
			      sizeof(*recording->questions));
	question->first = recording->message_count;
	return take_number(&words, UINT16_MAX, &question->protocol) &&
	       take_message(words, &question->message);
}

static bool take_answer(struct recording *recording, char *words)
{
	if (recording->message_count == MESSAGES_MOST)
		return false;
	recording->questions[recording->question_count - 1].count++;
	return take_message(words, mem_append(&recording->messages, &recording->message_count,
					      sizeof(*recording->messages)));
}

/* `asked`: a question has begun, but not ended. */
static bool take_line(struct recording *recording, char *line, bool *asked)
{
	if (!strncmp(line, "ask ", 4) && !*asked) {
		*asked = true;
		return take_question(recording, line + 4);
	}
	if (!strncmp(line, "got ", 4) && *asked)
		return take_answer(recording, line + 4);
	if (!strcmp(line, "end") && *asked) {
		*asked = false;
		return true;
	}
	return false;
}

static int compare_questions(const struct recorded_question *a, const struct recorded_question *b)
{
	const struct recorded_message *first = &a->message, *second = &b->message;

	return COMPARE(a->protocol, b->protocol) ?: COMPARE(first->type, second->type) ?:
	       COMPARE(first->flags, second->flags) ?: COMPARE(first->length, second->length) ?:
	       memcmp(first->payload, second->payload, first->length);
}

/* Equal questions stay in the order in which they were asked. */
static int compare_in_order(const void *a, const void *b)
{
	const struct recorded_question *first = a, *second = b;

	return compare_questions(first, second) ?: COMPARE(first->first, second->first);
}

static bool is_asked_again(const struct recording *recording, size_t at)
{
	return at + 1 < recording->question_count &&
	       !compare_questions(&recording->questions[at], &recording->questions[at + 1]);
}

static void say(char **ret_message, const char *what, size_t line)
{
	if (ret_message && line)
		*ret_message = mem_format("the recording is damaged at line %zu", line);
	else if (ret_message)
		*ret_message = mem_string(what);
}

/* Returns the next line without its newline, which must exist; NULL at the end. */
static char *next_line(char **at, const char *end)
{
	char *line = *at;
	char *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;

	if (!newline)
		return NULL;
	*newline = '\0';
	*at = newline + 1;
	return line;
}

/* Parses the lines after the first. On failure *ret_number is that of the bad line. */
static int take_lines(struct recording *recording, char *at, const char *end, size_t *ret_number)
{
	bool asked = false;
	char *line;

	for (*ret_number = 2; (line = next_line(&at, end)); ++*ret_number)
		if (strlen(line) != (size_t)(at - line) - 1 || !take_line(recording, line, &asked))
			return -EBADMSG;
	return asked || at != end ? -EBADMSG : 0;
}

int recording_parse(char *text, size_t length, struct recording **ret_recording, char **ret_message)
{
	struct recording *recording = mem_alloc_zero(1, sizeof(*recording));
	char *at = text, *end = text + length;
	char *line = length <= LARGEST_RECORDING ? next_line(&at, end) : NULL;
	size_t number = 0;
	int rc = 0;

	recording->text = text;
	if (!line || strncmp(line, HEAD, strlen(HEAD))) {
		rc = -EBADMSG;
		say(ret_message, "this is not an rdmactl recording, or it is too large", 0);
	} else if (strcmp(line + strlen(HEAD), own_layout())) {
		rc = -ENOEXEC;
		say(ret_message, "the recording is of a host with another kind of processor", 0);
	}
	if (!rc) {
		rc = take_lines(recording, at, end, &number);
		if (rc)
			say(ret_message, "", number);
	}
	if (rc) {
		recording_free(recording);
		return rc;
	}
	MEM_SORT(recording->questions, recording->question_count, compare_in_order);
	*ret_recording = recording;
	return 0;
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	free(recording->text);
	free(recording->questions);
	free(recording->messages);
	free(recording);
}

int recording_open(const struct root *root, const char *path, struct recording **ret_recording,
		   char **ret_message)
{
	const struct root folder = {.fd = root->snapshot};
	_cleanup_(closep) int fd = root->recorded ? root_open_path(&folder, path, 0) : -ENOENT;
	size_t length = 0;
	char *text = NULL;
	int rc;

	if (fd < 0)
		return fd == -ENOENT ? -ENODATA : fd;
	rc = file_read_fd(fd, LARGEST_RECORDING, &text, &length);
	if (rc == -EFBIG)
		say(ret_message, "the recording is larger than 64 MiB", 0);
	return rc ? rc : recording_parse(text, length, ret_recording, ret_message);
}

const struct recorded_message *recording_find(const struct recording *recording, uint32_t protocol,
					      const struct recorded_message *question,
					      size_t *ret_count)
{
	const struct recorded_question wanted = {.protocol = protocol, .message = *question};
	size_t low = 0, high = recording->question_count;

	/* Find the first question that sorts after `wanted`; the match is before it. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_questions(&recording->questions[middle], &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || compare_questions(&recording->questions[low - 1], &wanted))
		return NULL;
	*ret_count = recording->questions[low - 1].count;
	return recording->messages + recording->questions[low - 1].first;
}

bool recording_at(const struct recording *recording, size_t index,
		  struct recorded_exchange *ret_exchange)
{
	const struct recorded_question *question;

	if (index >= recording->question_count)
		return false;
	question = &recording->questions[index];
	*ret_exchange = (struct recorded_exchange){
		.protocol = question->protocol,
		.question = question->message,
		.messages = question->count ? recording->messages + question->first : NULL,
		.count = question->count,
	};
	return true;
}

static void add_message(struct text_buffer *text, const struct recorded_message *message)
{
	_cleanup_(freep) char *digits = mem_alloc_zero(2 * (size_t)message->length + 1, 1);

	text_write_hex(digits, message->payload, message->length);
	text_buffer_add(text, "%u %u %s\n", message->type, message->flags,
			message->length ? digits : "-");
}

void recording_ask(struct text_buffer *text, uint32_t protocol,
		   const struct recorded_message *question)
{
	text_buffer_add(text, "ask %u ", protocol);
	add_message(text, question);
}

void recording_got(struct text_buffer *text, const struct recorded_message *answer)
{
	text_buffer_add(text, "got ");
	add_message(text, answer);
}

void recording_begin(struct text_buffer *file)
{
	text_buffer_add(file, HEAD "%s\n", own_layout());
}

void recording_format(const struct recording *recording, uint32_t first, uint32_t last,
		      struct text_buffer *file)
{
	struct recorded_exchange exchange;

	recording_begin(file);
	for (size_t i = 0; recording_at(recording, i, &exchange); i++) {
		if (exchange.protocol < first || exchange.protocol > last ||
		    is_asked_again(recording, i))
			continue;
		recording_ask(file, exchange.protocol, &exchange.question);
		for (size_t j = 0; j < exchange.count; j++)
			recording_got(file, &exchange.messages[j]);
		text_buffer_add(file, "end\n");
	}
}

/*
 * The parent process passes the descriptor on. It must be an appending memfd, so that a variable
 * which leaked from elsewhere cannot make us write to a file on a disk.
 */
int recording_fd(const struct root *root)
{
	const char *variable = root && root->live ? secure_getenv(RECORD_VARIABLE) : NULL;
	struct stat status;
	uint64_t fd;

	if (!variable || text_parse_u64(variable, 10, INT16_MAX, &fd) || fd <= STDERR_FILENO ||
	    !(fcntl((int)fd, F_GETFL) & O_APPEND) || fcntl((int)fd, F_GET_SEALS) < 0 ||
	    fstat((int)fd, &status) || !S_ISREG(status.st_mode))
		return -1;
	return (int)fd;
}

int recording_choose(const struct root *root, const char *path, int *ret_fd,
		     struct recording **ret_recording)
{
	*ret_fd = recording_fd(root);
	*ret_recording = NULL;
	if (!root || root->live)
		return 0;
	return root->recorded ? recording_open(root, path, ret_recording, NULL) : -EOPNOTSUPP;
}

void recording_end(int fd, struct text_buffer *text)
{
	_cleanup_(freep) char *piece = NULL;
	struct stat status;
	ssize_t written = 0;
	size_t length;

	text_buffer_add(text, "end\n");
	length = text->length;
	piece = text_buffer_take(text);
	if (fstat(fd, &status) || (size_t)status.st_size + length >= LARGEST_WRITTEN)
		recording_lose(fd);
	else
		written = write(fd, piece, length);
	(void)written;
}

void recording_lose(int fd)
{
	const ssize_t written = write(fd, LOST, strlen(LOST));

	(void)written;
}

size_t recording_count_lost(char *pieces)
{
	char *to = pieces, *from = pieces, *lost;
	size_t count = 0;

	/* No other line has these letters: "lost" is not hexadecimal. */
	for (; (lost = strstr(from, LOST)); from = lost + strlen(LOST), count++) {
		memmove(to, from, (size_t)(lost - from));
		to += lost - from;
	}
	memmove(to, from, strlen(from) + 1);
	return count;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of a self-test's buffers, and the shapes of its gather tests. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/selftest/selftest_run.h"

/* Suffices for a client; option_parse_size() accepts no more than 1024 GiB. */
#define SERVER_LEAST_MEMORY (UINT64_C(64) << 20)

#define USUAL_BLOCK_BYTES 256
#define USUAL_BLOCKS	  16

#define KINDS_HINT                                                                              \
	"pages, huge, odp, dmabuf:system, dmabuf:udmabuf, dmabuf:cuda or dmabuf:hip, with the " \
	"number of the accelerator: dmabuf:cuda:1"

static char *parse_kind(const char *option, const char *text, struct message_memory *ret,
			char **ret_hint)
{
	uint64_t bytes;

	if (!selftest_memory_parse(text, ret))
		return NULL;
	/* With --serve, --memory is a size; --peer-memory cannot be used with it. */
	if (!strcmp(option, "memory") && option_parse_size(text, &bytes) != -EINVAL)
		return mem_string("--memory with a size needs --serve");
	*ret_hint = mem_string(KINDS_HINT);
	return selftest_complain(option, text, "is not a kind of memory");
}

static char *parse_server(struct selftest_plan *plan)
{
	const char *text = plan->args->memory;
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	const int rc = option_parse_size(text, &plan->memory_bytes);

	if (rc == -EINVAL)
		return mem_format("--memory: with --serve '%s' is not a size (64m, 1g)", clean);
	if (rc || plan->memory_bytes < SERVER_LEAST_MEMORY)
		return mem_format("--memory: with --serve give a size from 64m to 1024g, not %s",
				  clean);
	return NULL;
}

char *selftest_parse_memory(struct selftest_plan *plan, char **ret_hint)
{
	const struct selftest_args *args = plan->args;
	struct selftest_request *request = &plan->request;
	char *message = NULL;

	if (args->memory && args->request.server)
		return parse_server(plan);
	if (args->memory)
		message = parse_kind("memory", args->memory, &request->memory, ret_hint);
	/* The other side uses the same memory, unless the user says otherwise. */
	request->peer_memory = request->memory;
	if (!message && args->peer_memory)
		message = parse_kind("peer-memory", args->peer_memory, &request->peer_memory,
				     ret_hint);
	return message;
}

static char *parse_list(const char *option, const char *text, bool sizes, uint64_t *numbers,
			size_t *count)
{
	_cleanup_(freep) char *list = mem_string_or_null(text);
	char *rest = list;

	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t number;
		const int rc = sizes ? option_parse_size(word, &number)
				     : text_parse_u64(word, 10, LIMIT_BYTES, &number);

		if (rc == -EINVAL)
			return selftest_complain(option, word,
						 sizes ? "is not a size (64,4k)"
						       : "is not a number of blocks (2,8,30)");
		if (rc || !number || number > LIMIT_BYTES)
			return mem_format("--%s: %s is not between 1 and %" PRIu64, option, word,
					  (uint64_t)LIMIT_BYTES);
		if (*count == SELFTEST_MOST_BLOCKS)
			return mem_format("--%s: more than %d", option, SELFTEST_MOST_BLOCKS);
		numbers[(*count)++] = number;
	}
	return NULL;
}

char *selftest_parse_blocks(struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	struct selftest_request *request = &plan->request;
	char *message = parse_list("block-size", args->block_bytes, true, request->block_bytes,
				   &request->block_bytes_count)
				?: parse_list("block-count", args->block_count, false,
					      request->block_count, &request->block_count_count);

	/* Any one of the three options asks for a shape. */
	if (args->block_bytes || args->block_count || args->stride.known) {
		if (!request->block_bytes_count)
			request->block_bytes[request->block_bytes_count++] = USUAL_BLOCK_BYTES;
		if (!request->block_count_count)
			request->block_count[request->block_count_count++] = USUAL_BLOCKS;
	}
	for (size_t i = 0; !message && i < request->block_bytes_count; i++)
		if (args->stride.known && args->stride.value < request->block_bytes[i])
			message = mem_string(
				"--stride is less than --block-size: the blocks would overlap");
	return message;
}

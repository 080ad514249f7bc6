/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tells both sides which memory to use for buffers, and the row why it is not available. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "selftest/trial/trial.h"

/* Returns what to do about a failure, by kind and exporter; the last one is for accelerators. */
static const char *hint_of(const struct message_memory *memory, const struct message_refused *why)
{
	if (memory->kind == MEMORY_HUGE)
		return "reserve some: sysctl vm.nr_hugepages=64; grep Huge /proc/meminfo shows "
		       "them";
	if (memory->kind == MEMORY_ODP)
		return "with mlx5 the firmware must allow it (mlxconfig), and Soft-RoCE has it "
		       "since Linux 6.15; otherwise choose another kind";
	if (!strcmp(why->text, "ibv_reg_dmabuf_mr"))
		return "the driver must support dma-bufs: mlx5, irdma, bnxt_re, efa and others do, "
		       "software devices do not";
	if (memory->exporter == EXPORTER_SYSTEM)
		return "the kernel needs CONFIG_DMABUF_HEAPS_SYSTEM, and the user the right to "
		       "open /dev/dma_heap/system";
	if (memory->exporter == EXPORTER_UDMABUF)
		return "modprobe udmabuf; the user needs the right to open /dev/udmabuf";
	return "the accelerator's driver must be loaded and its library installed; a server cannot "
	       "open its device files: start the test from the host with the accelerator";
}

static bool is_failure_of_memory(const struct message_refused *refused)
{
	return refused->refusal == REFUSAL_FAILED && refused->stage == STAGE_MEMORY &&
	       refused->error;
}

static int set(struct side *side, const struct message_memory *memory, bool *hidden)
{
	struct trial *trial = side->trial;
	const bool there = side == &trial->far && trial->request->peer;
	const struct endpoint *endpoint = &side->can.far;
	_cleanup_(freep) char *kind = selftest_memory_text(memory);
	_cleanup_(freep) char *place = there ? mem_format("on %s: ", trial->request->peer)
					     : mem_string("");
	_cleanup_(freep) char *call = NULL, *hint = NULL;
	struct message_memory_ready ready = {0};
	int rc = side_memory(side, memory, &ready);

	*hidden = *hidden || ready.hidden;
	if (rc != -EREMOTEIO || !is_failure_of_memory(&side->refused))
		return trial_explain(side, rc);
	call = text_clean(side->refused.text, strlen(side->refused.text));
	hint = mem_format("%s%s", place, hint_of(memory, &side->refused));
	trial_fail(trial, hint, "%s%s/%u has no memory of kind %s: %s: %s", place, endpoint->device,
		   endpoint->port, kind, call, strerror((int)side->refused.error));
	return rc;
}

int trial_set_memory(struct trial *trial)
{
	const struct selftest_request *request = trial->request;
	int rc = 0;

	if (request->memory.kind)
		rc = set(&trial->near, &request->memory, &trial->hidden);
	if (!rc && request->peer_memory.kind)
		rc = set(&trial->far, &request->peer_memory, &trial->hidden);
	return rc;
}

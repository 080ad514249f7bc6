/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Orders for testing all ports of a host at once: list the ports, and stay close to one. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/sysfs.h"
#include "selftest/agent/agent.h"
#include "selftest/agent/cpu_list.h"

/* MPOL_PREFERRED: falls back to other nodes if that one has no memory (set_mempolicy(2)). */
#define PREFER_NODE 1

int agent_list_ports(struct agent *agent, const struct message_list_ports *order,
		     struct message_listed *reply)
{
	_cleanup_(freep) char *reason = NULL;
	int rc;

	if (!agent->list)
		return agent_refuse(agent, REFUSAL_ORDER, "no ports are listed here");
	rc = agent->list(agent->owner, order->first, reply, &reason);
	if (rc)
		return agent_refuse(agent, REFUSAL_NO_PORT, "%s", reason ? reason : strerror(-rc));
	return 0;
}

/* Applies to memory touched from now on; a kernel without NUMA lacks this call. */
static void prefer_node(uint64_t node)
{
	unsigned long mask[16] = {0};
	const size_t bits = 8 * sizeof(mask[0]);

	if (node >= 8 * sizeof(mask))
		return;
	mask[node / bits] = 1ul << node % bits;
	syscall(SYS_set_mempolicy, PREFER_NODE, mask, 8 * sizeof(mask) + 1);
}

bool agent_find_near(const struct root *root, const char *device, struct cpu_list *ret_list,
		     struct number *ret_node)
{
	char text[SYSFS_TEXT_SIZE];
	struct number node = {.known = false};

	if (sysfs_read(root, text, SYSFS_RDMA_CLASS "/%s/device/local_cpulist", device) <= 0 ||
	    !cpu_list_parse(text, ret_list))
		return false;
	if (sysfs_read_number(root, &node, SYSFS_RDMA_CLASS "/%s/device/numa_node", device) ||
	    node.value > UINT16_MAX)
		node.known = false;
	*ret_node = node;
	return true;
}

int agent_pin(struct agent *agent, const struct message_pin *order, struct message_pinned *reply)
{
	struct cpu_list near = {0}, allowed;
	struct number node = {.known = false};
	struct root root;
	int rc;

	if (root_open(NULL, &root))
		return 0;
	/* A device without that information is near no processor. */
	agent_find_near(&root, agent->endpoint.device, &near, &node);
	root_close(&root);
	if (cpu_list_of_thread(&allowed))
		return 0;
	cpu_list_limit(&near, &allowed);
	if (!cpu_list_count(&near))
		return 0;
	cpu_list_share(&near, order->share, order->shares);
	rc = cpu_list_keep_to(&near);
	if (rc)
		return agent_fail(agent, STAGE_NONE, -rc, "sched_setaffinity");
	if (node.known)
		prefer_node(node.value);
	reply->with_node = node.known;
	reply->node = node.known ? (uint32_t)node.value : 0;
	cpu_list_format(&near, reply->cpus, sizeof(reply->cpus));
	return 0;
}

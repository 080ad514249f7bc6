/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl resources qp --raw: the adapter's own records of queue pairs. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/resources/resources_run.h"
#include "resource/qp_context.h"

static const char *explain(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return "run it as root: it needs CAP_NET_ADMIN in the initial user namespace";
	case -EINVAL:
		return "its driver provides no such records (mlx5, hns and bnxt_re do), or the "
		       "kernel is older than 5.9";
	case -EAGAIN:
		return "the kernel finds a queue pair by its port, which it has only from the "
		       "state init on";
	default:
		return NULL;
	}
}

/* Objects that have disappeared meanwhile are not a problem. */
static void tell_error(struct listing *listing, const struct qp_context *context)
{
	const bool gone = context->error == -ENOENT || context->error == -ENODEV;
	_cleanup_(freep) char *what = mem_format("queue pair %u",
						 (unsigned int)context->resource.id.value);

	problem_add(gone ? &listing->notes : &listing->problems, context->resource.device, what,
		    "nldev", context->error, explain(context->error));
}

static void read_contexts(struct listing *listing, const struct resource_list *list,
			  struct qp_context *contexts)
{
	struct netlink *nldev;
	int rc = inventory_open_nldev(&listing->inventory, &nldev);

	if (rc) {
		resources_fail(listing, rc);
		return;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct device *device = device_list_find(&listing->inventory.devices,
							       list->items[i].device);

		contexts[i].resource = list->items[i];
		contexts[i].device_index = device ? (uint32_t)device->index.value : 0;
	}
	qp_contexts_read(nldev, contexts, list->count);
	netlink_free(nldev);
	for (size_t i = 0; i < list->count; i++) {
		if (contexts[i].error)
			tell_error(listing, &contexts[i]);
		listing_add(listing, &contexts[i]);
	}
}

/* Stops at the limit, because the kernel queries the hardware for each queue pair that it lists. */
struct qp_context *resources_read_raw(struct listing *listing, struct resource_loader *loader,
				      struct resources_filter *filter, struct resource_list *list)
{
	struct qp_context *contexts;
	size_t first = 0;

	while (filter->left &&
	       resource_loader_next(loader, list, &listing->problems, &listing->notes)) {
		resources_filter_list(filter, first, list);
		first = list->count;
	}
	contexts = mem_alloc_zero(list->count, sizeof(*contexts));
	read_contexts(listing, list, contexts);
	return contexts;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA devices in software on a netdev: rxe (RoCE) and siw (iWARP), which RDMA netlink's NEWLINK
 * and DELLINK make and delete. The setting "link" of a device is "rxe on eth0", or "absent".
 */
#pragma once

#include "change/change.h"
#include "host/inventory/inventory.h"

/* The record of `link`. */
struct software_link {
	char *name;
	char *type;	       /* rxe, siw; NULL: no longer known */
	char *netdev;	       /* NULL: it has none in this network namespace */
	struct number state;   /* enum port_state */
	enum tristate leaving; /* it is being deleted, and waits for those who use it */
};

struct software_links {
	struct software_link *items;
	size_t count;
};

extern const struct schema software_link_schema;
extern const struct setting link_setting;
extern const struct enum_name link_type_names[]; /* the help is the module */

/*
 * Lists those of the host; the caller clears the list. 0, -ENODEV if it has no RDMA device of any
 * kind, or another -errno. Loads no module.
 */
int software_links_read(const char *root, struct software_links *links, struct problems *problems);
void software_links_clear(struct software_links *links);
const struct software_link *software_links_find(const struct software_links *links,
						const char *name);
/* The one of that type on that netdev, or NULL. */
const struct software_link *software_links_find_on(const struct software_links *links,
						   const char *type, const char *netdev);
/* The first name of rxe0, rxe1 ... that no device has; the caller frees it. */
char *software_link_free_name(const char *type);
/* "rxe on eth0", for the caller to free. */
char *software_link_value(const char *type, const char *netdev);

/* The type and netdev in such a value. False: it is none. */
struct link_wish {
	const char *type;   /* static */
	const char *netdev; /* in the value */
};
bool link_wish_parse(const char *value, struct link_wish *ret_wish);

/*
 * The device of the change, or NULL. One that this call, or an earlier one, has made may have
 * another name since: 60-rdma-persistent-naming.rules of rdma-core. So it is looked for by its type
 * and netdev, as the kernel makes no second one with both (rxe_newlink(), siw_newlink()), and the
 * change then has the new name.
 */
const struct device *link_follow(struct change *change, const struct inventory *inventory);

/*
 * Why the kernel would refuse to make it: 0 or its -errno, explained. `netdevs` are those that
 * there are now; one that has such a device already is no refusal, see link_follow().
 */
int link_check_add(struct change *change, const struct link_list *netdevs,
		   const struct link_wish *wish);
/* Says which module the kernel will load for it. */
void link_note_module(struct change *change, const struct link_wish *wish);
/* The reason of an errno that the kernel has given. */
void link_explain_add(struct change *change, const struct link_wish *wish, int error);

int link_add(struct change *change, const struct link_wish *wish);
/*
 * Deletes the device of the change. The kernel waits, and cannot be killed, until the last
 * descriptor of the device is closed; so a child does it, which has none. -EINTR: a signal came
 * meanwhile, and the child goes on waiting.
 */
int link_delete(struct change *change, const char *kernel_name, uint32_t device_index);

/*
 * What the child does, without any descriptor but that of its report: 0 or -errno; and how often it
 * is said whom the kernel waits for.
 */
struct link_removal {
	int (*remove)(const void *context);
	const void *context;
	int patience_msec;
};

/* The same with another removal than the kernel's; for tests. */
int link_delete_by(struct change *change, const char *kernel_name,
		   const struct link_removal *removal);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Software RDMA devices on a netdev: rxe (RoCE) and siw (iWARP), made and deleted with RDMA
 * netlink's NEWLINK and DELLINK. The setting "link" of a device is "rxe on eth0", or "absent".
 */
#pragma once

#include "change/change.h"
#include "host/inventory/inventory.h"

/* The record of `link`. */
struct software_link {
	char *name;
	char *type;	       /* rxe, siw; NULL: unknown */
	char *netdev;	       /* NULL: none in this network namespace */
	struct number state;   /* enum port_state */
	enum tristate leaving; /* being deleted, waiting for its users */
};

struct software_links {
	struct software_link *items;
	size_t count;
};

extern const struct schema software_link_schema;
extern const struct setting link_setting;
extern const struct enum_name link_type_names[]; /* the help text is the module */

/*
 * Lists the software devices of the host; the caller clears the list. 0, -ENODEV if there is no
 * RDMA device of any kind, or another -errno. Loads no module.
 */
int software_links_read(const char *root, struct software_links *links, struct problems *problems);
void software_links_clear(struct software_links *links);
const struct software_link *software_links_find(const struct software_links *links,
						const char *name);
/* Returns the device of that type on that netdev, or NULL. */
const struct software_link *software_links_find_on(const struct software_links *links,
						   const char *type, const char *netdev);
/* Returns the first name of rxe0, rxe1 ... that no device has; the caller frees it. */
char *software_link_free_name(const char *type);
/* Returns "rxe on eth0", for the caller to free. */
char *software_link_value(const char *type, const char *netdev);

/* The type and netdev in such a value. The parser returns false if it has another form. */
struct link_wish {
	const char *type;   /* static */
	const char *netdev; /* points into the value */
};
bool link_wish_parse(const char *value, struct link_wish *ret_wish);

/*
 * Returns the device of the change, or NULL. A device that this call or an earlier one made may
 * have been renamed since: 60-rdma-persistent-naming.rules of rdma-core. So it is found by type and
 * netdev, because the kernel makes no second device with both (rxe_newlink(), siw_newlink()); the
 * change then gets the new name.
 */
const struct device *link_follow(struct change *change, const struct inventory *inventory);

/*
 * Checks whether the kernel would refuse to make the device: 0 or its -errno, explained. `netdevs`
 * are the current ones; a netdev that already has such a device is not refused, see link_follow().
 */
int link_check_add(struct change *change, const struct link_list *netdevs,
		   const struct link_wish *wish);
/* Notes which module the kernel will load for it. */
void link_note_module(struct change *change, const struct link_wish *wish);
/* Explains an errno of the kernel, and returns it. */
int link_explain_add(struct change *change, const struct link_wish *wish, int error);

int link_add(struct change *change, const struct link_wish *wish);
/*
 * Deletes the device of the change. The kernel waits, unkillably, until the last descriptor of the
 * device is closed; so a child process without descriptors does it. -EINTR: a signal came, and the
 * child goes on waiting.
 */
int link_delete(struct change *change, const char *kernel_name, uint32_t device_index);

/*
 * What the child runs, with no descriptor but that of its report: returns 0 or -errno.
 * patience_msec is the interval for checking, and reporting, whom the kernel waits for.
 */
struct link_removal {
	int (*remove)(const void *context);
	const void *context;
	int patience_msec;
};

/* The same with a removal other than the kernel's, for tests. */
int link_delete_by(struct change *change, const char *kernel_name,
		   const struct link_removal *removal);

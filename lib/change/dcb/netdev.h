/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the settings of a netdev: its name and driver, reading and writing, guards. */
#pragma once

#include <net/if.h>

#include "change/dcb.h"

#define NETDEV_COMMAND "roce set"
/* The members that all settings of a netdev have in common, and those read from its DCB record. */
#define NETDEV_SETTING .command = NETDEV_COMMAND, .persist = netdev_persist
#define DCB_SETTING    NETDEV_SETTING, .right = RIGHT_RDMA_ADMIN, .read = netdev_read

/* Fills in the netdev's current name. -ENODEV: it is gone, or the change has none. */
int netdev_name(const struct change *change, char name[static IF_NAMESIZE]);
/* Returns "mlx5_core", for the caller to free; NULL: it has no driver, or none is known. */
char *netdev_driver(const struct change *change);

/* Like dcb_get(), dcb_set() and so on, but put the reason for a failure into the change. */
int netdev_get_dcb(struct change *change, struct dcb *ret_dcb);
int netdev_set_dcb(struct change *change, const struct dcb_wish *wish);
int netdev_delete_apps(struct change *change, const struct dcb_app *apps, size_t count);
/* Like netdev_get_dcb(), but without a reason: for guards, whose change goes on. */
int netdev_peek_dcb(const struct change *change, struct dcb *ret_dcb);
/* Explains the result of one of these, and returns it. */
int netdev_explain(struct change *change, int error);

/* The functions of a struct setting for one part of the data center bridging record. */
int netdev_read(struct change *change, char **ret_value);
/* Finds out who else controls the settings of data center bridging. */
void netdev_guard(struct change *change);
char *netdev_undo(const struct change *change);
void netdev_persist(struct change *change);
/* The same for an object that is not a netdev; `name` becomes a part of the unit's name. */
void netdev_persist_as(struct change *change, const char *object, const char *name);

/* Returns another change of this call to the same netdev; NULL if there is none. */
const struct change *netdev_sibling(const struct change *change, const struct setting *setting);
/* The same, but only if it is written before this one: in the order of the user's words. */
const struct change *netdev_earlier(const struct change *change, const struct setting *setting);

/* Text forms. Priorities: none, or 0,3. The caller frees them. */
char *priorities_text(unsigned int mask);
bool priorities_parse(const char *text, unsigned int *ret_mask);

/* Eight numbers of the record, one per priority, class or buffer. */
enum array_part { PART_ETS, PART_RATES, PART_BUFFERS };

struct array_form {
	const struct setting *setting;
	enum array_part part;
	size_t offset, size;	       /* in struct dcb; bytes per number */
	uint64_t most;		       /* largest value */
	const struct enum_name *words; /* of the values, or NULL */
	bool is_rate;		       /* in kilobits per second */
};

const struct array_form *array_find(const struct setting *setting);
bool array_known(const struct array_form *form, const struct dcb *dcb);
/* Returns the value in its canonical form, for the caller to free. */
char *array_value(const struct array_form *form, const struct dcb *dcb);
/*
 * Puts the values of a text into the record; *ret_given gets the mask of the entries that it has.
 * False: the text is malformed.
 */
bool array_parse(const struct array_form *form, const char *text, struct dcb *dcb,
		 unsigned int *ret_given);
/* The functions of a struct setting. */
int array_setting_parse(struct change *change, const char *text, char **ret_value);
int array_setting_write(struct change *change, const char *value);
int array_setting_check(struct change *change);
/* For maxrate only. */
bool array_setting_is_nearest(const struct change *change, const char *value);

/* Returns the current pause frames like link_pause_value(); NULL: unknown. */
char *link_pause_now(struct change *change);

/*
 * Returns the trusted selectors in order, or what the driver is known to trust without reporting
 * it.
 */
char *trust_text(const struct dcb *dcb, const char *driver);
char *dscp_map_text(const uint8_t map[static DCB_DSCPS]);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bond-mode and ipoib-mode: how the netdevs of a port are combined. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"

/* Reads the first word of a netdev's attribute, cleaned: "802.3ad" of "802.3ad 4". */
static int read_word(const struct doctor_context *run, const struct link *link, const char *file,
		     char **ret_word)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(&run->facts->root, text, "sys/class/net/%s/%s", link->name,
				    file);

	if (length < 0)
		return (int)length;
	*ret_word = text_clean(text, strcspn(text, " \n"));
	return 0;
}

bool roce_is_bonded(struct doctor_context *run)
{
	return roce_is_port(run) && roce_port_bond(&run->facts->inventory, run->port);
}

/* Whether two members are PCI functions of different adapters (slots). */
static bool spans_adapters(const struct doctor_context *run, const struct link *bond)
{
	_cleanup_(freep) char *first = NULL;
	const struct link *leg = NULL;

	while ((leg = roce_next_member(&run->facts->inventory, bond, leg)) != NULL) {
		_cleanup_(freep) char *address = link_pci_address(&run->facts->root, leg->name);

		if (!address)
			continue;
		/* 0000:3b:00.1 without the function number */
		address[strcspn(address, ".")] = '\0';
		if (first && strcmp(first, address) != 0)
			return true;
		if (!first)
			first = mem_string(address);
	}
	return false;
}

/*
 * mlx5 supports active-backup, and the modes that choose by a hash: balance-xor and 802.3ad
 * (mlx5_handle_changeupper_event(), mlx5/core/lag/lag.c; bond_lag_tx_type(), bond_main.c).
 */
static bool is_mlx5_mode(const char *mode)
{
	return !strcmp(mode, "active-backup") || !strcmp(mode, "balance-xor") ||
	       !strcmp(mode, "802.3ad");
}

static struct judged judge_bond(struct doctor_context *run, const struct link *bond,
				const char *mode)
{
	const bool mlx5 = run->device->driver && !strcmp(run->device->driver, "mlx5_core");
	_cleanup_(freep) char *name = text_quote(bond->name);

	if (run->device->software)
		return doctor_ok(run, "the software device sends through the bond, in any mode");
	if (!mlx5) {
		doctor_next_step(run, "while rdmactl selftest runs to a peer: ip link set dev "
				      "MEMBER down, then up again");
		return doctor_note(
			run, "whether the driver carries RoCE over a bond of this mode is not "
			     "known: test a failover");
	}
	if (!is_mlx5_mode(mode)) {
		/*
		 * BOND_OPT_MODE in drivers/net/bonding/bond_options.c: the bond must be down and
		 * have no members.
		 */
		doctor_next_step(run,
				 "set the bond down and remove its members, or the kernel refuses "
				 "the change; then: ip link set dev %s type bond mode 802.3ad (or "
				 "active-backup)",
				 name);
		return doctor_warning(run,
				      "mlx5 creates no RoCE bond in this mode: each member remains "
				      "an RDMA device of its own");
	}
	if (spans_adapters(run, bond)) {
		doctor_next_step(run,
				 "build the bond from ports of one adapter, if RDMA is to use it");
		/* mlx5_same_hw_devs(), mlx5/core/dev.c: one adapter may occupy two slots. */
		return doctor_note(
			run, "the members are in different slots, and mlx5 creates a RoCE bond "
			     "only from ports of one adapter");
	}
	return doctor_ok(run, "the mode of the bond carries RoCE");
}

struct judged check_bond_mode(struct doctor_context *run)
{
	const struct link *bond = roce_port_bond(&run->facts->inventory, run->port);
	_cleanup_(freep) char *mode = NULL;
	int rc = read_word(run, bond, "bonding/mode", &mode);

	if (!mode)
		return doctor_unread(run, "the mode of the bond", "bonding/mode", rc, false);
	doctor_evidence(run, "bonding/mode", "%s: mode %s, driver %s", bond->name, mode,
			run->device->driver ? run->device->driver : "?");
	doctor_expected(run, "active-backup, balance-xor or 802.3ad", mode);
	return judge_bond(run, bond, mode);
}

bool roce_has_ipoib(struct doctor_context *run)
{
	for_each (link, &run->facts->inventory.links)
		if (port_has_ipoib(run->port, link))
			return true;
	return false;
}

/* Reads the mode of an IPoIB netdev; if the inventory could not, reads it again for the error. */
static int read_mode(const struct doctor_context *run, const struct link *link, char **ret_mode)
{
	if (!link->ipoib_mode.known)
		return read_word(run, link, "mode", ret_mode);
	*ret_mode = mem_string(enum_word(ipoib_mode_names, link->ipoib_mode.value, "unknown"));
	return 0;
}

struct ipoib_survey {
	size_t other_mode, larger, idle, absent;
	int rc;
};

/* Compares a child with its parent, if that is a netdev of the port, too. */
static void compare_with_parent(const struct doctor_context *run, const struct link *link,
				const char *mode, struct ipoib_survey *survey)
{
	const struct link *parent = link_by_index(&run->facts->inventory.links, &link->lower_index);
	const struct number *mtu = &link->mtu_bytes;
	_cleanup_(freep) char *other = NULL;

	if (link->lower_elsewhere || !parent || !port_has_ipoib(run->port, parent))
		return;
	read_mode(run, parent, &other);
	survey->other_mode += other && strcmp(mode, other) != 0;
	survey->larger += mtu->known && parent->mtu_bytes.known &&
			  mtu->value > parent->mtu_bytes.value;
}

/*
 * Datagram mode sends at most one RDMA packet of 4096 bytes, less its header of 4 (IPOIB_ENCAP_LEN,
 * ulp/ipoib/ipoib.h); connected mode allows 65520.
 */
static void look_at_ipoib(struct doctor_context *run, const struct link *link,
			  struct ipoib_survey *survey)
{
	enum { MOST_OF_DATAGRAM = 4092 };
	const struct number *mtu = &link->mtu_bytes;
	_cleanup_(freep) char *mode = NULL;
	const int rc = read_mode(run, link, &mode);

	if (rc == -ENOENT)
		survey->absent++;
	else if (rc)
		survey->rc = rc;
	if (rc)
		return;
	if (mtu->known)
		doctor_evidence(run, "netdev mode and mtu", "%s: %s, MTU %u", link->name, mode,
				(unsigned int)mtu->value);
	else
		doctor_evidence(run, "netdev mode and mtu", "%s: %s, MTU not known", link->name,
				mode);
	compare_with_parent(run, link, mode, survey);
	survey->idle += !strcmp(mode, "connected") && mtu->known && mtu->value <= MOST_OF_DATAGRAM;
}

struct judged check_ipoib_mode(struct doctor_context *run)
{
	struct ipoib_survey survey = {.rc = 0};

	for_each (link, &run->facts->inventory.links)
		if (port_has_ipoib(run->port, link))
			look_at_ipoib(run, link, &survey);
	if (survey.other_mode)
		return doctor_warning(run, "an IPoIB child has another mode than its parent");
	if (survey.larger)
		return doctor_warning(run, "an IPoIB child has a larger MTU than its parent");
	if (survey.rc)
		return doctor_unread(run, "the mode of an IPoIB netdev", "sysfs", survey.rc, false);
	if (survey.absent)
		return doctor_unknown(run, "the mode of an IPoIB netdev");
	if (survey.idle)
		return doctor_note(run,
				   "connected mode has no advantage with an MTU that datagram mode "
				   "allows, too");
	return doctor_ok(run, "mode and MTU of the IPoIB netdevs agree");
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Congestion control of NVIDIA's own driver: roce/ecn.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb/netdev.h"
#include "change/roce.h"
#include "kernel/netlink/dcb.h"
#include "kernel/sysfs.h"
#include "roce/ecn.h"

/* Looks up the netdev and opens the root. 0 or -errno. */
static int begin(const struct change *change, char name[static IF_NAMESIZE], struct root *ret_root)
{
	return netdev_name(change, name) ?: root_open(NULL, ret_root);
}

static int explain(struct change *change, int rc)
{
	if (rc == -ENOENT)
		change_explain(change, NULL,
			       "this driver has no file for it: NVIDIA's own (MLNX_OFED, DOCA) has "
			       "/sys/class/net/NETDEV/ecn, and the kernel's mlx5 has only debugfs, "
			       "which is not meant for tools to write");
	return rc;
}

char *ecn_text(unsigned int send, unsigned int receive)
{
	_cleanup_(freep) char *first = priorities_text(send), *second = priorities_text(receive);

	return send == receive ? mem_string(first) : mem_format("%s/%s", first, second);
}

static bool parse_masks(const char *text, unsigned int *ret_send, unsigned int *ret_receive)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *second = strchr(copy, '/');

	if (second)
		*second++ = '\0';
	return priorities_parse(copy, ret_send) &&
	       priorities_parse(second ? second : copy, ret_receive);
}

static int parse_ecn(struct change *change, const char *text, char **ret_value)
{
	unsigned int send, receive;

	if (!parse_masks(text, &send, &receive))
		return change_refuse_value(
			change, text,
			"none, or priorities: 3 or 0,3; SEND/RECEIVE sets each side separately");
	*ret_value = ecn_text(send, receive);
	return 0;
}

static int read_ecn(struct change *change, char **ret_value)
{
	unsigned int send, receive = 0;
	char name[IF_NAMESIZE];
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = begin(change, name, &root);

	if (rc)
		return rc;
	rc = roce_ecn_read_mask(&root, name, ROCE_ECN_SENDER, &send)
		     ?: roce_ecn_read_mask(&root, name, ROCE_ECN_RECEIVER, &receive);
	if (rc)
		return explain(change, rc);
	free(change->path);
	change->path = mem_format("/" ROCE_ECN_ENABLE, name, ROCE_ECN_SENDER, 0);
	*ret_value = ecn_text(send, receive);
	return 0;
}

/* Writes the files of the priorities that `wanted` has, or does not have. */
static int write_files(const struct root *root, const char *name, const char *point,
		       unsigned int wanted, bool on)
{
	unsigned int now;
	int rc = roce_ecn_read_mask(root, name, point, &now);

	for (unsigned int i = 0; !rc && i < DCB_PRIORITIES; i++) {
		_cleanup_(freep) char *path = mem_format("/" ROCE_ECN_ENABLE, name, point, i);

		if ((now ^ wanted) & 1u << i && on == (wanted >> i & 1))
			rc = sysfs_write(path, on ? "1" : "0");
	}
	return rc;
}

/*
 * By NVIDIA's guide to DCQCN, receivers have one switch for the port, so that each of their files
 * may change all of them: what stays on is written last.
 */
static int write_mask(const struct root *root, const char *name, const char *point,
		      unsigned int wanted)
{
	return write_files(root, name, point, wanted, false)
		       ?: write_files(root, name, point, wanted, true);
}

static bool is_nearest(const struct change *change, const char *value)
{
	const unsigned int all = (1u << DCB_PRIORITIES) - 1;
	unsigned int wanted[2], now[2];

	return parse_masks(change->wanted, &wanted[0], &wanted[1]) &&
	       parse_masks(value, &now[0], &now[1]) && now[0] == wanted[0] && wanted[1] &&
	       now[1] == all;
}

static int write_ecn(struct change *change, const char *value)
{
	unsigned int send, receive;
	char name[IF_NAMESIZE];
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = parse_masks(value, &send, &receive) ? begin(change, name, &root) : -EINVAL;

	if (rc)
		return rc;
	return explain(change, write_mask(&root, name, ROCE_ECN_SENDER, send)
				       ?: write_mask(&root, name, ROCE_ECN_RECEIVER, receive));
}

static int parse_cnp(struct change *change, const char *text, char **ret_value)
{
	unsigned int dscp;

	if (dscp_parse(text, &dscp))
		return change_refuse_value(change, text, "0 to 63, or a name: CS6");
	*ret_value = mem_format("%u", dscp);
	return 0;
}

static int read_cnp(struct change *change, char **ret_value)
{
	char name[IF_NAMESIZE], text[SYSFS_TEXT_SIZE];
	_cleanup_(root_close) struct root root = {.fd = -1};
	ssize_t length;
	int rc = begin(change, name, &root);

	if (rc)
		return rc;
	length = sysfs_read(&root, text, ROCE_ECN_CNP, name);
	if (length < 0)
		return explain(change, (int)length);
	free(change->path);
	change->path = mem_format("/" ROCE_ECN_CNP, name);
	*ret_value = text_clean(text, (size_t)length);
	return 0;
}

static int write_cnp(struct change *change, const char *value)
{
	_cleanup_(freep) char *path = NULL;
	char name[IF_NAMESIZE];
	int rc = netdev_name(change, name);

	if (rc)
		return rc;
	path = mem_format("/" ROCE_ECN_CNP, name);
	return explain(change, sysfs_write(path, value));
}

const struct setting ecn_setting = {
	NETDEV_SETTING,
	.keyword = {"ecn", "none|PRIO,...", "priorities with congestion control (DCQCN)", NULL},
	.interface = "sysfs net/NETDEV/ecn",
	.right = RIGHT_FILE,
	.parse = parse_ecn,
	.read = read_ecn,
	.write = write_ecn,
	.is_nearest = is_nearest,
};

const struct setting cnp_dscp_setting = {
	NETDEV_SETTING,
	.keyword = {"cnp-dscp", "DSCP", "DSCP of the packets that notify of congestion", NULL},
	.interface = "sysfs net/NETDEV/ecn",
	.right = RIGHT_FILE,
	.parse = parse_cnp,
	.read = read_cnp,
	.write = write_cnp,
};

const struct setting *const ecn_setting_table[] = {&ecn_setting, &cnp_dscp_setting, NULL};

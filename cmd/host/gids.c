/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/endpoint/gid_choice.h"
#include "host/need.h"

struct gids_args {
	bool all;
	struct number type;
	const char *netdev;
	const char *ip;
	const char *to;
	bool env;
};

static const struct option_row options[] = {
	FLAG_OPTION(struct gids_args, all, 'a', "all", "also list empty slots of the table"),
	CHOICE_OPTION(struct gids_args, type, 0, "type", "TYPE", gid_type_names,
		      "only entries of this type: ib, roce-v1 or roce-v2"),
	STRING_OPTION(struct gids_args, netdev, 0, "netdev", "NETDEV", COMPLETE_NETDEV,
		      "only entries of this netdev"),
	STRING_OPTION(struct gids_args, ip, 0, "ip", "ADDR", COMPLETE_NOTHING,
		      "only entries made from this IP address"),
	STRING_OPTION(struct gids_args, to, 0, "to", "PEER", COMPLETE_HOST,
		      "name the GID index to use for this address or host, and why"),
	FLAG_OPTION(struct gids_args, env, 0, "env",
		    "with --to: print settings for NCCL, UCX, libfabric and perftest"),
	{.name = NULL},
};

struct filter {
	const struct gids_args *args;
	struct ip_address ip;
};

static bool passes(const struct gid_entry *entry, const void *context)
{
	const struct filter *filter = context;
	const struct gids_args *args = filter->args;

	if (args->type.known && (!entry->type.known || entry->type.value != args->type.value))
		return false;
	if (args->netdev && (!entry->netdev || strcmp(entry->netdev, args->netdev)))
		return false;
	return !args->ip || (entry->ip.known && ip_equal(&entry->ip.address, &filter->ip));
}

static void tell_none(struct listing *listing, const struct gids_args *args)
{
	_cleanup_(freep) char *netdev = args->netdev
						? text_clean(args->netdev, strlen(args->netdev))
						: NULL;
	_cleanup_(freep) char *message = mem_string("no GID passes");

	if (args->type.known)
		mem_extend(&message, " --type %s",
			   enum_word(gid_type_names, args->type.value, "?"));
	if (netdev)
		mem_extend(&message, " --netdev %s", netdev);
	if (args->ip)
		mem_extend(&message, " --ip %s", args->ip);
	listing_none(listing, NULL, message, "rdmactl gids shows all");
}

static void add_rows(struct listing *listing, const struct filter *filter)
{
	const struct gids_args *args = filter->args;

	for_each_port (device, port, &listing->inventory.devices) {
		/*
		 * Removed from the table itself, so that --to does not choose an entry that does
		 * not match.
		 */
		gid_table_filter(port, passes, filter);
		for (size_t i = 0; i < port->gid_count; i++)
			listing_add(listing, &port->gids[i]);
	}
	if (!listing->row_count && (args->type.known || args->netdev || args->ip))
		tell_none(listing, args);
}

/* A route computed from a snapshot's tables is a guess. */
static void tell_doubt(struct listing *listing, const char *peer, const char *doubt)
{
	_cleanup_(freep) char *text = mem_format("the route to %s is a guess: %s", peer, doubt);

	problem_add_text(&listing->problems, NULL, NULL, "snapshot", text,
			 "run rdmactl gids --to PEER on the host itself");
}

/*
 * Marks the entries. False: there is no route to the peer, so the entries stay unmarked. True with
 * *ret_chosen NULL: none of them leads there.
 */
static bool choose(struct listing *listing, const char *peer, const struct gid_entry **ret_chosen)
{
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct gid_question question = {
		.links = &listing->inventory.links,
		.devices = &listing->inventory.devices,
	};
	_cleanup_(strings_free) struct strings doubts = {.items = NULL};
	int rc = peer_find(peer, &listing->inventory, &question.peer, &question.route, &doubts,
			   &reason, &hint);

	for (size_t i = 0; i < doubts.count; i++)
		tell_doubt(listing, peer, doubts.items[i]);
	if (rc)
		return listing_fail(listing, rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED, reason,
				    hint);
	*ret_chosen = gid_choose(&question, &reason, &hint);
	if (!*ret_chosen)
		listing_fail(listing, STATUS_FAILED, reason, hint);
	return true;
}

/* Shells read these lines, so names must not contain special characters. */
static bool is_plain(const char *text)
{
	return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				 "0123456789_.:%-")] == '\0';
}

static int print_env(const struct gid_entry *entry, const char *peer)
{
	bool roce = entry->type.value != GID_TYPE_IB;
	_cleanup_(strings_free) struct strings lines = {0};
	int rc = 0;

	gid_env_lines(entry, peer, roce, &lines);
	for (size_t i = 0; !rc && i < lines.count; i++) {
		_cleanup_(freep) char *line = mem_format("%s\n", lines.items[i]);

		rc = render_text(stdout, line);
	}
	return rc;
}

/* Prints settings or nothing, because a shell may read standard output. */
static int end_with_env(struct listing *listing, const struct gid_entry *chosen, const char *peer)
{
	if (chosen && (!is_plain(chosen->device) || !is_plain(peer))) {
		listing_fail(listing, STATUS_FAILED,
			     "the name of the device or peer is not safe in shell settings",
			     "rename the device: rdmactl dev set DEV name NAME");
		chosen = NULL;
	}
	return listing_end_quietly(listing, chosen ? print_env(chosen, peer) : 0);
}

/* Returns the message about a wrong option, or NULL if all are good. */
static const char *check(const struct gids_args *args, struct filter *filter)
{
	if (args->ip && ip_parse(args->ip, &filter->ip))
		return "--ip takes an IPv4 or IPv6 address";
	if (args->ip && strchr(args->ip, '%'))
		return "--ip takes an address without %NETDEV: name the netdev with --netdev";
	return NULL;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	struct filter filter = {.args = args};
	const struct gid_entry *chosen = NULL;
	struct listing listing;
	const char *wrong;

	if (!listing_begin(&listing, ctx, objects, true))
		return listing_end(&listing);
	wrong = check(args, &filter);
	if (wrong) {
		listing_fail(&listing, STATUS_USAGE, wrong, "rdmactl gids --help");
		return listing_end(&listing);
	}
	if (filter.args->to && listing_refuses_tree(&listing, "--to needs a routing table, which "
							      "a saved tree does not have"))
		return listing_end(&listing);
	listing.request.empty_gids = filter.args->all;
	listing.request.needs = NEED_GIDS;
	if (filter.args->netdev)
		listing.request.needs |= NEED_GID_NETDEVS;
	if (filter.args->to) {
		listing.request.needs |= NEED_GID_NETDEVS | NEED_STATE;
		listing_show_view(&listing, "--to");
	}
	if (!listing_load(&listing))
		return listing_end(&listing);
	add_rows(&listing, &filter);
	if (filter.args->to && !listing.status && !choose(&listing, filter.args->to, &chosen))
		listing.row_count = 0;
	if (filter.args->env)
		return end_with_env(&listing, chosen, filter.args->to);
	return listing_end(&listing);
}

static const struct option_rule rules[] = {
	OPTIONS_NEED("env", "to", NULL),
	OPTIONS_EXCLUDE("env", "json jsonl tsv columns no-headings", "--env prints shell settings"),
	{.options = NULL},
};

const struct command gids_command = {
	.name = "gids",
	.group = GROUP_INVENTORY,
	.summary = "list GIDs with type, address and netdev; name the index for a peer",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.rules = rules,
	.args_size = sizeof(struct gids_args),
	.schema = &gid_schema,
	.run = run,
};

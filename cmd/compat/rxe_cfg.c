/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rxe_cfg(8) of rdma-core before release 30, by the setting "link". Each run names the replacement.
 * As in the original, a file lists the netdevs on which `start` makes devices.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/link/link.h"
#include "cmd/compat/compat.h"
#include "host/inventory/inventory.h"
#include "host/need.h"

#define NEEDS                                                                             \
	(NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_MTU | NEED_LINK_KIND | NEED_ADDRESSES | \
	 NEED_MTU | NEED_NETDEV_SPEED | NEED_DRIVER)

/* @CMAKE_INSTALL_FULL_SHAREDSTATEDIR@/rxe in rdma-core's rxe_cfg.in */
#define PERSISTENT_DIRECTORY "/var/lib/rxe"
#define PERSISTENT_FILE	     PERSISTENT_DIRECTORY "/rxe"

enum {
	ARP_TYPE_ETHERNET = 1, /* ARPHRD_ETHER, include/uapi/linux/if_arp.h */
	PERSISTENT_MOST = 1 << 16
};

static const char list_form[] =
	"it should be a readable file of up to 64 kB, with a netdev on each line";

/* The columns of the status. */
static const char *const headings[] = {"Name", "Link",	    "Driver", "Speed",
				       "NMTU", "IPv4_addr", "RDEV",   "RMTU"};

/* The words and options of a call. */
struct request {
	const struct personality_call *call;
	const char *word, *name;
	bool no_persist, force, up_only;
};

static int usage(const char *program, FILE *file, int status)
{
	fprintf(file,
		"usage: %s [-l] [status]\n"
		"       %s start\n"
		"       %s [-f] stop\n"
		"       %s [-n] add NETDEV\n"
		"       %s [-n] [-f] remove NETDEV|DEV\n"
		"       %s persistent\n",
		program, program, program, program, program, program);
	return status;
}

static void hint(const char *program, const char *command)
{
	fprintf(stderr, "%s: use this instead: %s\n", program, command);
}

static void add_number(struct strings *cells, const struct number *number, const char *unit)
{
	_cleanup_(freep) char *text = number->known
					      ? mem_format("%" PRIu64 "%s", number->value, unit)
					      : NULL;

	strings_add(cells, text ? text : "");
}

/* The first IPv4 address, or an empty text. */
static const char *address_text(const struct inventory *inventory, const struct link *link,
				char text[static IP_TEXT_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; !text[0] && i < inventory->addresses.count; i++) {
		const struct link_address *address = &inventory->addresses.items[i];

		if (address->link_index.value == link->index.value && address->ip.family == AF_INET)
			ip_format(&address->ip, text);
	}
	return text;
}

/* The script knows rxe devices only, not an adapter with RoCE on the same netdev. */
static const struct port *find_rxe(const struct inventory *inventory, const char *netdev)
{
	for_each_port (device, port, &inventory->devices)
		if (device->driver && !strcmp(device->driver, "rdma_rxe") && port->netdev &&
		    !strcmp(port->netdev, netdev))
			return port;
	return NULL;
}

/* Bytes and the code of enum ibv_mtu: 1024  (3). */
static void add_mtu(struct strings *cells, const struct number *mtu)
{
	_cleanup_(freep) char *text = NULL;
	int code = 0;

	for (uint64_t bytes = mtu->known ? mtu->value : 0; bytes >= 256; bytes /= 2)
		code++;
	if (code)
		text = mem_format("%" PRIu64 "  (%d)", mtu->value, code);
	strings_add(cells, text ? text : "");
}

static void add_link(struct strings *cells, const struct inventory *inventory,
		     const struct link *link)
{
	const struct port *port = find_rxe(inventory, link->name);
	char address[IP_TEXT_SIZE];

	strings_add(cells, link->name);
	strings_add(cells, link->running == TRISTATE_YES  ? "yes"
			   : link->running == TRISTATE_NO ? "no"
							  : "");
	strings_add(cells, link->kind ? link->kind : "");
	add_number(cells, &link->speed_mbps, "Mb/s");
	add_number(cells, &link->mtu_bytes, "");
	strings_add(cells, address_text(inventory, link, address));
	strings_add(cells, port ? port->device : "");
	add_mtu(cells, port ? &port->active_mtu_bytes : &(struct number){.known = false});
}

/* As in the original, a column is as wide as its longest text. */
static void print_cells(const struct strings *cells)
{
	int widths[ARRAY_SIZE(headings)] = {0};

	for (size_t i = 0; i < cells->count; i++) {
		int *width = &widths[i % ARRAY_SIZE(headings)],
		    length = (int)strlen(cells->items[i]);

		if (length > *width)
			*width = length;
	}
	for (size_t i = 0; i < cells->count; i++) {
		const size_t column = i % ARRAY_SIZE(headings);

		if (column + 1 < ARRAY_SIZE(headings))
			printf("  %-*s", widths[column], cells->items[i]);
		else
			printf("  %s\n", cells->items[i]);
	}
}

/* Without RDMA devices the netdevs have not been read yet. */
static void print_names(const char *root)
{
	_cleanup_(strings_free) struct strings names = {0};

	inventory_netdev_names(root, &names);
	for (size_t i = 0; i < names.count; i++)
		if (strcmp(names.items[i], "lo"))
			printf("  %s\n", names.items[i]);
}

static int show_status(const struct request *request)
{
	const struct personality_call *call = request->call;
	const struct objects everything = {0};
	const struct inventory_request wanted = {
		.root = call->root, .needs = NEEDS, .objects = &everything};
	struct inventory inventory = {0};
	struct problems problems = {.count = 0};
	_cleanup_(strings_free) struct strings cells = {0};
	int rc = inventory_load(&inventory, &wanted, &problems, NULL);

	/* All other failures are among the problems, and the netdevs are shown nevertheless. */
	if (rc && !problems.count)
		return compat_no_root(call, rc);
	problems_free(&problems);
	for (size_t i = 0; i < ARRAY_SIZE(headings); i++)
		strings_add(&cells, headings[i]);
	for (size_t i = 0; i < inventory.links.count; i++)
		if (inventory.links.items[i].type.value == ARP_TYPE_ETHERNET &&
		    (!request->up_only || inventory.links.items[i].running == TRISTATE_YES))
			add_link(&cells, &inventory, &inventory.links.items[i]);
	print_cells(&cells);
	if (rc)
		print_names(call->root);
	inventory_free(&inventory);
	hint(call->program, "rdmactl netdevs, or rdmactl link");
	return 0;
}

static void tell(const void *context, const char *text)
{
	fprintf(stderr, "%s: %s\n", (const char *)context, text);
}

static int complain(const char *program, const char *name, const char *reason, const char *step)
{
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));

	fprintf(stderr, "%s: %s: %s\n", program, clean, reason);
	if (step)
		fprintf(stderr, "  %s\n", step);
	return 1;
}

/* Gives the device a value of the setting. 0, or 1 with the reason on standard error. */
static int set_link(const struct request *request, const char *device, const char *value)
{
	const char *program = request->call->program;
	_cleanup_(change_host_close) struct change_host host = {.tell = tell,
								.tell_context = program};
	_cleanup_(changes_clear) struct changes changes = {.count = 0};
	struct change *change = changes_add(&changes, &host, &link_setting, device, NULL);
	int status = 0;

	if (change_parse(change, value, &change->wanted) ||
	    !changes_prepare(&changes, request->force ? CHANGE_FORCE : 0) ||
	    !changes_write(&changes))
		status = complain(program, device, change->reason,
				  change->state.value == CHANGE_REFUSED && change->disturbs.count
					  ? "-f removes it nevertheless"
					  : change->next_step);
	return status;
}

/* Reads the netdevs in the file, one per line; a missing file has none. Returns 0 or -errno. */
static int read_persistent(struct strings *netdevs)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	int rc = file_read(PERSISTENT_FILE, PERSISTENT_MOST, &text, &length);
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		line[strcspn(line, " \t\r")] = '\0';
		if (*line && !strings_contain(netdevs, line))
			strings_add(netdevs, line);
	}
	return rc == -ENOENT ? 0 : rc;
}

static int write_lines(void *context, FILE *file)
{
	const struct strings *netdevs = context;

	for (size_t i = 0; i < netdevs->count; i++)
		fprintf(file, "%s\n", netdevs->items[i]);
	return 0;
}

/* Adds the netdev to the file, or removes it. */
static int persist(const struct request *request, const char *netdev, bool wanted)
{
	struct strings netdevs = {.known = false}, kept = {.known = false};
	int rc;

	if (request->no_persist || !netdev)
		return 0;
	rc = read_persistent(&netdevs);
	for (size_t i = 0; i < netdevs.count; i++)
		if (strcmp(netdevs.items[i], netdev))
			strings_add(&kept, netdevs.items[i]);
	if (wanted)
		strings_add(&kept, netdev);
	/* A list that cannot be read must not be replaced by one of this netdev alone. */
	if (!rc && wanted != strings_contain(&netdevs, netdev)) {
		mkdir(PERSISTENT_DIRECTORY, 0755);
		rc = file_replace(PERSISTENT_FILE, write_lines, &kept);
	}
	strings_free(&netdevs);
	strings_free(&kept);
	return rc ? complain(request->call->program, PERSISTENT_FILE, strerror(-rc),
			     "-n leaves the file alone")
		  : 0;
}

static int add(const struct request *request, const char *netdev)
{
	_cleanup_(freep) char *device = NULL, *value = software_link_value("rxe", netdev),
			      *command = NULL, *clean = NULL;
	struct software_links links = {.count = 0};
	const struct software_link *link;
	int status = 0;

	software_links_read(NULL, &links, NULL);
	link = software_links_find_on(&links, "rxe", netdev);
	device = link ? mem_string(link->name) : software_link_free_name("rxe");
	if (!link)
		status = set_link(request, device, value);
	software_links_clear(&links);
	if (status)
		return status;
	clean = text_clean(netdev, strlen(netdev));
	command = mem_format("rdmactl link add %s type rxe netdev %s", device, clean);
	hint(request->call->program, command);
	return persist(request, netdev, true);
}

static int take_away(const struct request *request, const struct software_link *link)
{
	_cleanup_(freep) char *command = mem_format("rdmactl link del %s", link->name);

	if (set_link(request, link->name, CHANGE_ABSENT))
		return 1;
	hint(request->call->program, command);
	return persist(request, link->netdev, false);
}

/*
 * Removes the device of that name or on that netdev; with NULL all devices, whose netdevs stay in
 * the file.
 */
static int take_all_away(const struct request *request, const char *name)
{
	struct software_links links = {.count = 0};
	bool found = false;
	int status = 0;

	software_links_read(NULL, &links, NULL);
	for (size_t i = 0; i < links.count; i++) {
		const struct software_link *link = &links.items[i];

		if (!link->type || strcmp(link->type, "rxe") ||
		    (name && strcmp(link->name, name) &&
		     (!link->netdev || strcmp(link->netdev, name))))
			continue;
		found = true;
		status |= take_away(request, link);
	}
	software_links_clear(&links);
	if (name && !found)
		status = complain(request->call->program, name,
				  "no rxe device of that name or netdev",
				  "rdmactl link lists them");
	return status;
}

static int start(const struct request *request)
{
	const struct request once = {.call = request->call, .no_persist = true};
	_cleanup_(strings_free) struct strings netdevs = {.known = false};
	int status = 0, rc = read_persistent(&netdevs);

	if (rc)
		status = complain(request->call->program, PERSISTENT_FILE, strerror(-rc),
				  list_form);
	for (size_t i = 0; i < netdevs.count; i++)
		status |= add(&once, netdevs.items[i]);
	return show_status(request) | status;
}

static int show_persistent(const struct request *request)
{
	_cleanup_(strings_free) struct strings netdevs = {.known = false};
	int rc = read_persistent(&netdevs);

	for (size_t i = 0; i < netdevs.count; i++) {
		_cleanup_(freep) char *clean = text_clean(netdevs.items[i],
							  strlen(netdevs.items[i]));

		puts(clean);
	}
	return rc ? complain(request->call->program, PERSISTENT_FILE, strerror(-rc), list_form) : 0;
}

/*
 * Options may come before or after the words. Returns false on an unknown option or an extra word.
 */
static bool take_words(struct request *request, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-n"))
			request->no_persist = true;
		else if (!strcmp(argv[i], "-f"))
			request->force = true;
		else if (!strcmp(argv[i], "-l"))
			request->up_only = true;
		else if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			request->word = "help";
		else if (argv[i][0] == '-')
			return false;
		else if (!request->word)
			request->word = argv[i];
		else if (!request->name)
			request->name = argv[i];
		else
			return false;
	}
	return true;
}

int rxe_cfg_run(const struct personality_call *call, int argc, char **argv)
{
	struct request request = {.call = call};
	bool adds, named;

	if (!take_words(&request, argc, argv))
		return usage(call->program, stderr, 1);
	if (!request.word)
		request.word = "status";
	if (!strcmp(request.word, "help"))
		return usage(call->program, stdout, 0);
	if (!strcmp(request.word, "status") && !request.name)
		return show_status(&request);
	adds = !strcmp(request.word, "add");
	named = adds || !strcmp(request.word, "remove");
	if (named != (request.name != NULL))
		return usage(call->program, stderr, 1);
	if (call->root) {
		fprintf(stderr, "%s: a saved tree cannot be changed\n", call->program);
		return 1;
	}
	if (!strcmp(request.word, "start"))
		return start(&request);
	if (!strcmp(request.word, "stop")) {
		request.no_persist = true;
		return take_all_away(&request, NULL);
	}
	if (!strcmp(request.word, "persistent"))
		return show_persistent(&request);
	if (!named)
		return usage(call->program, stderr, 1);
	return adds ? add(&request, request.name) : take_all_away(&request, request.name);
}

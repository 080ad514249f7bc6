/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibstat(8) of infiniband-diags. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/compat/compat.h"
#include "host/compat/channel_adapter.h"
#include "host/compat/class_files.h"

struct request {
	const struct personality_call *call;
	const struct channel_adapters *adapters;
	bool list, ports, brief, debug;
	int port; /* -1: all */
};

#define WORD_OF(words, code) ((code) < ARRAY_SIZE(words) ? (words)[code] : "???")

static const char *const node_types[] = {"???", "CA", "Switch", "Router", "iWARP RNIC"};

/* PortInfo:PortState and PortPhysicalState. */
static const char *const states[] = {"???", "Down", "Initializing", "Armed", "Active"};
static const char *const physical_states[] = {
	"No state change",	     "Sleep",  "Polling",	    "Disabled",
	"PortConfigurationTraining", "LinkUp", "LinkErrorRecovery", "PhyTest"};

static void print_port(const struct channel_port *port, unsigned int number, const char *indent,
		       const char *deeper)
{
	printf("%sPort %u:\n", indent, number);
	printf("%sState: %s\n", deeper, WORD_OF(states, port->state));
	printf("%sPhysical state: %s\n", deeper, WORD_OF(physical_states, port->physical_state));
	/* The integer part 2 means 2.5. */
	if (port->rate_gbps == 2 && !port->fdr10)
		printf("%sRate: 2.5\n", deeper);
	else
		printf("%sRate: %d%s\n", deeper, (int)port->rate_gbps,
		       port->fdr10 ? " (FDR10)" : "");
	printf("%sBase lid: %d\n", deeper, (int)port->lid);
	printf("%sLMC: %d\n", deeper, (int)port->lmc);
	printf("%sSM lid: %d\n", deeper, (int)port->sm_lid);
	printf("%sCapability mask: 0x%08" PRIx32 "\n", deeper, port->cap_mask);
	printf("%sPort GUID: 0x%016" PRIx64 "\n", deeper, port->guid);
	compat_print(stdout, "%sLink layer: %s\n", deeper, port->link_layer);
}

static void print_header(const struct channel_adapter *adapter)
{
	const char *word = WORD_OF(node_types, adapter->node_type);

	compat_print(stdout,
		     "%s '%s'\n"
		     "\t%s type: %s\n"
		     "\tNumber of ports: %u\n"
		     "\tFirmware version: %s\n"
		     "\tHardware version: %s\n",
		     word, adapter->name, word, adapter->type, adapter->last_port,
		     adapter->firmware, adapter->hardware);
	printf("\tNode GUID: 0x%016" PRIx64 "\n", adapter->node_guid);
	printf("\tSystem image GUID: 0x%016" PRIx64 "\n", adapter->system_image_guid);
}

static int panic(const char *message, const char *name, const char *rest, int error)
{
	compat_print(stderr, "ibpanic: [%d] main: %s'%s' %s: %s\n", (int)getpid(), message, name,
		     rest, strerror(error));
	return COMPAT_STATUS_PANIC;
}

static int read_adapter(const struct request *request, const char *name,
			struct channel_adapter *adapter)
{
	int rc = channel_adapter_read(request->adapters, name, adapter);

	if (rc && adapter->no_pkeys)
		compat_ibwarn("get_port",
			      "no pkeys found for %s:%u (at dir " CLASS_DIRECTORY
			      "/%s/ports/%u/pkeys)...",
			      adapter->name, adapter->failed_port, adapter->name,
			      adapter->failed_port);
	return rc;
}

enum shown { ADAPTER_SHOWN, ADAPTER_UNREADABLE, ADAPTER_LACKS_PORT };

static enum shown show(const struct request *request, const char *name,
		       struct channel_adapter *adapter)
{
	if (read_adapter(request, name, adapter))
		return ADAPTER_UNREADABLE;
	if (!adapter->node_type)
		return ADAPTER_SHOWN;
	if (!request->brief && request->port >= 0) {
		if ((unsigned int)request->port > adapter->last_port ||
		    !adapter->ports[request->port].present) {
			compat_ibwarn("ca_stat", "%s: '%s' has no port number %d - max (%u)",
				      WORD_OF(node_types, adapter->node_type), name, request->port,
				      adapter->last_port);
			return ADAPTER_LACKS_PORT;
		}
		compat_print(stdout, "%s: '%s'\n", WORD_OF(node_types, adapter->node_type),
			     adapter->name);
		print_port(&adapter->ports[request->port], (unsigned int)request->port, "", "");
		return ADAPTER_SHOWN;
	}
	print_header(adapter);
	for (unsigned int i = 0; !request->brief && i <= adapter->last_port; i++)
		if (adapter->ports[i].present)
			print_port(&adapter->ports[i], i, "\t", "\t\t");
	return ADAPTER_SHOWN;
}

/*
 * From release 54 on a failing adapter does not hide the later ones, and from 63 on it is skipped
 * silently if it is not an RDMA endpoint, by the requested port or by port 1.
 */
static int show_all(const struct request *request, const struct strings *names)
{
	const int port = request->port == -1 ? 1 : request->port;

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i];
		struct channel_adapter adapter;
		const enum shown shown = show(request, name, &adapter);

		if (shown == ADAPTER_SHOWN)
			continue;
		if (request->call->release < COMPAT_65)
			return panic("stat of IB device ", name, "failed", adapter.error);
		if (shown == ADAPTER_LACKS_PORT ||
		    channel_adapter_is_endpoint(request->adapters, name, port))
			compat_ibwarn("main", "stat of IB device '%s' failed", name);
		else if (request->debug)
			compat_print(stdout,
				     "ibdebug: [%d] ca_stat: The device %s is not RDMA endpoint "
				     "device\n",
				     (int)getpid(), name);
	}
	return 0;
}

static int list_ports(const struct request *request, const struct strings *names)
{
	for (size_t i = 0; i < names->count; i++) {
		struct channel_adapter adapter;

		if (read_adapter(request, names->items[i], &adapter)) {
			fprintf(stderr, "ibpanic: [%d] main: can't list ports: %s\n", (int)getpid(),
				strerror(adapter.error));
			return COMPAT_STATUS_PANIC;
		}
		for (unsigned int j = 0; j <= adapter.last_port; j++)
			if (adapter.ports[j].present && adapter.ports[j].guid)
				printf("0x%016" PRIx64 "\n", adapter.ports[j].guid);
	}
	return 0;
}

static int usage(const struct personality_call *call, const char *program)
{
	fprintf(stderr,
		"\n"
		"Usage: %s [options] <ca_name> [portnum]\n"
		"\n"
		"Options:\n"
		"  --list_of_cas, -l       list all IB devices\n"
		"  --short, -s             short output\n"
		"  --port_list, -p         show port list\n"
		"  --config, -z <config>   use config file, default: "
		"/etc/infiniband-diags/ibdiag.conf\n"
		"%s"
		"  --verbose, -v           increase verbosity level\n"
		"  --debug, -d             raise debug level\n"
		"  --help, -h              help message\n"
		"  --version, -V           show version\n"
		"\n"
		"Examples:\n"
		"  %s -l       # list all IB devices\n"
		"  %s mthca0 2 # stat port 2 of 'mthca0'\n"
		"\n",
		program, call->release < COMPAT_65 ? "" : COMPAT_PKEY_HELP, program, program);
	return 2;
}

/* Returns -1, or the exit status if the options end the program. */
static int parse(struct request *request, int argc, char **argv)
{
	static const struct option all[] = {
		{"list_of_cas", no_argument, NULL, 'l'},
		{"short", no_argument, NULL, 's'},
		{"port_list", no_argument, NULL, 'p'},
		{"config", required_argument, NULL, 'z'},
		{"pkey-idx", required_argument, NULL, 'Y'},
		{"verbose", no_argument, NULL, 'v'},
		{"debug", no_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	const enum compat_release release = request->call->release;
	const char *letters = release < COMPAT_65 ? "lspz:vdhV" : "lspz:Y:vdhV";
	struct option options[ARRAY_SIZE(all)];
	uint16_t pkey_index;
	int letter, status;

	compat_options(release, all, ARRAY_SIZE(all), options);
	while ((letter = getopt_long(argc, argv, letters, options, NULL)) >= 0) {
		switch (letter) {
		case 'l':
			request->list = true;
			break;
		case 's':
			request->brief = true;
			break;
		case 'p':
			request->ports = true;
			break;
		case 'z': /* a configuration that ibstat does not use */
		case 'v':
			break;
		case 'Y': /* no request is sent that could use it */
			status = compat_pkey_index(argv[0], request->debug, optarg, &pkey_index);
			if (status >= 0)
				return status;
			break;
		case 'd':
			request->debug = true;
			break;
		case 'V':
			fprintf(stderr, "%s BUILD VERSION: %d.0\n", argv[0], release);
			return 0;
		default:
			return usage(request->call, argv[0]);
		}
	}
	return -1;
}

static int run_with(const struct request *request, char *const *words)
{
	_cleanup_(strings_free) struct strings names = {0};

	channel_adapter_names(request->adapters, &names);
	if (words[0]) {
		if (!strings_contain(&names, words[0]))
			return panic("", words[0], "IB device can't be found", 0);
		strings_free(&names);
		strings_add(&names, words[0]);
	}
	if (request->ports)
		return list_ports(request, &names);
	if (!request->list)
		return show_all(request, &names);
	for (size_t i = 0; i < names.count; i++)
		compat_print(stdout, "%s\n", names.items[i]);
	return 0;
}

int ibstat_run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(channel_adapters_closep) struct channel_adapters *adapters = NULL;
	struct request request = {.call = call, .port = -1};
	int status = parse(&request, argc, argv), rc;

	if (status >= 0)
		return status;
	if (argc - optind > 1)
		request.port = (int)strtol(argv[optind + 1], NULL, 0);
	rc = channel_adapters_open(call->root, &adapters);
	if (rc)
		return compat_no_root(call, rc);
	request.adapters = adapters;
	return run_with(&request, argv + optind);
}

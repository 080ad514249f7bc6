/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The modules at both ends of each cable of a subnet, read through CableInfo, a subnet management
 * attribute of Mellanox (NVIDIA) devices. A reply holds 48 bytes, and the device reads them from
 * the module over a slow bus, so a node is asked for one piece at a time, and all nodes in
 * parallel. Where that yields too little, the firmware may describe the module in a register.
 */
#pragma once

#include "base/cleanup.h"
#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"
#include "fabric/scan/scan.h"
#include "plug/plug.h"

enum fabric_plug_state {
	FABRIC_PLUG_READ = 1,
	FABRIC_PLUG_ABSENT,	 /* no cable in the port */
	FABRIC_PLUG_NO_MEMORY,	 /* a cable without a memory to read */
	FABRIC_PLUG_UNSUPPORTED, /* the port, or the node, has neither CableInfo nor PDDR */
	FABRIC_PLUG_OTHER_VENDOR,
	FABRIC_PLUG_NO_ANSWER,
	FABRIC_PLUG_FAILED,   /* the device could not read the module */
	FABRIC_PLUG_NOT_READ, /* stopped before, or too far away for a directed route */
};

/* The source of the facts about a plug. */
enum fabric_plug_source { FABRIC_PLUG_CABLE_INFO = 1, FABRIC_PLUG_PDDR };

struct fabric_plug {
	uint32_t port; /* index in the graph; the first member: fabric_compare_ports() */
	enum fabric_plug_state state;
	uint8_t code; /* the device's reason, if it gave one: cable_info_error() */
	bool partial; /* a page of its memory could not be read */
	struct plug_memory memory;
};

struct fabric_plugs {
	struct fabric_plug *items; /* in the order of ports */
	size_t count;
	struct fabric_failure *failures; /* one for each node that did not answer or refused */
	size_t failure_count;
};

/*
 * Fills an empty list with the cabled ports that are in `wanted` (by port of the graph; NULL: all).
 * Returns 0 even if nodes did not answer, -ECANCELED if stopped, or -errno if the local port
 * failed.
 */
int fabric_plugs_read(struct mad_engine *engine, const struct fabric_scan_options *scan,
		      const struct fabric *fabric, const bool *wanted, struct fabric_plugs *plugs);
/*
 * Reads the register PDDR, by the vendor's class 0x0a and only with Get: for ports where the device
 * says that CableInfo is unsupported or failed, and those whose receive power it could not read.
 * `address` lacks the LID. Returns as fabric_plugs_read() does; failures have that class.
 */
int fabric_plugs_read_registers(struct mad_engine *engine, const struct mad_address *address,
				const struct fabric *fabric, struct fabric_plugs *plugs);
DEFINE_CLEAR(struct fabric_plugs, fabric_plugs_clear, free(object->items), free(object->failures))
/* Returns NULL if the port is not in the list. */
const struct fabric_plug *fabric_plugs_find(const struct fabric_plugs *plugs, uint32_t port);
/* Describes the device's error code for a module that it could not read. */
const char *cable_info_error(unsigned int code);

/* A cable with the plugs at its ends; owns the plugs and the text. */
struct fabric_cable_row {
	struct fabric_row at;		   /* the first port of the cable */
	struct number state, peer_state;   /* enum fabric_plug_state */
	struct number source, peer_source; /* enum fabric_plug_source */
	struct plug plug, peer_plug;
	char *changes; /* since a file was saved; NULL if none, or nothing to compare with */
};

extern const struct schema fabric_cables_schema;

/* Decodes both ends; `peer` may be NULL. */
void fabric_cable_row_make(const struct fabric_view *view, const struct fabric_plug *plug,
			   const struct fabric_plug *peer, struct fabric_cable_row *row);
void fabric_cable_row_clear(struct fabric_cable_row *row);
/* For qsort(): the weakest receive power at either end first, cables without a reading last. */
int fabric_cable_row_compare(const void *a, const void *b);
/*
 * Appends the differences between two readings of a plug to the text: another module, receive power
 * that moved by a decibel or more, new alarms. `prefix` names the end.
 */
void fabric_plug_add_changes(const struct plug *before, const struct plug *after,
			     const char *prefix, char **text);

/* A plug in a file; strings are owned. */
struct saved_plug {
	struct number node_guid, port;
	char *memory; /* plug_memory_text() */
};

extern const struct schema saved_plug_schema; /* `saved_plugs` */

struct saved_plug saved_plug_of(const struct fabric *fabric, const struct fabric_plug *plug);
/*
 * Fills an empty list with the ports that are in the graph and whose node has a unique GUID.
 * Returns the number of other ports, or -EINVAL if a memory is malformed.
 */
long saved_plugs_load(const struct fabric *fabric, const struct saved_plug *saved, size_t count,
		      struct fabric_plugs *plugs);

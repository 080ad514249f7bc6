/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One end of a link: what its port supports, and what it is set to. */
#include <string.h>

#include "fabric/graph/view.h"
#include "mad/format/attribute.h"

/* Shows a field of PortInfo by its key; nothing if PortInfo is unknown. */
static void show_info(const void *record, const char *key, struct value *value)
{
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED,
								   UMAD_SM_ATTR_PORT_INFO);
	const struct fabric_port *port = place_port(record);
	struct mad_record info = {.object = NULL};

	if (!port || !port->has_info)
		return;
	memcpy(info.data, port->info, sizeof(port->info));
	field_get(schema_find(attribute->schema, key), &info, value);
}

#define EACH_FIELD(ROW, OTHER)                                                                    \
	ROW(FIELD_STRING, state, "STATE", FIELD_DEFAULT, "logical state")                         \
	ROW(FIELD_STRING, physical_state, "PHYSICAL", FIELD_DEFAULT, "physical state")            \
	ROW(FIELD_UNSIGNED, width_lanes, "LANES", FIELD_DEFAULT | FIELD_RIGHT,                    \
	    "active width of the link")                                                           \
	OTHER(FIELD_ENUM, place_get_speed, "speed", "SPEED", FIELD_DEFAULT,                       \
	      "active speed of the link")                                                         \
	ROW(FIELD_LIST, width_enabled, "WIDTH ENABLED", FIELD_DEFAULT, "widths that are enabled") \
	ROW(FIELD_LIST, speed_enabled, "SPEED ENABLED", FIELD_DEFAULT,                            \
	    "speeds up to QDR that are enabled")                                                  \
	ROW(FIELD_LIST, speed_ext_enabled, "EXT ENABLED", FIELD_DEFAULT,                          \
	    "speeds from FDR on that are enabled")                                                \
	ROW(FIELD_LIST, width_supported, "WIDTH SUPPORTED", 0, "widths that the port supports")   \
	ROW(FIELD_LIST, speed_supported, "SPEED SUPPORTED", 0,                                    \
	    "speeds up to QDR that the port supports")                                            \
	ROW(FIELD_LIST, speed_ext_supported, "EXT SUPPORTED", 0,                                  \
	    "speeds from FDR on that the port supports")                                          \
	OTHER(FIELD_UNSIGNED, place_get_mtu, "neighbor_mtu_bytes", "MTU", FIELD_RIGHT,            \
	      "active MTU of the link")                                                           \
	ROW(FIELD_UNSIGNED, mtu_cap_bytes, "MTU CAP", FIELD_RIGHT, "maximum MTU of the port")     \
	OTHER(FIELD_UNSIGNED, place_get_vls, "vls_operational", "VLS", FIELD_RIGHT,               \
	      "data VLs in use")

#define FIELD_GETTER(kind_, member_, ...)                                  \
	static void get_##member_(const void *record, struct value *value) \
	{                                                                  \
		show_info(record, #member_, value);                        \
	}
#define NO_GETTER(...)
EACH_FIELD(FIELD_GETTER, NO_GETTER)

#define FIELD_COLUMN(kind_, member_, heading_, flags_, help_) \
	COMPUTED_FIELD(kind_, get_##member_, #member_, heading_, flags_, 0, help_),
#define OTHER_COLUMN(...) VIEW_COLUMN(__VA_ARGS__),

static const struct field fields[] = {
	PORT_COLUMNS(place_get_port),
	EACH_FIELD(FIELD_COLUMN, OTHER_COLUMN) VIEW_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid",
							   "LID", FIELD_RIGHT, "LID of the port"),
	NODE_GUID_COLUMN,
};

const struct schema fabric_port_schema = SCHEMA("fabric_port", struct fabric_row, fields,
						"an end of a link");

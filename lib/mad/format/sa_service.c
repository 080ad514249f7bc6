/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "mad/format/sa_fields.h"

/* The data of a service, in numbers of four sizes; each number is a component of its own. */
#define DATA_ROW(byte_, width_, key_, number_, component_)                      \
	MAD_HEX(MAD_AT(byte_, 0), width_, "data" #key_ "_" #number_,            \
		"DATA" #key_ "[" #number_ "]", 0,                               \
		"data of the service, number " #number_ " of " #width_ " bits", \
		SA_COMPONENT(component_))
#define DATA8(number_)	DATA_ROW(112 + (number_), 8, 8, number_, 7 + (number_))
#define DATA16(number_) DATA_ROW(128 + (number_)*2, 16, 16, number_, 23 + (number_))
#define DATA32(number_) DATA_ROW(144 + (number_)*4, 32, 32, number_, 31 + (number_))
#define DATA64(number_) DATA_ROW(160 + (number_)*8, 64, 64, number_, 35 + (number_))

/* 15.2.5.14 */
static const struct field service_fields[] = {
	MAD_TEXT(MAD_AT(48, 0), 64 * 8, "name", "NAME", FIELD_DEFAULT, "name of the service",
		 SA_COMPONENT(6)),
	MAD_HEX(MAD_AT(0, 0), 64, "service_id", "SERVICE ID", FIELD_DEFAULT,
		"identifier of the service", SA_COMPONENT(0)),
	MAD_GID(MAD_AT(8, 0), "gid", "GID", FIELD_DEFAULT, "GID of the port that offers it",
		SA_COMPONENT(1)),
	MAD_HEX(MAD_AT(24, 0), 16, "pkey", "P_KEY", FIELD_DEFAULT, "partition key",
		SA_COMPONENT(2)),
	MAD_UNSIGNED(MAD_AT(28, 0), 32, "lease_sec", "LEASE s", 0,
		     "seconds that the record is kept, 4294967295 for ever", SA_COMPONENT(4)),
	MAD_GID(MAD_AT(32, 0), "key", "KEY", FIELD_SECRET, "key of the record, as eight groups",
		SA_COMPONENT(5)),
	DATA8(0),
	DATA8(1),
	DATA8(2),
	DATA8(3),
	DATA8(4),
	DATA8(5),
	DATA8(6),
	DATA8(7),
	DATA8(8),
	DATA8(9),
	DATA8(10),
	DATA8(11),
	DATA8(12),
	DATA8(13),
	DATA8(14),
	DATA8(15),
	DATA16(0),
	DATA16(1),
	DATA16(2),
	DATA16(3),
	DATA16(4),
	DATA16(5),
	DATA16(6),
	DATA16(7),
	DATA32(0),
	DATA32(1),
	DATA32(2),
	DATA32(3),
	DATA64(0),
	DATA64(1),
};

const struct schema sa_service_schema = MAD_SCHEMA("sa_services", service_fields,
						   "a service that a port offers");

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The headers of management datagrams: the common header of 24 bytes and the class's header after
 * it, as schemas of a struct mad_record that holds all 256 bytes; and the words of classes,
 * methods, statuses and attributes. IBA 1: 13.4 (common), 13.6 (RMPP), 14.2 (subnet management),
 * 15.2 (subnet administration), 16.5 (vendors).
 */
#pragma once

#include "mad/format/attribute.h"

/*
 * The offset of the attribute's data: 64 bytes in subnet management, all the rest in other classes.
 */
size_t mad_data_offset(unsigned int mgmt_class);
/* The same for one attribute: a congestion log begins earlier, A10.4.3.5. */
size_t mad_attribute_offset(unsigned int mgmt_class, unsigned int attribute);
bool mad_class_is_smp(unsigned int mgmt_class);
/* True if the datagram has an RMPP header at byte 24. */
bool mad_class_has_rmpp(unsigned int mgmt_class);

/* The records of an SA answer, one after the other. */
struct mad_table {
	const unsigned char *records;
	size_t count, size; /* the size of each */
	/*
	 * Set if the rest is missing: the answer ends within a record, or is one full datagram
	 * without an RMPP header. Some transports (simulators) truncate answers like that.
	 */
	bool cut;
};

/* Finds no records if those of the answer are smaller than `least` bytes, at least one. */
struct mad_table mad_table_of(const unsigned char *mad, size_t bytes, size_t least);

/*
 * A path as the command line takes it: 0,1,3. Each number has up to three digits, followed by a
 * comma or the NUL; the hop count is limited to the size of the table.
 */
#define MAD_PATH_BYTES (4 * UMAD_SMP_MAX_HOPS)
void mad_path_text(const unsigned char *path, unsigned int hops, char text[static MAD_PATH_BYTES]);

/* The header's fields of the class, as far as they are known, other than those of mad_decode(). */
const struct schema *mad_header_schema(unsigned int mgmt_class);

/* For the command line and the schemas. */
extern const struct enum_name mad_class_names[];
extern const struct enum_name mad_method_names[];    /* methods that every class has */
extern const struct enum_name mad_sa_method_names[]; /* these, and the additional ones of SA */
extern const struct enum_name mad_sa_status_names[]; /* the high byte of an SA status */

/* The status without the direction bit of a directed route: 14.2.1.2. */
uint16_t mad_status(const unsigned char *mad);
/* Returns NULL if unknown. */
const char *mad_method_word(unsigned int mgmt_class, unsigned int method);
/* The specification's name of an attribute, even of one without a field table. */
const char *mad_attribute_name(unsigned int mgmt_class, unsigned int id);
/*
 * Formats the words of a status, separated by commas: "busy", "no-records"; "success" if there is
 * no error. Unknown bits are shown as hex. The D bit of a directed route is ignored. The caller
 * frees it.
 */
char *mad_status_word(unsigned int mgmt_class, unsigned int status);
/* `0x001c: invalid-value`, or only the number if the status has no name; the caller frees it. */
char *mad_status_text(unsigned int mgmt_class, unsigned int status);
/*
 * Says why a request got no data, from the `error` and `status` of its reply: `no answer, asked 4
 * times`, `refused with status 0x001c: invalid-value`; the caller frees it.
 */
char *mad_failure_text(unsigned int mgmt_class, int error, unsigned int status, unsigned int tries);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a management datagram says before its data: the common header of 24 bytes and what its
 * class has behind it, as schemas of a struct mad_record that holds all 256 bytes; and the words
 * of classes, methods, statuses and attributes. IBA 1: 13.4 (common), 13.6 (RMPP), 14.2 (subnet
 * management), 15.2 (subnet administration), 16.5 (vendors).
 */
#pragma once

#include "mad/format/attribute.h"

#define MAD_STATUS_BYTES 96u /* text of mad_status_word() */

/* Where the attribute's data begin: 64 bytes in subnet management, all the rest elsewhere. */
size_t mad_data_offset(unsigned int mgmt_class);
bool mad_class_is_smp(unsigned int mgmt_class);
/* Whether the datagram has an RMPP header at byte 24. */
bool mad_class_has_rmpp(unsigned int mgmt_class);

/* Common header, and the class's own one as far as it is known. */
const struct schema *mad_header_schema(unsigned int mgmt_class);

/* For the command line and the schemas. */
extern const struct enum_name mad_class_names[];
extern const struct enum_name mad_method_names[];    /* of every class */
extern const struct enum_name mad_sa_method_names[]; /* those, and what SA has besides */
extern const struct enum_name mad_sa_status_names[]; /* of the status's high byte */

/* NULL: not known. */
const char *mad_class_word(unsigned int mgmt_class);
const char *mad_method_word(unsigned int mgmt_class, unsigned int method);
/* As the specification has it; also of attributes that there is no field table for. */
const char *mad_attribute_name(unsigned int mgmt_class, unsigned int id);
/*
 * The words of a status, a comma between them: "busy", "no-records"; "success" if nothing is wrong.
 * What is not known is shown as hex. The D bit of a directed route is left out. Returns 0 for
 * success, 1 otherwise.
 */
int mad_status_word(unsigned int mgmt_class, unsigned int status,
		    char text[static MAD_STATUS_BYTES]);
/*
 * Why a request got no data, from the `error` and `status` of its answer: `no answer, asked 4
 * times`, `refused with status 0x001c: invalid-value`; to be freed.
 */
char *mad_failure_text(unsigned int mgmt_class, int error, unsigned int status, unsigned int tries);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of management datagrams as field tables: one row of a table decodes a field, encodes
 * it, and names its column and its JSON key. The data of an attribute are one record, or a list of
 * small ones (a block of a forwarding table); each is shown as a struct mad_record. Sources:
 * InfiniBand Architecture Specification volume 1, release 1.6 and 1.7: chapters 13 (common), 14
 * (subnet management), 15 (subnet administration), 16 (general services).
 */
#pragma once

#include "mad/format/mad.h"
#include "schema/packed.h"

#define MAD_DATA_MOST 256u

/* field.needs: the description of the node, which needs a separate request. */
#define MAD_NEED_NODE	     1u
#define MAD_NEED_DESTINATION 2u

/*
 * A row of output: the node that answered, and the bytes of the attribute, or of one entry of its
 * list. Strings are owned; mad_record_clear() frees them. All schemas of attributes use this
 * record.
 */
struct mad_record {
	char *object;	   /* the queried node, as named on the command line */
	char *node;	   /* the node's description, cleaned; NULL if not requested */
	char *destination; /* name of the node that owns the entry's LID; NULL if not requested */
	struct number lid;
	struct number port;  /* of the attribute */
	struct number index; /* of the entry in the table, or of the row */
	unsigned char data[MAD_DATA_MOST];
};

/* The meaning of the attribute modifier. */
enum mad_modifier {
	MODIFIER_NONE,	    /* 0 */
	MODIFIER_PORT,	    /* a port number */
	MODIFIER_BLOCK,	    /* a block of the table */
	MODIFIER_PKEYS,	    /* block, and the port of a switch in the high half: 14.2.5.7 */
	MODIFIER_SL2VL,	    /* input port << 8 | output port: 14.2.5.8 */
	MODIFIER_VLARB,	    /* output port, and the part of the table in the high half: 14.2.5.9 */
	MODIFIER_MULTICAST, /* block, and the position of 16 ports in bits 28 to 31: 14.2.5.12 */
};

struct mad_attribute {
	uint8_t mgmt_class; /* UMAD_CLASS_SUBN_LID_ROUTED means both kinds of routing */
	uint16_t id;
	const char *word;  /* on the command line: portinfo; NULL if it cannot be queried */
	const char *alias; /* pi, the alias in smpquery(8); or NULL */
	const char *name;  /* the specification's name: PortInfo */
	const struct schema *schema; /* of struct mad_record */
	uint16_t bytes;		     /* the length of the data that the fields describe */
	uint16_t entries;	     /* in the data; 0 if the data are one record */
	uint16_t entry_bytes;
	uint8_t head_bytes; /* before the first entry; each row begins with them */
	uint8_t empty_byte; /* the byte that fills an unused entry */
	enum mad_modifier modifier;
};

/* All known attributes of a class; a NULL schema ends each table. */
extern const struct mad_attribute sm_attributes[];
extern const struct mad_attribute pm_attributes[];
extern const struct mad_attribute sa_attributes[];
extern const struct mad_attribute cm_attributes[];
extern const struct mad_attribute cc_attributes[];
extern const struct mad_attribute mellanox_attributes[]; /* MAD_CLASS_MELLANOX */
extern const struct mad_attribute class_attributes[];	 /* of every GSI class: 13.4.8 */

/*
 * ClassPortInfo: what the agent of a management class reports about itself, with the same layout in
 * every class but subnet management (13.4.8.1). The bits of its capability masks differ by class:
 * each class with words for them has a schema, and class_attributes has one for all others.
 */
extern const struct schema class_port_info_schema;
extern const struct schema perf_class_port_info_schema;
extern const struct schema sa_class_port_info_schema;
extern const struct schema vendor_general_schema; /* of the class of Mellanox */

/* The attributes of a class; for a class without a table above, those that every class has. */
const struct mad_attribute *mad_attributes_of(unsigned int mgmt_class);
/* Returns NULL if unknown. A class without a table above has only the common attributes. */
const struct mad_attribute *mad_attribute_find(unsigned int mgmt_class, unsigned int id);
/* Returns the attribute with that number, from 0, among those of a table with a word; or NULL. */
const struct mad_attribute *mad_attribute_at(const struct mad_attribute *attributes, size_t number);
/* Finds an attribute in a table by word or alias. */
const struct mad_attribute *mad_attribute_find_word(const struct mad_attribute *attributes,
						    const char *word);
/* A hint on how to name an attribute of the class, with an example; the caller frees it. */
char *mad_attribute_example(unsigned int mgmt_class);

void mad_record_clear(struct mad_record *record);

/*
 * The entries of a congestion log depend on its type. In a row, the events of a channel adapter are
 * placed after those of a switch, so that no two fields share a place.
 */
#define CC_LOG_SWITCH_HEAD    40u
#define CC_LOG_CA_HEAD	      12u
#define CC_LOG_CA_EVENT	      16u /* after the place of an event of a switch */
#define CC_LOG_CA_EVENT_BYTES 16u
#define CC_LOG_CA_EVENTS      13u

/* The number of entries in the data of an attribute. */
size_t mad_entry_count(const struct mad_attribute *attribute, const unsigned char *data);
/* The offset of an entry in the data. */
size_t mad_entry_at(const struct mad_attribute *attribute, const unsigned char *data, size_t number,
		    size_t *ret_bytes);
/* Fills the bytes of a row: the head of the data, and one entry. */
void mad_entry_take(const struct mad_attribute *attribute, const unsigned char *data, size_t number,
		    unsigned char *row);

/* The position of a field: byte and bit of the data; bit 0 is the highest one of the byte. */
#define MAD_AT(byte, bit) ((byte)*8 + (bit))

/* The GIDs of a MultiPathRecord in one datagram. */
#define SA_MULTIPATH_GIDS_AT   24u
#define SA_MULTIPATH_GIDS_MOST 11u

/*
 * The attribute that describes the fields of a query, or of its answer, where it is not the one
 * that the datagram names: a query for TraceRecords has the fields of a PathRecord, and a query by
 * MultiPathRecord is answered with PathRecords (15.2.5).
 */
const struct mad_attribute *sa_attribute_of_query(const struct mad_attribute *attribute);
const struct mad_attribute *sa_attribute_of_answer(const struct mad_attribute *attribute);

/*
 * The components of an SA record that make up a field (15.2.5), as bits of the ComponentMask; 0 if
 * records cannot be searched by it. rows.h has the numbers of the components.
 */
static inline uint64_t sa_component_mask(const struct field *field)
{
	unsigned int count = (field->tag >> 8) + 1u;

	return field->tag ? ((1ull << count) - 1) << ((field->tag & 0xff) - 1) : 0;
}

/* The first columns of every attribute, and of rows combined from several, identify the node. */
#define MAD_OBJECT_FIELDS_OF(type_, flags_)                                                  \
	STRING_FIELD(type_, object, "object", "OBJECT", flags_, 0, "destination, as given"), \
		STRING_FIELD(type_, node, "node", "NODE", 0, MAD_NEED_NODE,                  \
			     "description of the node"),                                     \
		UNSIGNED_FIELD(type_, lid, "object_lid", "AT LID", FIELD_RIGHT, 0,           \
			       "LID that the request went to")
#define MAD_OBJECT_FIELDS(flags_) MAD_OBJECT_FIELDS_OF(struct mad_record, flags_)
#define MAD_PORT_FIELD(flags_)                                                                    \
	UNSIGNED_FIELD(struct mad_record, port, "object_port", "PORT", (flags_) | FIELD_RIGHT, 0, \
		       "port that the row describes")
#define MAD_INDEX_FIELD(key_, heading_, flags_, help_) \
	UNSIGNED_FIELD(struct mad_record, index, key_, heading_, (flags_) | FIELD_RIGHT, 0, help_)

#define MAD_SCHEMA(name_, fields_, summary_) SCHEMA(name_, struct mad_record, fields_, summary_)

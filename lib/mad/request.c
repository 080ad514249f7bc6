/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/request.h"

#include <string.h>

#include "schema/bits.h"

/* Places in the MAD: IBA 1, 13.4.3 (common), 14.2.1 (SMP), 15.2.1 (SA), 16.5.1 (vendor) */
enum {
	AT_VERSION = 0,
	AT_CLASS = 1,
	AT_CLASS_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_HOP_COUNT = 7,
	AT_TRANSACTION_LOW = 12,
	AT_ATTRIBUTE = 16,
	AT_MODIFIER = 20,
	AT_M_KEY = 24,
	AT_DR_SLID = 32,
	AT_DR_DLID = 34,
	AT_INITIAL_PATH = 128,
	AT_RMPP_VERSION = 24,
	AT_SM_KEY = 36,
	AT_OUI = 37,
	AT_COMPONENT_MASK = 48,
};

#define DIRECTION_BIT 0x8000u /* of the status of a directed route SMP: 14.2.1.2 */

static void put(unsigned char *mad, size_t byte, unsigned int bytes, uint64_t number)
{
	bits_set(mad, byte * 8, bytes * 8, number);
}

uint8_t mad_class_version(unsigned int mgmt_class)
{
	return mgmt_class == MAD_CLASS_SA || mgmt_class == MAD_CLASS_CM ||
			       mgmt_class == MAD_CLASS_CC
		       ? 2
		       : 1;
}

static void write_smp(const struct mad_request *request, unsigned char *mad)
{
	put(mad, AT_M_KEY, 8, request->key);
	if (!request->direct)
		return;
	put(mad, AT_HOP_COUNT, 1, request->hops);
	put(mad, AT_DR_SLID, 2, MAD_LID_PERMISSIVE);
	put(mad, AT_DR_DLID, 2, MAD_LID_PERMISSIVE);
	memcpy(mad + AT_INITIAL_PATH, request->path, request->hops + 1u);
}

void mad_request_write(const struct mad_request *request, uint32_t transaction,
		       unsigned char mad[static MAD_BYTES])
{
	size_t at = mad_data_offset(request->mgmt_class);
	size_t bytes = request->data_bytes < MAD_BYTES - at ? request->data_bytes : MAD_BYTES - at;

	memset(mad, 0, MAD_BYTES);
	put(mad, AT_VERSION, 1, 1);
	put(mad, AT_CLASS, 1, request->mgmt_class);
	put(mad, AT_CLASS_VERSION, 1, mad_class_version(request->mgmt_class));
	put(mad, AT_METHOD, 1, request->method);
	put(mad, AT_TRANSACTION_LOW, 4, transaction);
	put(mad, AT_ATTRIBUTE, 2, request->attribute);
	put(mad, AT_MODIFIER, 4, request->modifier);
	if (mad_class_is_smp(request->mgmt_class)) {
		write_smp(request, mad);
	} else if (request->mgmt_class == MAD_CLASS_SA) {
		put(mad, AT_SM_KEY, 8, request->key);
		put(mad, AT_COMPONENT_MASK, 8, request->component_mask);
	} else if (request->oui) {
		put(mad, AT_OUI, 3, request->oui);
	}
	if (bytes)
		memcpy(mad + at, request->data, bytes);
}

uint32_t mad_transaction(const unsigned char *mad)
{
	return (uint32_t)bits_get(mad, AT_TRANSACTION_LOW * 8, 32);
}

void mad_set_transaction(unsigned char *mad, uint32_t transaction)
{
	put(mad, AT_TRANSACTION_LOW, 4, transaction);
}

uint16_t mad_status(const unsigned char *mad)
{
	uint16_t status = (uint16_t)bits_get(mad, AT_STATUS * 8, 16);

	return mad[AT_CLASS] == MAD_CLASS_SM_DIRECT ? status & (uint16_t)~DIRECTION_BIT : status;
}

bool mad_answers(const unsigned char *mad, const struct mad_request *request)
{
	unsigned int method = request->reply_method ? request->reply_method
						    : request->method | MAD_METHOD_RESPONSE;

	/* A Set is answered by a GetResp: 13.4.5. */
	if (!request->reply_method && request->method == MAD_METHOD_SET)
		method = MAD_METHOD_GET | MAD_METHOD_RESPONSE;
	return mad[AT_CLASS] == request->mgmt_class && mad[AT_METHOD] == method &&
	       bits_get(mad, AT_ATTRIBUTE * 8, 16) == request->attribute;
}

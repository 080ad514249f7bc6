/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/engine/request.h"

#include <string.h>

uint8_t mad_version_of_class(unsigned int mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_ADM || mgmt_class == UMAD_CLASS_CM ||
			       mgmt_class == UMAD_CLASS_CONG_MGMT
		       ? 2
		       : 1;
}

static void write_smp(const struct mad_request *request, unsigned char *mad)
{
	mad_set_mkey(mad, request->key);
	if (!request->direct)
		return;
	mad_set_hop_count(mad, request->hops);
	mad_set_dr_slid(mad, MAD_LID_PERMISSIVE);
	mad_set_dr_dlid(mad, MAD_LID_PERMISSIVE);
	memcpy(mad + offsetof(struct umad_smp, initial_path), request->path, request->hops + 1u);
}

void mad_request_write(const struct mad_request *request, uint32_t transaction,
		       unsigned char mad[static MAD_BYTES])
{
	size_t at = mad_data_offset(request->mgmt_class);
	size_t bytes = request->data_bytes < MAD_BYTES - at ? request->data_bytes : MAD_BYTES - at;

	memset(mad, 0, MAD_BYTES);
	mad_set_base_version(mad, UMAD_BASE_VERSION);
	mad_set_class(mad, request->mgmt_class);
	mad_set_class_version(mad, mad_version_of_class(request->mgmt_class));
	mad_set_method(mad, request->method);
	mad_set_transaction(mad, transaction);
	mad_set_attribute(mad, request->attribute);
	mad_set_modifier(mad, request->modifier);
	if (mad_class_is_smp(request->mgmt_class)) {
		write_smp(request, mad);
	} else if (request->mgmt_class == UMAD_CLASS_SUBN_ADM) {
		mad_set_sm_key(mad, request->key);
		mad_set_component_mask(mad, request->component_mask);
	} else if (request->oui) {
		mad_set_oui(mad, request->oui);
	}
	if (bytes)
		memcpy(mad + at, request->data, bytes);
}

uint16_t mad_status(const unsigned char *mad)
{
	uint16_t status = mad_raw_status(mad);

	return mad_class(mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE
		       ? status & (uint16_t)~UMAD_SMP_DIRECTION
		       : status;
}

bool mad_answers(const unsigned char *mad, const struct mad_request *request)
{
	unsigned int method = request->reply_method ? request->reply_method
						    : request->method | UMAD_METHOD_RESP_MASK;

	/* A Set is answered by a GetResp: 13.4.5. */
	if (!request->reply_method && request->method == UMAD_METHOD_SET)
		method = UMAD_METHOD_GET_RESP;
	return mad_class(mad) == request->mgmt_class && mad_method(mad) == method &&
	       mad_attribute(mad) == request->attribute;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/device.h"
#include "host/endpoint/endpoint.h"
#include "host/port.h"

bool endpoint_is_efa(const struct endpoint *endpoint)
{
	return endpoint->transport == TRANSPORT_UNSPECIFIED &&
	       endpoint->link_layer == LINK_LAYER_UNSPECIFIED;
}

bool endpoint_has_datagrams_only(const struct endpoint *endpoint)
{
	return endpoint->transport == TRANSPORT_USNIC || endpoint_is_efa(endpoint);
}

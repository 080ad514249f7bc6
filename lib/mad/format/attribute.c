/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/attribute.h"

#include <stdlib.h>
#include <string.h>

const struct mad_attribute *mad_attributes_of(unsigned int mgmt_class)
{
	switch (mgmt_class) {
	case UMAD_CLASS_SUBN_LID_ROUTED:
	case UMAD_CLASS_SUBN_DIRECTED_ROUTE:
		return sm_attributes;
	case UMAD_CLASS_PERF_MGMT:
		return pm_attributes;
	case UMAD_CLASS_SUBN_ADM:
		return sa_attributes;
	case UMAD_CLASS_CM:
		return cm_attributes;
	default:
		return class_attributes;
	}
}

static const struct mad_attribute *find(const struct mad_attribute *attributes, unsigned int id)
{
	for (; attributes->schema; attributes++)
		if (attributes->id == id)
			return attributes;
	return NULL;
}

const struct mad_attribute *mad_attribute_find(unsigned int mgmt_class, unsigned int id)
{
	const struct mad_attribute *attribute = find(mad_attributes_of(mgmt_class), id);

	/*
	 * Subnet management has no ClassPortInfo: it shares no attribute with other classes,
	 * 14.2.5.
	 */
	if (!attribute && mgmt_class != UMAD_CLASS_SUBN_LID_ROUTED &&
	    mgmt_class != UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		attribute = find(class_attributes, id);
	return attribute;
}

const struct mad_attribute *mad_attribute_find_word(const struct mad_attribute *attributes,
						    const char *word)
{
	for (; attributes->schema; attributes++) {
		if (attributes->word && !strcmp(attributes->word, word))
			return attributes;
		if (attributes->alias && !strcmp(attributes->alias, word))
			return attributes;
	}
	return NULL;
}

void mad_record_clear(struct mad_record *record)
{
	free(record->object);
	free(record->node);
	*record = (struct mad_record){.object = NULL};
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classes: 13.4.4; methods: 13.4.5, 15.2.2; statuses: 13.4.7, 15.2.4; attributes: of each class. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/header.h"

enum {
	STATUS_DIRECTION = 0x8000, /* 14.2.1.2: the D bit */
	STATUS_CODE = 0x001c,	   /* bits 2 to 4 */
	STATUS_CODE_SHIFT = 2,
	STATUS_CLASS_SHIFT = 8,
};

const struct enum_name mad_class_names[] = {
	{MAD_CLASS_SM, "sm"},
	{MAD_CLASS_SM_DIRECT, "sm-direct"},
	{MAD_CLASS_SA, "sa"},
	{MAD_CLASS_PM, "pm"},
	{MAD_CLASS_BM, "bm"},
	{MAD_CLASS_DM, "dm"},
	{MAD_CLASS_CM, "cm"},
	{MAD_CLASS_SNMP, "snmp"},
	{0x0a, "mellanox"}, /* vendor range 1 */
	{0x10, "device-administration"},
	{0x11, "boot-management"},
	{0x12, "bis"},
	{MAD_CLASS_CC, "cc"},
	{MAD_CLASS_OPENIB_PING, "openib-ping"},
	{MAD_CLASS_OPENIB_SYSSTAT, "openib-sysstat"},
	{0, NULL},
};

#define COMMON_METHODS                                                                  \
	{0x01, "get"}, {0x02, "set"}, {0x03, "send"}, {0x05, "trap"}, {0x06, "report"}, \
		{0x07, "trap-repress"}, {0x81, "get-response"},                         \
	{                                                                               \
		0x86, "report-response"                                                 \
	}

const struct enum_name mad_method_names[] = {COMMON_METHODS, {0, NULL}};

const struct enum_name mad_sa_method_names[] = {
	COMMON_METHODS,
	{0x12, "get-table"},
	{0x13, "get-trace-table"},
	{0x14, "get-multi"},
	{0x15, "delete"},
	{0x92, "get-table-response"},
	{0x94, "get-multi-response"},
	{0x95, "delete-response"},
	{0, NULL},
};

static const struct enum_name status_flag_names[] = {
	{0x0001, "busy"},
	{0x0002, "redirect"},
	{0, NULL},
};

static const struct enum_name status_code_names[] = {
	{1, "bad-version"},
	{2, "method-not-supported"},
	{3, "attribute-not-supported"}, /* or not with this method */
	{7, "invalid-value"},
	{0, NULL},
};

const struct enum_name mad_sa_status_names[] = {
	{1, "no-resources"},	 {2, "req-invalid"},	 {3, "no-records"},
	{4, "too-many-records"}, {5, "req-invalid-gid"}, {6, "req-insufficient-components"},
	{7, "req-denied"},	 {8, "prio-suggested"},	 {0, NULL},
};

/* Attributes without a field table; Notice and InformInfo are of every class but SM, 13.4.8. */
static const struct enum_name common_attributes[] = {
	{0x02, "Notice"},
	{0x03, "InformInfo"},
	{0, NULL},
};

static const struct enum_name sa_attribute_names[] = {
	{0x16, "RandomForwardingTableRecord"},
	{0x19, "LinkSpeedWidthPairsTableRecord"},
	{0x39, "TraceRecord"},
	{0x3a, "MultiPathRecord"},
	{0x3b, "ServiceAssociationRecord"},
	{0x3c, "HierarchyInfoRecord"},
	{0x3d, "CableInfoRecord"},
	{0x3e, "PortInfoExtendedRecord"},
	{0, NULL},
};

/* 16.2.3 */
static const struct enum_name bm_attributes[] = {
	{0x10, "BKeyInfo"},
	{0x20, "WriteVPD"},
	{0x21, "ReadVPD"},
	{0x22, "ResetIBML"},
	{0x23, "SetModulePMControl"},
	{0x24, "GetModulePMControl"},
	{0x25, "SetUnitPMControl"},
	{0x26, "GetUnitPMControl"},
	{0x27, "SetIOCPMControl"},
	{0x28, "GetIOCPMControl"},
	{0x29, "SetModuleState"},
	{0x2a, "SetModuleAttention"},
	{0x2b, "GetModuleStatus"},
	{0x2c, "IB2IBML"},
	{0x2d, "IB2CME"},
	{0x2e, "IB2MME"},
	{0x2f, "OEM"},
	{0, NULL},
};

/* 16.3.3 */
static const struct enum_name dm_attributes[] = {
	{0x10, "IOUnitInfo"},
	{0x11, "IOControllerProfile"},
	{0x12, "ServiceEntries"},
	{0x20, "DiagnosticTimeout"},
	{0x21, "PrepareToTest"},
	{0x22, "TestDeviceOnce"},
	{0x23, "TestDeviceLoop"},
	{0x24, "DiagCode"},
	{0, NULL},
};

static const struct enum_name cm_attribute_names[] = {
	{0x1b, "SuggestAlternatePath"},
	{0x1c, "SuggestPathResponse"},
	{0, NULL},
};

/* Annex A10 */
static const struct enum_name cc_attributes[] = {
	{0x11, "CongestionInfo"},
	{0x12, "CongestionKeyInfo"},
	{0x13, "CongestionLog"},
	{0x14, "SwitchCongestionSetting"},
	{0x15, "SwitchPortCongestionSetting"},
	{0x16, "CACongestionSetting"},
	{0x17, "CongestionControlTable"},
	{0x18, "TimeStamp"},
	{0, NULL},
};

/* As ibsysstat(8) has them. */
static const struct enum_name sysstat_attributes[] = {
	{0x10, "Ping"},
	{0x11, "HostInfo"},
	{0x12, "CPUInfo"},
	{0, NULL},
};

static const struct enum_name *names_without_table(unsigned int mgmt_class)
{
	switch (mgmt_class) {
	case MAD_CLASS_SA:
		return sa_attribute_names;
	case MAD_CLASS_BM:
		return bm_attributes;
	case MAD_CLASS_DM:
		return dm_attributes;
	case MAD_CLASS_CM:
		return cm_attribute_names;
	case MAD_CLASS_CC:
		return cc_attributes;
	case MAD_CLASS_OPENIB_SYSSTAT:
		return sysstat_attributes;
	default:
		return NULL;
	}
}

const char *mad_attribute_name(unsigned int mgmt_class, unsigned int id)
{
	const struct mad_attribute *attribute = mad_attribute_find(mgmt_class, id);
	const struct enum_name *names = names_without_table(mgmt_class);
	const char *name;

	if (attribute)
		return attribute->name;
	name = names ? enum_word(names, id, NULL) : NULL;
	if (!name && !mad_class_is_smp(mgmt_class))
		name = enum_word(common_attributes, id, NULL);
	return name;
}

const char *mad_class_word(unsigned int mgmt_class)
{
	return enum_word(mad_class_names, mgmt_class, NULL);
}

const char *mad_method_word(unsigned int mgmt_class, unsigned int method)
{
	return enum_word(mgmt_class == MAD_CLASS_SA ? mad_sa_method_names : mad_method_names,
			 method, NULL);
}

/* Bits of a status become text one part after the other. */
struct status_text {
	char *text;
	size_t used;
};

static void add_word(struct status_text *status, const char *word)
{
	status->used += (size_t)snprintf(status->text + status->used,
					 MAD_STATUS_BYTES - status->used, "%s%s",
					 status->used ? "," : "", word);
}

static void add_bits(struct status_text *status, unsigned int bits)
{
	char word[16];

	snprintf(word, sizeof(word), "0x%04x", bits & 0xffff);
	add_word(status, word);
}

int mad_status_word(unsigned int mgmt_class, unsigned int status,
		    char text[static MAD_STATUS_BYTES])
{
	struct status_text out = {.text = text};
	unsigned int rest = status & 0xffff;
	const char *word;

	if (mgmt_class == MAD_CLASS_SM_DIRECT)
		rest &= ~(unsigned int)STATUS_DIRECTION;
	text[0] = '\0';
	if (!rest) {
		add_word(&out, "success");
		return 0;
	}
	for (const struct enum_name *flag = status_flag_names; flag->word; flag++) {
		if (rest & flag->value)
			add_word(&out, flag->word);
		rest &= ~(unsigned int)flag->value;
	}
	word = enum_word(status_code_names, (rest & STATUS_CODE) >> STATUS_CODE_SHIFT, NULL);
	if (word) {
		add_word(&out, word);
		rest &= ~(unsigned int)STATUS_CODE;
	}
	word = enum_word(mad_sa_status_names, rest >> STATUS_CLASS_SHIFT, NULL);
	if (word && mgmt_class == MAD_CLASS_SA) {
		add_word(&out, word);
		rest &= 0xff;
	}
	if (rest)
		add_bits(&out, rest);
	return 1;
}

char *mad_failure_text(unsigned int mgmt_class, int error, unsigned int status, unsigned int tries)
{
	char word[MAD_STATUS_BYTES];

	if (error == -ETIMEDOUT && tries == 1)
		return mem_string("no answer, asked once");
	if (error == -ETIMEDOUT)
		return mem_format("no answer, asked %u times", tries);
	if (error)
		return mem_string(error == -ECANCELED ? "interrupted" : strerror(-error));
	mad_status_word(mgmt_class, status, word);
	return mem_format("refused with status 0x%04x: %s", status, word);
}

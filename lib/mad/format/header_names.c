/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classes: 13.4.4; methods: 13.4.5, 15.2.2; statuses: 13.4.7, 15.2.4. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"

#define STATUS_CLASS_SHIFT 8

const struct enum_name mad_class_names[] = {
	{UMAD_CLASS_SUBN_LID_ROUTED, "sm"},
	{UMAD_CLASS_SUBN_DIRECTED_ROUTE, "sm-direct"},
	{UMAD_CLASS_SUBN_ADM, "sa"},
	{UMAD_CLASS_PERF_MGMT, "pm"},
	{UMAD_CLASS_BM, "bm"},
	{UMAD_CLASS_DEVICE_MGMT, "dm"},
	{UMAD_CLASS_CM, "cm"},
	{UMAD_CLASS_SNMP, "snmp"},
	{MAD_CLASS_MELLANOX, "mellanox"},
	{UMAD_CLASS_DEVICE_ADM, "device-administration"},
	{UMAD_CLASS_BOOT_MGMT, "boot-management"},
	{UMAD_CLASS_BIS, "bis"},
	{UMAD_CLASS_CONG_MGMT, "cc"},
	{MAD_CLASS_OPENIB_PING, "openib-ping"},
	{MAD_CLASS_OPENIB_SYSSTAT, "openib-sysstat"},
	{0, NULL},
};

#define COMMON_METHODS                                                                  \
	{UMAD_METHOD_GET, "get"}, {UMAD_METHOD_SET, "set"}, {UMAD_METHOD_SEND, "send"}, \
		{UMAD_METHOD_TRAP, "trap"}, {UMAD_METHOD_REPORT, "report"},             \
		{UMAD_METHOD_TRAP_REPRESS, "trap-repress"},                             \
		{UMAD_METHOD_GET_RESP, "get-response"},                                 \
	{                                                                               \
		UMAD_METHOD_REPORT_RESP, "report-response"                              \
	}

const struct enum_name mad_method_names[] = {COMMON_METHODS, {0, NULL}};

const struct enum_name mad_sa_method_names[] = {
	COMMON_METHODS,
	{UMAD_SA_METHOD_GET_TABLE, "get-table"},
	{UMAD_SA_METHOD_GET_TRACE_TABLE, "get-trace-table"},
	{UMAD_SA_METHOD_GET_MULTI, "get-multi"},
	{UMAD_SA_METHOD_DELETE, "delete"},
	{UMAD_SA_METHOD_GET_TABLE_RESP, "get-table-response"},
	{UMAD_SA_METHOD_GET_MULTI_RESP, "get-multi-response"},
	{UMAD_SA_METHOD_DELETE_RESP, "delete-response"},
	{0, NULL},
};

static const struct enum_name status_flag_names[] = {
	{UMAD_STATUS_BUSY, "busy"},
	{UMAD_STATUS_REDIRECT, "redirect"},
	{0, NULL},
};

static const struct enum_name status_code_names[] = {
	{UMAD_STATUS_BAD_VERSION, "bad-version"},
	{UMAD_STATUS_METHOD_NOT_SUPPORTED, "method-not-supported"},
	{UMAD_STATUS_ATTR_NOT_SUPPORTED, "attribute-not-supported"}, /* or not with this method */
	{UMAD_STATUS_INVALID_ATTR_VALUE, "invalid-value"},
	{0, NULL},
};

const struct enum_name mad_sa_status_names[] = {
	{UMAD_SA_STATUS_NO_RESOURCES, "no-resources"},
	{UMAD_SA_STATUS_REQ_INVALID, "req-invalid"},
	{UMAD_SA_STATUS_NO_RECORDS, "no-records"},
	{UMAD_SA_STATUS_TOO_MANY_RECORDS, "too-many-records"},
	{UMAD_SA_STATUS_INVALID_GID, "req-invalid-gid"},
	{UMAD_SA_STATUS_INSUF_COMPS, "req-insufficient-components"},
	{UMAD_SA_STATUS_REQ_DENIED, "req-denied"},
	{UMAD_SA_STATUS_PRI_SUGGESTED, "prio-suggested"},
	{0, NULL},
};

const char *mad_method_word(unsigned int mgmt_class, unsigned int method)
{
	return enum_word(mgmt_class == UMAD_CLASS_SUBN_ADM ? mad_sa_method_names : mad_method_names,
			 method, NULL);
}

static void add_word(char **text, const char *word)
{
	mem_extend(text, "%s%s", *text ? "," : "", word);
}

char *mad_status_word(unsigned int mgmt_class, unsigned int status)
{
	unsigned int rest = status & 0xffff;
	_cleanup_(freep) char *hex = NULL;
	char *text = NULL;
	const char *word;

	if (mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		rest &= ~(unsigned int)UMAD_SMP_DIRECTION;
	if (!rest)
		return mem_string("success");
	for (const struct enum_name *flag = status_flag_names; flag->word; flag++) {
		if (rest & flag->value)
			add_word(&text, flag->word);
		rest &= ~(unsigned int)flag->value;
	}
	word = enum_word(status_code_names, rest & UMAD_STATUS_INVALID_FIELD_MASK, NULL);
	if (word) {
		add_word(&text, word);
		rest &= ~(unsigned int)UMAD_STATUS_INVALID_FIELD_MASK;
	}
	word = enum_word(mad_sa_status_names, rest >> STATUS_CLASS_SHIFT, NULL);
	if (word && mgmt_class == UMAD_CLASS_SUBN_ADM) {
		add_word(&text, word);
		rest &= 0xff;
	}
	if (rest) {
		hex = mem_format("0x%04x", rest);
		add_word(&text, hex);
	}
	return text;
}

char *mad_status_text(unsigned int mgmt_class, unsigned int status)
{
	_cleanup_(freep) char *word = mad_status_word(mgmt_class, status);
	_cleanup_(freep) char *number = mem_format("0x%04x", status);

	/* The word of an unknown status is its number, which must not appear twice. */
	return strcmp(word, number) ? mem_format("%s: %s", number, word) : mem_string(number);
}

char *mad_failure_text(unsigned int mgmt_class, int error, unsigned int status, unsigned int tries)
{
	_cleanup_(freep) char *refusal = NULL;

	if (error == -ETIMEDOUT && tries == 1)
		return mem_string("no answer, asked once");
	if (error == -ETIMEDOUT)
		return mem_format("no answer, asked %u times", tries);
	if (error == -EXDEV)
		return mem_string("it is in another subnet, and SMPs do not cross routers");
	if (error)
		return mem_string(error == -ECANCELED ? "interrupted" : strerror(-error));
	refusal = mad_status_text(mgmt_class, status);
	return mem_format("refused with status %s", refusal);
}

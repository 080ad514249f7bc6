/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The additional lines of ibv_devinfo -v about a device: limits, flags, offloads. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/mem.h"
#include "cmd/compat/ibv.h"

/* The line of a limit. */
struct limit {
	const char *label;
	size_t offset; /* of a struct number in struct caps */
	bool hex;
};

#define LABELLED(label, member, hex)                      \
	{                                                 \
		label, offsetof(struct caps, member), hex \
	}
#define LIMIT(member, ...) LABELLED(#member, member, false),

static const struct limit sizes[] = {LABELLED("max_mr_size", max_mr_size_bytes, true),
				     LABELLED("page_size_cap", page_size_cap, true),
				     CAPS_QP_LIMITS(LIMIT)};
static const struct limit queue_limits[] = {CAPS_QUEUE_LIMITS(LIMIT)};
static const struct limit object_limits[] = {CAPS_OBJECT_LIMITS(LIMIT)};
static const struct limit tag_limits[] = {
	LABELLED("max_rndv_hdr_size", tag_matching_max_header_bytes, false),
	LABELLED("max_num_tags", tag_matching_max_tags, false),
	LABELLED("max_ops", tag_matching_max_ops, false),
	LABELLED("max_sge", tag_matching_max_sge, false),
};

#define KNOWN(bit, name, word) {UINT64_C(1) << (bit), #name},
#define UNKNOWN(...)
/* The last one is newer than release 44. */
static const struct enum_name device_flags[] = {CAPS_DEVICE_FLAGS(KNOWN, UNKNOWN){0, NULL}};

static const struct enum_name odp_flags[] = {
	{1 << 0, "ODP_SUPPORT"},
	{1 << 1, "ODP_SUPPORT_IMPLICIT"},
	{0, NULL},
};
static const struct enum_name odp_operations[] = {
	{1 << 0, "SUPPORT_SEND"},	  {1 << 1, "SUPPORT_RECV"},
	{1 << 2, "SUPPORT_WRITE"},	  {1 << 3, "SUPPORT_READ"},
	{1 << 4, "SUPPORT_ATOMIC"},	  {1 << 5, "SUPPORT_SRQ"},
	{1 << 6, "SUPPORT_FLUSH"}, /* this and the next are newer than release 44 */
	{1 << 7, "SUPPORT_ATOMIC_WRITE"}, {0, NULL},
};

static const struct enum_name raw_packet_flags[] = {
	{1 << 0, "C-VLAN stripping offload"},
	{1 << 1, "Scatter FCS offload"},
	{1 << 2, "IP csum offload"},
	{1 << 3, "Delay drop"},
	{0, NULL},
};

/* Bits of enum ibv_qp_type. */
static const struct enum_name qp_types[] = {
	{1 << 8, "SUPPORT_RAW_PACKET"},
	{1 << 4, "SUPPORT_UD"},
	{1 << 2, "SUPPORT_RC"}, /* packet pacing only, and newer than release 44 */
	{0, NULL},
};

static const struct enum_name tag_flags[] = {{1 << 0, "IBV_TM_CAP_RC"}, {0, NULL}};

static const struct enum_name atomics[] = {
	{0, "ATOMIC_NONE"},
	{1, "ATOMIC_HCA"},
	{2, "ATOMIC_GLOB"},
	{0, NULL},
};

/* The tool does not print the limits of objects that the device does not have. */
static bool is_left_out(const struct caps *caps, const struct limit *limit)
{
	if (limit->offset == offsetof(struct caps, max_map_per_fmr))
		return !caps->max_fmr.value;
	return !caps->max_srq.value && (limit->offset == offsetof(struct caps, max_srq_wr) ||
					limit->offset == offsetof(struct caps, max_srq_sge));
}

static void print_limits(const struct caps *caps, const struct limit *limits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct number *number = (const void *)((const char *)caps + limits[i].offset);

		if (is_left_out(caps, &limits[i]))
			continue;
		if (limits[i].hex)
			ibv_print(1, 40, limits[i].label, "0x%" PRIx64, number->value);
		else
			ibv_print(1, 40, limits[i].label, "%d", (int)number->value);
	}
}

/* Prints a line for each flag among the first `known` names; with `rest` also the unknown flags. */
static void print_flags(const struct enum_name *names, size_t known, uint64_t flags, bool rest)
{
	for (; known && names->word; names++, known--) {
		if (flags & names->value)
			printf("\t\t\t\t\t%s\n", names->word);
		flags &= ~names->value;
	}
	if (rest && flags)
		printf("\t\t\t\t\tUnknown flags: 0x%" PRIX64 "\n", flags);
}

static void print_odp_operations(const struct ibv_view *view, const char *label, uint64_t flags)
{
	printf("\t%s:\n", label);
	if (!flags)
		printf("\t\t\t\t\tNO SUPPORT\n");
	print_flags(odp_operations, view->release < COMPAT_65 ? 6 : SIZE_MAX, flags, true);
}

static void print_odp(const struct ibv_view *view, const struct caps *caps)
{
	printf("\tgeneral_odp_caps:\n");
	print_flags(odp_flags, SIZE_MAX, caps->odp_general_caps.value, true);
	print_odp_operations(view, "rc_odp_caps", caps->rc_odp_caps.value);
	print_odp_operations(view, "uc_odp_caps", caps->uc_odp_caps.value);
	print_odp_operations(view, "ud_odp_caps", caps->ud_odp_caps.value);
	print_odp_operations(view, "xrc_odp_caps", caps->xrc_odp_caps.value);
}

static void print_clock(const struct caps *caps)
{
	if (caps->completion_timestamp_mask.value)
		printf("\tcompletion timestamp_mask:\t\t\t0x%016" PRIx64 "\n",
		       caps->completion_timestamp_mask.value);
	else
		printf("\tcompletion_timestamp_mask not supported\n");
	if (caps->hca_core_clock_khz.value)
		printf("\thca_core_clock:\t\t\t%" PRIu64 "kHZ\n", caps->hca_core_clock_khz.value);
	else
		printf("\tcore clock not supported\n");
}

static void print_qp_types(uint64_t types, size_t known)
{
	printf("\t\tsupported_qp:\n");
	print_flags(qp_types, known, types, true);
}

static void print_rss(const struct caps *caps)
{
	printf("\trss_caps:\n");
	ibv_print(2, 64, "max_rwq_indirection_tables", "%u",
		  (unsigned int)caps->rss_max_tables.value);
	ibv_print(2, 64, "max_rwq_indirection_table_size", "%u",
		  (unsigned int)caps->rss_max_table_size.value);
	ibv_print(2, 64, "rx_hash_function", "0x%x", (unsigned int)caps->rss_hash_functions.value);
	ibv_print(2, 64, "rx_hash_fields_mask", "0x%" PRIX64 "", caps->rss_hash_fields.value);
	if (caps->rss_qp_types.value)
		print_qp_types(caps->rss_qp_types.value, 2);
}

static void print_offloads(const struct ibv_view *view, const struct caps *caps)
{
	if (caps->raw_packet_caps.value) {
		printf("\traw packet caps:\n");
		print_flags(raw_packet_flags, SIZE_MAX, caps->raw_packet_caps.value, false);
	}
	ibv_print(1, 40, "device_cap_flags_ex", "0x%" PRIX64 "", caps->device_cap_flags_ex.value);
	/* The lower half repeats device_cap_flags. */
	print_flags(device_flags,
		    view->release < COMPAT_65 ? ARRAY_SIZE(device_flags) - 2 : SIZE_MAX,
		    caps->device_cap_flags_ex.value & ~(uint64_t)UINT32_MAX, true);
	printf("\ttso_caps:\n");
	ibv_print(2, 48, "max_tso", "%d", (int)caps->tso_max_size_bytes.value);
	/* Here and below the tool asks for the limit, not for the types. */
	if (caps->tso_max_size_bytes.value)
		print_qp_types(caps->tso_qp_types.value, 2);
	print_rss(caps);
	ibv_print(1, 40, "max_wq_type_rq", "%u", (unsigned int)caps->max_wq_type_rq.value);
	printf("\tpacket_pacing_caps:\n");
	ibv_print(2, 40, "qp_rate_limit_min", "%ukbps",
		  (unsigned int)caps->packet_pacing_rate_limit_min_kbps.value);
	ibv_print(2, 40, "qp_rate_limit_max", "%ukbps",
		  (unsigned int)caps->packet_pacing_rate_limit_max_kbps.value);
	if (caps->packet_pacing_rate_limit_max_kbps.value)
		print_qp_types(caps->packet_pacing_qp_types.value,
			       view->release < COMPAT_65 ? 2 : 3);
}

static void print_tags(const struct caps *caps)
{
	if (!caps->tag_matching_max_tags.value) {
		printf("\ttag matching not supported\n");
		return;
	}
	print_limits(caps, tag_limits, ARRAY_SIZE(tag_limits));
	printf("\tflags:\n");
	print_flags(tag_flags, SIZE_MAX, caps->tag_matching_caps.value, false);
}

static void print_queues(const struct caps *caps)
{
	const uint64_t count = caps->cq_moderation_max_count.value;
	const uint64_t period = caps->cq_moderation_max_period_us.value;

	if (count && period)
		printf("\n\tcq moderation caps:\n\t\tmax_cq_count:\t%u\n\t\tmax_cq_period:\t%u "
		       "us\n\n",
		       (unsigned int)count, (unsigned int)period);
	if (caps->max_device_memory_bytes.value)
		printf("\tmaximum available device memory:\t%" PRIu64 "Bytes\n\n",
		       caps->max_device_memory_bytes.value);
	ibv_print(1, 40, "num_comp_vectors", "%d", (int)caps->num_comp_vectors.value);
}

void ibv_print_caps(const struct ibv_view *view, const struct caps *caps)
{
	print_limits(caps, sizes, ARRAY_SIZE(sizes));
	ibv_print(1, 40, "device_cap_flags", "0x%08x", (unsigned int)caps->device_cap_flags.value);
	print_flags(device_flags, SIZE_MAX, caps->device_cap_flags.value, true);
	print_limits(caps, queue_limits, ARRAY_SIZE(queue_limits));
	ibv_print(1, 40, "atomic_cap", "%s (%d)",
		  enum_word(atomics, caps->atomic.value, "invalid atomic capability"),
		  (int)caps->atomic.value);
	print_limits(caps, object_limits, ARRAY_SIZE(object_limits));
	print_odp(view, caps);
	print_clock(caps);
	print_offloads(view, caps);
	print_tags(caps);
	print_queues(caps);
}

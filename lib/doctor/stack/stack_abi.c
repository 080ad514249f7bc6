/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The check of the ABI that the kernel and the library speak. */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "doctor/stack/stack.h"
#include "kernel/sysfs.h"
#include "kernel/verbs/verbs.h"

/* IB_USER_VERBS_MIN_ABI_VERSION and _MAX_ of libibverbs/kern-abi.h, rdma-core 65. */
enum { CORE_ABI_MIN = 3, CORE_ABI_MAX = 6 };

/*
 * Whether the provider that libibverbs loads is not one of its own directory, where rdma-core
 * installs those that have the known ranges. *ret_library, freed by the caller: NULL if unknown.
 */
static bool has_foreign_provider(struct doctor_context *run, const char *module, char **ret_library)
{
	const struct providers *providers = doctor_providers(run->facts);
	const char *name = verbs_provider(module);
	enum provider_state state;

	if (!name || !providers->directory || providers->rc)
		return false;
	state = providers_find(&run->facts->root, providers, name, ret_library);
	if (state == PROVIDER_ELSEWHERE)
		return true;
	return (state == PROVIDER_THERE || state == PROVIDER_LOCAL) && *ret_library &&
	       !strings_contain(&providers->libraries, *ret_library);
}

/* Judges the ABI of a driver from outside the kernel that is not in rdma-core's range. */
static struct judged judge_foreign_abi(struct doctor_context *run, const char *module)
{
	_cleanup_(freep) char *library = NULL;
	const bool foreign = has_foreign_provider(run, module, &library);

	doctor_evidence(run, "/sys/module", "%s is out of tree", module);
	if (library)
		doctor_evidence(run, "/" PROVIDERS_CONFIG, "its provider is %s", library);
	if (foreign)
		return doctor_not_checked(run, 0,
					  "driver and provider are not those of kernel and "
					  "rdma-core, so rdma-core's range need not hold");
	doctor_next_step(run, "ibv_devices shows whether libibverbs skips the device; then install "
			      "the library of the driver's vendor in the driver's release, also in "
			      "the image of each container");
	return doctor_warning(run, "the vendor's driver most likely does not match the library, so "
				   "programs do not find the device");
}

struct judged check_uverbs_abi(struct doctor_context *run)
{
	const struct device *device = run->device;
	const struct rdma_driver *row = rdma_driver_of_module(device->driver);
	struct number core = {0}, own = {0};
	int rc = doctor_core_abi(run->facts, &core);

	if (!device->uverbs)
		return doctor_does_not_apply(run);
	if (!rc)
		rc = sysfs_read_number(&run->facts->root, &own,
				       "sys/class/infiniband_verbs/%s/abi_version", device->uverbs);
	if (rc == -ENOENT && run->facts->request->root)
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no ABI version");
	if (rc)
		return doctor_unread(run, "the ABI version", "/sys/class/infiniband_verbs", rc,
				     false);
	doctor_evidence(run, "/sys/class/infiniband_verbs/abi_version",
			"kernel %" PRIu64 " (libibverbs takes %u to %u)", core.value, CORE_ABI_MIN,
			CORE_ABI_MAX);
	if (core.value < CORE_ABI_MIN || core.value > CORE_ABI_MAX)
		return doctor_error(run, "libibverbs does not know the kernel's verbs ABI");
	if (!row)
		return doctor_not_checked(run, 0, "the ABI of this driver's provider is not known");
	if (row->max_abi == RDMA_ABI_ANY)
		doctor_evidence(run, NULL, "%s %" PRIu64 " (its provider takes any)", row->module,
				own.value);
	else if (row->min_abi == row->max_abi)
		doctor_evidence(run, NULL, "%s %" PRIu64 " (rdma-core 65 takes %u)", row->module,
				own.value, row->min_abi);
	else
		doctor_evidence(run, NULL, "%s %" PRIu64 " (rdma-core 65 takes %u to %u)",
				row->module, own.value, row->min_abi, row->max_abi);
	if (own.value >= row->min_abi && own.value <= row->max_abi)
		return doctor_ok(run, "kernel and library can speak the same ABI");
	/* Broadcom's own bnxt_re and library have 6, the kernel's 1: BNXT_RE_ABI_VERSION. */
	if (doctor_module_origin(run->facts, row->module) == MODULE_ORIGIN_OTHER)
		return judge_foreign_abi(run, row->module);
	return doctor_warning(run, "the driver's ABI most likely does not match the library's");
}

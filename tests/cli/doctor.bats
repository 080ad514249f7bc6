#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# Machines on which nothing is wrong.
healthy='cx5-ib-edr cx6dx-roce cx7-ib-ndr bnxt-sriov irdma-iwarp efa opa-hfi1 roce-bond-vlan rxe-host planes forty'

@test "doctor: no false alarm on a healthy machine, in any profile" {
	local bad=0 machine profile

	for machine in $healthy; do
		for profile in auto hpc roce gpu container; do
			quickly on "$machine" doctor --profile "$profile" --fail-on warning
			[ "$status" = 0 ] && continue
			printf '%s in profile %s: status %s\n%s%s' "$machine" "$profile" "$status" "$output" "$stderr"
			bad=1
		done
	done
	[ "$bad" = 0 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# rdmactl cables. Snapshots whose netlink answers are made here stand for modules; tests/unit/test_plug
# has what their memory means, and scene devlink of the guest asks a real kernel.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

hint='rdmactl snapshot keeps what the kernel answers, if run as root'
ask='ethtool netlink'


@test "cables: a saved tree holds none, and says so" {
	on cx6dx-roce cables mlx5_0 -o device,port,netdev,kind
	expect 3 $'DEVICE PORT NETDEV    KIND\nmlx5_0    1 ens1f0np0 -' \
		"rdmactl cables: mlx5_0/1: cannot read module: a saved tree does not hold what netlink answers
  $hint"
	on cx6dx-roce cables mlx5_0 -j
	[ "$(jq -c '[.schema, .cables[0].lanes, .cables[0].link_up, .cables[0].fec, .problems[0].source]' <<<"$output")" = \
		'["rdmactl/cables/1",null,null,null,"ethtool netlink"]' ]
}

@test "cables: every format is valid and says the same" {
	machines formats cables
}

@test "cables: no device, no port" {
	on cx6dx-roce cables mlx5_9
	expect 5
	on no-rdma cables
	expect 5
}

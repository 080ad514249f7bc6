#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The settings of RDMA devices: those of saved machines, and the arguments of changes on a host
# without RDMA.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

help='rdmactl dev set --help lists the settings'

@test "dev: a saved tree has the node descriptions, and no other setting" {
	on cx6dx-roce dev --json
	[ "$status" = 3 ]
	jq -e '.problems[0].error == "a saved tree does not hold what netlink answers"' <<<"$output"
	jq -e '.dev[0] | .device == "mlx5_0" and .netns == null and .adaptive_moderation == null and
		(.node_description | startswith("stor"))' <<<"$output"
	on cx6dx-roce dev mlx5_1 -o device --no-headings
	expect 0 mlx5_1 ''
	on cx6dx-roce dev mlx5_99
	[ "$status" = 5 ]
}

@test "dev: a node description that cannot be read is a problem" {
	cp -r "$roots/cx6dx-roce" "$BATS_TEST_TMPDIR/tree"
	rm "$BATS_TEST_TMPDIR/tree/sys/class/infiniband/mlx5_0/node_desc"
	ln -s '!EIO' "$BATS_TEST_TMPDIR/tree/sys/class/infiniband/mlx5_0/node_desc"
	try dev mlx5_0 --root "$BATS_TEST_TMPDIR/tree" --json
	[ "$status" = 3 ]
	jq -e '.dev[0].node_description == null and .problems[0].attribute == "node_description"' <<<"$output"
}

@test "dev: a snapshot has the answers of its kernel, but not the name of its network namespace" {
	with_answers exclusive
	try --root "$snapshot" dev -o device,netns,adaptive_moderation,index --tsv --no-headings
	expect 0 $'mlx5_0\t\tyes\t1\nmlx5_1\t\tno\t2' ''
	with_answers shared
	try --root "$snapshot" dev mlx5_1 -o device,netns,adaptive_moderation --tsv --no-headings
	expect 0 $'mlx5_1\tshared\tno' ''
	sed -i '/^ask 20 5121 1 08000100/,/^end/d' "$snapshot/netlink/answers" # GET of one device
	try --root "$snapshot" dev mlx5_1 -o device,netns,adaptive_moderation --tsv --no-headings
	expect 3 $'mlx5_1\tshared\t' 'rdmactl dev: mlx5_1: cannot read adaptive_moderation: No data available'
}

@test "dev: a saved tree cannot be changed" {
	on cx6dx-roce dev set mlx5_0 name rdma0
	[ "$status" = 2 ]
	[[ $stderr = *'a saved tree cannot be changed'* ]]
}

@test "dev set: names that the kernel would accept and mishandle" {
	local name

	for name in '' / a/b . .. .a _a 'a b' a%b $'a\nb' ä 'a;reboot' "$(printf '%064d' 1)"; do
		try dev set mlx5_0 name "$name"
		{ [ "$status" = 2 ] && [[ $stderr = *"cannot be a name"* || $stderr = *'at most 63 characters'* ]]; } ||
			wrong "taken: '$name'"
	done
	for name in a A-b_c.d 0 "$(printf '%063d' 1)"; do
		try dev set mlx5_0 name "$name"
		[ "$status" = 5 ] || wrong "not taken: '$name'"
	done
	nothing_wrong
}

@test "dev set: node descriptions" {
	try dev set mlx5_0 node-description "$(printf '%065d' 1)"
	expect_error 2 dev 'the text has 65 bytes, but a node description at most 64' "$help"
	try dev set mlx5_0 node-description $'one\ntwo'
	expect_error 2 dev "'one\\x0atwo' contains a newline or another character that cannot be printed" "$help"
	try dev set mlx5_0 node-description 'one '
	expect_error 2 dev 'the text ends with a space' "$help"
	try dev set mlx5_0 node-description "$(printf '%064d' 1)"
	[ "$status" = 5 ]
}

@test "dev set: network namespaces" {
	local step='ip netns list shows the named ones'

	try dev set mlx5_0 netns no-such
	expect_error 2 dev "cannot open the network namespace 'no-such': No such file or directory" "$step"
	try dev set mlx5_0 netns 2147483647
	expect_error 2 dev "cannot open the network namespace '2147483647': No such file or directory" "$step"
	try dev set mlx5_0 netns /dev/zero
	expect_error 2 dev "'/dev/zero' is not a network namespace" "$step"
	try dev set mlx5_0 netns /proc/self/ns/uts
	expect_error 2 dev "'/proc/self/ns/uts' is not a network namespace" "$step"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	try dev set mlx5_0 netns "$BATS_TEST_TMPDIR/fifo"
	expect_error 2 dev "'$BATS_TEST_TMPDIR/fifo' is not a network namespace" "$step"
	try dev set mlx5_0 netns ..
	expect_error 2 dev "'..' is not a network namespace" "$step"
	try dev set mlx5_0 netns $$
	[ "$status" = 5 ]
}

@test "dev set: wrong arguments" {
	try dev set
	[ "$status" = 2 ]
	try dev set mlx5_0
	expect_error 2 dev 'no setting is given' "$help"
	try dev set mlx5_0 nam x
	expect_error 2 dev "unknown setting 'nam'" "did you mean 'name'?"
	try dev set mlx5_0 name
	expect 2 '' "rdmactl dev: 'name' needs a value: NAME
  new name: letters and digits, after the first character also _ . -"
	try dev set mlx5_0 adaptive-moderation yes
	expect_error 2 dev "'yes' is not a value of adaptive-moderation: it takes on, off" "$help"
}

@test "dev add: wrong arguments" {
	local step='rdmactl dev add --help lists the settings'

	try dev add smi0 type smi parnt mlx5_0
	expect_error 2 dev "unknown word 'parnt'" "$step"
	try dev add smi0 type smi type smi
	expect_error 2 dev "'type' is given twice" "$step"
	try dev add smi0 type sni parent mlx5_0
	expect_error 2 dev "'sni' is not a type of sub-device: the only type is smi"
	try dev add sixteen-letters- type smi parent mlx5_0
	expect_error 2 dev "'sixteen-letters-' is too long: a name has at most 15 characters"
	try dev add smi0 type smi parent a/b
	[ "$status" = 2 ]
	try dev del ..
	[ "$status" = 2 ]
	try dev add smi0 parent mlx5_0 type smi
	[ "$status" = 5 ]
	try dev del smi0
	[ "$status" = 5 ]
}

@test "dev set: without the RDMA core, nothing is loaded and the next step is shown" {
	try dev set mlx5_0 name rdma0 --json
	[ "$status" = 5 ]
	jq -e '.changed == false and .change == [] and (.problems[0].error | startswith("this system has no RDMA core"))' <<<"$output"
	try dev
	expect_error 5 dev 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint"
}

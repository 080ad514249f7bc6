#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The functions of saved machines, and the arguments that change them. A guest tests what the kernel
# does with those.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	tree=$BATS_TEST_TMPDIR/root
}

@test "sriov: physical, virtual and subfunctions" {
	on bnxt-sriov sriov
	expect 3 "$(
		cat <<'END'
FUNCTION     KIND INDEX DEVICE   NETDEV        OWNER NODE GUID           POLICY TRUST VFS MOST
0000:81:00.0 pf       - bnxt_re0 enp129s0f0np0 host  8616:0cff:fe5d:9a70 -      -       2   16
0000:81:02.0 vf       0 bnxt_re1 enp129s2v0    host  682c:90ff:fe11:e405 -      -       -    -
0000:81:02.1 vf       1 -        -             vfio  -                   -      -       -    -
END
	)" 'rdmactl sriov: cannot read policy, trust: a saved tree does not hold what netlink answers
  rdmactl snapshot keeps what the kernel answers'
	on bnxt-sriov sriov --tsv --no-headings -o index,mac,roce,policy
	expect 3 $'\t\t\t\n0\t\t\t\n1\t\t\t' 'rdmactl sriov: cannot read mac, policy: a saved tree does not hold what netlink answers
  rdmactl snapshot keeps what the kernel answers
rdmactl sriov: cannot read roce: a saved tree does not hold what netlink answers'
	on cx6dx-roce sriov --json -o function,kind,parent,index,device,driver
	[ "$status" = 0 ]
	jq -e '[.sriov[] | select(.kind == "sf") | .function, .parent, .index, .device] ==
		["mlx5_core.sf.2", "0000:65:00.0", 88, "mlx5_2"]' <<<"$output"
	# Without SR-IOV, a function is not called physical.
	on efa sriov --json -o function,kind,vfs,policy
	[ "$status" = 0 ]
	jq -e '[.sriov[] | .kind] == ["function", "function"] and .sriov[0].vfs == null' <<<"$output"
}

@test "sriov: the functions of one device" {
	on bnxt-sriov sriov bnxt_re1 --tsv --no-headings -o function
	expect 0 '0000:81:02.0' ''
	on bnxt-sriov sriov bnxt_re0 --tsv --no-headings -o function
	expect 0 $'0000:81:00.0\n0000:81:02.0\n0000:81:02.1' ''
	on bnxt-sriov sriov nosuch
	[ "$status" = 5 ]
}

@test "sriov: an unreadable number, a VF without a driver, one in another namespace" {
	cp -dR "$roots/bnxt-sriov" "$tree"
	local pf vf
	pf=$(realpath "$tree/sys/bus/pci/devices/0000:81:00.0")
	vf=$(realpath "$tree/sys/bus/pci/devices/0000:81:02.1")
	rm -f "$pf/sriov_totalvfs" "$vf/driver"
	ln -s '!EACCES' "$pf/sriov_totalvfs"
	try sriov --root "$tree" --json
	[ "$status" = 3 ]
	jq -e '[.sriov[].owner] == ["host", "host", "none"] and .sriov[0].vfs == 2 and
		.sriov[0].vfs_most == null and .problems[0].object == "0000:81:00.0"' <<<"$output"
	ln -fns '!EACCES' "$pf/virtfn1"
	try sriov --root "$tree" --json -o function,index
	[ "$status" = 3 ]
	jq -e '.sriov[2].index == null and .problems[1].object == "0000:81:02.1" and
		.problems[1].attribute == "index"' <<<"$output"
	vf=$(realpath "$tree/sys/bus/pci/devices/0000:81:02.0")
	rm -rf "$vf/net" "$vf/infiniband"
	mkdir "$vf/net"
	try sriov --root "$tree" --json -o function,owner,device
	jq -e '.sriov[1] == {function: "0000:81:02.0", owner: "namespace", device: null}' <<<"$output"
}

@test "sriov: hosts without RDMA" {
	on no-rdma sriov
	[ "$status" = 5 ]
	on rxe-host sriov
	expect 5 '' 'rdmactl sriov: no function of a PCI adapter has RDMA
  rdmactl devices shows which devices have a PCI address: software devices have none'
}

@test "sriov set: wrong arguments" {
	try sriov set
	[ "$status" = 2 ]
	try sriov set lo
	[ "$status" = 2 ]
	[[ $stderr == *'no setting is given'* ]]
	try sriov set lo vf
	expect 2 '' "rdmactl sriov: 'vf' needs the number of a VF
  rdmactl sriov lists them"
	local word
	for word in x '' 65536 1.5; do
		try sriov set lo vf "$word" policy up
		[ "$status" = 2 ]
		[[ $stderr == *"'$word' is not the number of a VF"* ]]
	done
	try sriov set lo vf 0 policy sideways
	expect 2 '' "rdmactl sriov: 'sideways' is not a value of policy: it takes auto, up, down
  rdmactl sriov set --help lists the settings"
	try sriov set lo vf 0 node-guid 00:11:22
	[ "$status" = 2 ]
	[[ $stderr == *"'00:11:22' is not a GUID"* ]]
	try sriov set lo vf 0 vfs 3
	[ "$status" = 2 ]
	[[ $stderr == *"unknown setting 'vfs'"* ]]
	for word in nosuchdev0 ../../x .. 'a b' $'\e[1m' ''; do
		try sriov set "$word" enable-roce on --dry-run
		[ "$status" = 5 ]
		[[ $stderr == *'there is no RDMA device, netdev or PCI function'* && $stderr != *$'\e'* ]]
	done
}

@test "sriov set: a netdev without functions" {
	try sriov set lo vfs 1 --dry-run
	[ "$status" = 1 ]
	[[ $stderr == *'lo has no SR-IOV'* ]]
	try sriov set lo vf 1 policy up --dry-run --json
	[ "$status" = 1 ]
	jq -e '.changed == false and (.change[0] | .object == "lo vf 1" and .state == "failed" and
		.reason == "there is no VF 1: the function has 0")' <<<"$output"
	try sriov set lo enable-roce off --dry-run
	[ "$status" = 1 ]
	[[ $stderr == *'the driver of lo has no devlink'* ]]
}

# As on a BlueField, where the uplink p0 comes after the representors.
@test "sriov: the netdev of a function is not that of a representor" {
	local class=$tree/sys/class nets target

	cp -dR "$roots/cx6dx-roce" "$tree"
	nets=$(readlink -f "$class/net/ens1f0np0")
	target=$(readlink "$class/net/ens1f0np0")
	cp -a "$nets" "${nets%/*}/en3f0pf0sf0"
	echo 77 | tee "${nets%/*}/en3f0pf0sf0/ifindex" >"${nets%/*}/en3f0pf0sf0/iflink"
	ln -s "${target%/*}/en3f0pf0sf0" "$class/net/en3f0pf0sf0"
	try --root "$tree" sriov mlx5_0 --tsv --no-headings -o function,netdev
	expect 0 $'0000:65:00.0\tens1f0np0\nmlx5_core.sf.2\tenp101s0f0s88' ''
}

# There may be hundreds, and as many links: looking through all of them for each is slow.
@test "sriov: the number of a VF, from its own link alone if the numbers follow the addresses" {
	local pf trace=$BATS_TEST_TMPDIR/trace forbidden

	cp -a "$roots/bnxt-sriov" "$tree"
	pf=$(realpath "$tree/sys/bus/pci/devices/0000:81:00.0")
	# With openat2(), and without it: then each folder is opened alone.
	for forbidden in '' '-e inject=openat2:error=EPERM'; do
		# shellcheck disable=SC2086 # none or two
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -qq -e trace=openat,openat2 $forbidden -o "$trace" \
			"$binary" sriov --root "$tree" >/dev/null 2>&1 || [ $? = 3 ]
		[ "$(sed -n '/ = -1 /!s/.*[/"]\(virtfn[0-9]*\)".*/\1/p' "$trace" | tr '\n' ' ')" = 'virtfn0 virtfn1 ' ]
	done
	# Numbers with a gap, and in another order.
	mv "$pf/virtfn1" "$pf/virtfn7"
	try sriov --root "$tree" --tsv --no-headings -o function,index
	same gap $'0000:81:00.0\t\n0000:81:02.0\t0\n0000:81:02.1\t7' "${output%$'\n'}"
	mv "$pf/virtfn0" "$pf/virtfn1"
	mv "$pf/virtfn7" "$pf/virtfn0"
	try sriov --root "$tree" --tsv --no-headings -o function,index
	same order $'0000:81:00.0\t\n0000:81:02.0\t1\n0000:81:02.1\t0' "${output%$'\n'}"
	rm "$pf/virtfn1"
	try sriov --root "$tree" --tsv --no-headings -o function,index
	same none $'0000:81:00.0\t\n0000:81:02.0\t\n0000:81:02.1\t0' "${output%$'\n'}"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

rdma=sys/class/infiniband
net=sys/class/net

# break_file PATH ERRNO: makes a file of the tree unreadable.
break_file()
{
	put "$1" "!$2"
}

# check STATUS ID VERDICTS [OPTION...]: compares the results, one line each, OBJECT VERDICT SUMMARY;
# if VERDICTS has no ok, results that are ok do not count.
check()
{
	local got='' row "${columns[@]}"

	ask "$2" "${@:4}"
	for row in "${rows[@]}"; do
		look "$row"
		[[ $verdict = ok && $3 != *' ok '* ]] || got+="${got:+$'\n'}${object:--} $verdict $summary"
	done
	same verdicts "$3" "$got"
	same status "$1" "$status"
}

# down DEVICE NETDEV [STATE]: takes the link of a port down.
down()
{
	put "$rdma/$1/ports/1/state" '1: DOWN'
	put "$rdma/$1/ports/1/phys_state" "${3-3: Disabled}"
	put "$net/$2/operstate" down
	put "$net/$2/carrier" 0
}

@test "port-state: active, and without a subnet manager" {
	copy cx5-ib-edr
	check 0 port-state $'mlx5_0/1 ok the port is active\nmlx5_1/1 ok the port is active'
	member mlx5_0/1 evidence 'state active, physical state link-up'
	put $rdma/mlx5_0/ports/1/state '2: INIT'
	put $rdma/mlx5_1/ports/1/state '2: INIT'
	quickly try doctor --root "$tree" --only port-state
	expect 4 "error    2 of 2 ports: the link is up, but no subnet manager has configured the port [port-state]
         state init, physical state link-up
         -> start a subnet manager, or connect the port to a subnet that has one: rdmactl smp sminfo shows whether one answers
1 checked: 1 error (profile hpc; -a lists all)" ''
	put $rdma/mlx5_0/ports/1/phys_state '4: PortConfigurationTraining'
	put $rdma/mlx5_1/ports/1/state '3: ARMED'
	check 4 port-state "mlx5_0/1 error the port is initialized, but not active
mlx5_1/1 error the subnet manager has configured the port, but not activated it"
	put $rdma/mlx5_0/ports/1/state '5: ACTIVE_DEFER'
	put $rdma/mlx5_1/ports/1/state '0: NOP'
	check 4 port-state "mlx5_0/1 error the active port lost its link, which is training again
mlx5_1/1 not-checked the driver does not report the state of the port"
}

@test "port-state: an adapter that may be set to the other protocol" {
	local polls='nothing answers on the link: check the cable, and that the port at its other end is switched on'

	copy cx5-ib-edr
	for device in mlx5_0 mlx5_1; do
		put "$rdma/$device/ports/1/state" '1: DOWN'
		put "$rdma/$device/ports/1/phys_state" '2: Polling'
	done
	check 0 port-state $'mlx5_0/1 note the port is down, and nothing shows that it should be up\nmlx5_1/1 note the port is down, and nothing shows that it should be up'
	member mlx5_0/1 next_step "$polls; if that is an Ethernet port, the adapter has to be set to Ethernet (LINK_TYPE of mlxconfig)"
	# The other one is up, so the setting is right.
	put $rdma/mlx5_1/ports/1/state '4: ACTIVE'
	ask port-state
	member mlx5_0/1 next_step "$polls"
	# ConnectX-6 Dx has no such setting, ConnectX-6 may have it.
	copy cx6dx-roce
	ask port-state
	member mlx5_1/1 next_step 'check the cable and the switch port: ethtool ens1f1np1 shows more'
	put $rdma/mlx5_1/device/device 0x101b
	ask port-state
	member mlx5_1/1 next_step 'check the cable and the switch port: ethtool ens1f1np1 shows more; if the switch has InfiniBand, the adapter has to be set to that (LINK_TYPE of mlxconfig)'
}

@test "port-state: a state that cannot be read" {
	copy cx5-ib-edr
	break_file $rdma/mlx5_0/ports/1/state EIO
	break_file $rdma/mlx5_1/ports/1/phys_state EACCES
	check 3 port-state "mlx5_0/1 not-checked the state of the port is not known
mlx5_1/1 not-checked the state of the port is not known"
	quickly try doctor --root "$tree" --only port-state --json
	[ "$(jq -r '.problems[] | "\(.object) \(.attribute) \(.error)"' <<<"$output")" = \
		"mlx5_0/1 state Input/output error
mlx5_1/1 physical_state Permission denied" ]
	copy efa
	check 0 port-state "efa_1/1 not-checked the driver reports every port as active, whatever its link does
rdmap0s31/1 not-checked the driver reports every port as active, whatever its link does"
}

@test "port-state: a port that is down is only a fault if something needs it" {
	local cable='check the cable and the switch port: ethtool'

	copy cx6dx-roce
	check 0 port-state "mlx5_0/1 ok the port is active
mlx5_1/1 note the port is down, and nothing shows that it should be up
mlx5_2/1 ok the port is active"
	member mlx5_1/1 evidence 'state down, physical state disabled; netdev ens1f1np1 has no carrier'
	member mlx5_1/1 next_step "$cable ens1f1np1 shows more"
	break_file $net/ens1f1np1/carrier EINVAL
	put $net/ens1f1np1/carrier_changes 6
	check 0 port-state 'mlx5_1/1 note the port is down, and nothing shows that it should be up'
	member mlx5_1/1 evidence 'state down, physical state disabled; netdev ens1f1np1 is administratively down; it was up before (6 carrier changes)'
	member mlx5_1/1 next_step 'switch it on: ip link set ens1f1np1 up'
	# A port that is down has no rate to judge.
	check 0 port-state,port-rate 'mlx5_1/1 note the port is down, and nothing shows that it should be up
mlx5_1/1 not-checked not checked because of port-state'

	# A member of a bond with GIDs that name the member itself.
	copy cx7-ib-ndr
	for slot in "$tree/$rdma"/mlx5_bond_0/ports/1/gid_attrs/ndevs/*; do
		[ -L "$slot" ] || echo ens6f0np0 >"$slot"
	done
	down mlx5_bond_0 ens6f0np0
	down mlx5_5 ibp171s0
	check 4 port-state 'mlx5_5/1 warning the port is down, but most others like it are up
mlx5_bond_0/1 error the port is down, and this host is set up to use it'
	member mlx5_bond_0/1 evidence 'state down, physical state disabled; netdev ens6f0np0 has no carrier; it was up before (2 carrier changes); ens6f0np0 is a member of bond0'
}

@test "port-state: a virtual function that is down has no cable" {
	local follow='on the host of the physical function, see whether its own port is up, then let this one follow it: ip link set PF vf N state auto; in switchdev mode, set its representor up'

	copy bnxt-sriov
	down bnxt_re1 enp129s2v0
	check 0 port-state 'bnxt_re1/1 note the port is down, and nothing shows that it should be up'
	member bnxt_re1/1 next_step "$follow"
	# In a virtual machine the IDs show it.
	copy cx5-ib-edr
	down mlx5_0 ib0 '2: Polling'
	put sys/bus/pci/devices/0000:3b:00.0/device 0x101a
	check 0 port-state 'mlx5_0/1 note the port is down, and nothing shows that it should be up'
	member mlx5_0/1 next_step "$follow"
}

@test "port-state: a port that is down while others like it are up" {
	local down='the port is down,'

	copy cx7-ib-ndr
	check 4 port-state "mlx5_5/1 warning $down but most others like it are up"
	member mlx5_5/1 evidence 'state down, physical state polling; 7 of 7 other ports of the board MT_0000000838 in this position are active'
	member mlx5_5/1 next_step 'nothing answers on the link: check the cable, and that the port at its other end is switched on'
	# The port had a carrier, and lost it.
	put $net/ibp171s0/carrier_changes 2
	put $rdma/mlx5_5/ports/1/phys_state '3: Disabled'
	check 4 port-state 'mlx5_5/1 error the port went down, but others like it are up'
	member mlx5_5/1 evidence 'state down, physical state disabled; it was up before (2 carrier changes); 7 of 7 other ports of the board MT_0000000838 in this position are active'
	member mlx5_5/1 next_step "the port is disabled: enable it from the subnet (as ibportstate does), or in the adapter's settings"
	put $net/ibp171s0/carrier_changes 1
	put $rdma/mlx5_5/ports/1/phys_state '4: PortConfigurationTraining'
	check 4 port-state "mlx5_5/1 warning $down but most others like it are up"
	member mlx5_5/1 next_step 'the link fails to train: try another cable, and another port at the other end'
	# Two of eight are down, then three: too many for an accident.
	down mlx5_4 ibp154s0 '2: Polling'
	check 4 port-state "mlx5_4/1 warning $down but most others like it are up
mlx5_5/1 warning $down but most others like it are up"
	down mlx5_3 ibp79s0 '2: Polling'
	check 0 port-state "mlx5_3/1 note $down and nothing shows that it should be up
mlx5_4/1 note $down and nothing shows that it should be up
mlx5_5/1 note $down and nothing shows that it should be up"

	# Another board, or the second function of a card, has no peers.
	copy cx7-ib-ndr
	put $rdma/mlx5_5/board_id MT_0000000999
	check 0 port-state "mlx5_5/1 note $down and nothing shows that it should be up"
	# Without the name of the board, the PCI IDs decide.
	for device in "$tree/$rdma"/mlx5_?; do put "$rdma/${device##*/}/board_id" ''; done
	check 4 port-state "mlx5_5/1 warning $down but most others like it are up"
	member mlx5_5/1 evidence 'state down, physical state polling; 7 of 7 other ports of this model in this position are active'
	put $rdma/mlx5_5/device/subsystem_device 0x0001
	check 0 port-state "mlx5_5/1 note $down and nothing shows that it should be up"
}

@test "port-rate: slower than others like it" {
	copy cx7-ib-ndr
	check 4 port-rate 'mlx5_5/1 warning the link runs at the lowest InfiniBand speed
mlx5_6/1 warning the port is slower than others like it'
	member mlx5_6/1 evidence '200 Gb/s (2X NDR); mlx5_0/1 and more ports of the board MT_0000000838 in this position: 400 Gb/s (4X NDR)'
	put $rdma/mlx5_5/ports/1/rate '400 Gb/sec (4X NDR)'
	put $rdma/mlx5_6/ports/1/rate '400 Gb/sec (4X NDR)'
	check 0 port-rate ''
	put $rdma/mlx5_6/ports/1/rate '100 Gb/sec (1X NDR)'
	check 4 port-rate 'mlx5_6/1 warning the link runs with only some of its lanes'
	# Adapters with two lanes exist as products: nothing is wrong if all are alike.
	for device in "$tree/$rdma"/mlx5_?; do
		echo '200 Gb/sec (2X NDR)' >"$device/ports/1/rate"
	done
	check 0 port-rate ''
	put $rdma/mlx5_6/ports/1/rate '50 Gb/sec (2X EDR)'
	check 4 port-rate 'mlx5_6/1 warning the link runs with only some of its lanes'
	break_file $rdma/mlx5_6/ports/1/rate EINVAL
	check 3 port-rate 'mlx5_6/1 not-checked the rate of the port is not known'
}

@test "port-rate: an Ethernet port has the speed of its netdev" {
	local text="mlx5_1/1 warning the port is slower than others like it"

	# Two cards of the same board, each with one port.
	copy bad-rate
	for n in 0 1 2; do put $rdma/mlx5_$n/ports/1/link_layer Ethernet; done
	put $rdma/mlx5_1/ports/1/phys_state '5: LinkUp'
	put $rdma/mlx5_1/ports/1/rate '200 Gb/sec (4X HDR)'
	check 0 port-rate 'mlx5_0/1 ok the port is as fast as others like it
mlx5_1/1 ok the port is as fast as others like it
mlx5_2/1 ok the port is as fast as others like it'
	put $rdma/mlx5_1/ports/1/rate '100 Gb/sec (4X EDR)'
	check 4 port-rate "$text"
	member mlx5_1/1 evidence '100 Gb/s; mlx5_0/1 and more ports of the board MT_0000000223 in this position: 200 Gb/s'
	# The driver's rate is coarse; the netdev's is exact.
	copy cx7-ib-ndr
	for n in 0:24 1:41 2:64; do
		put $rdma/mlx5_${n%:*}/ports/1/link_layer Ethernet
		mkdir -p "$tree/$rdma/mlx5_${n%:*}/ports/1/gid_attrs/ndevs"
		put $rdma/mlx5_${n%:*}/ports/1/gid_attrs/ndevs/0 ibp${n#*:}s0
	done
	check 0 port-rate '' --skip port-state mlx5_0 mlx5_1 mlx5_2
	# A speed of 0 is no speed.
	put $net/ibp41s0/speed 0
	check 0 port-rate '' --skip port-state mlx5_0 mlx5_1 mlx5_2
	put $net/ibp41s0/speed 200000
	check 4 port-rate "$text" mlx5_0 mlx5_1 mlx5_2
	member mlx5_1/1 evidence '200 Gb/s; mlx5_0/1 and more ports of the board MT_0000000838 in this position: 400 Gb/s'
	break_file $net/ibp41s0/speed EINVAL
	check 0 port-rate '' mlx5_0 mlx5_1 mlx5_2
}

# vpd DIRECTORY FIELD: writes the vital product data of a function, with one vendor field.
vpd()
{
	local rest size

	printf -v size '\\x%02x' ${#2}
	printf -v rest '\\x%02x' $((${#2} + 3))
	# shellcheck disable=SC2059 # the lengths are part of the format
	printf "\x82\x04\x00card\x90$rest\x00V0$size%s\x78" "$2" >"$tree/$1/vpd"
}

@test "nvswitch-pf: an adapter that is not for traffic explains its port" {
	copy cx7-ib-ndr
	check 0 nvswitch-pf "$(printf 'mlx5_%d not-checked the adapter has no vital product data\n' {0..7})"
	for device in "$tree/$rdma"/mlx5_?; do
		vpd "$rdma/${device##*/}/device" MLX:MODL=D2200:UUID=V3
	done
	check 0 nvswitch-pf "$(printf 'mlx5_%d ok the adapter does not manage NVSwitches\n' {0..7})"
	vpd sys/bus/pci/devices/0000:ab:00.0 MLX:MODL=D2200:SMDL=SW_MNG:UUID=V3
	check 0 nvswitch-pf,restricted-pf,port-state "mlx5_5 note the adapter manages the NVSwitches, and is not for traffic
mlx5_5 not-checked not checked because of nvswitch-pf
mlx5_5/1 not-checked not checked because of nvswitch-pf"
	member mlx5_5 evidence $'SMDL=SW_MNG in the vital product data\n'
	quickly try doctor --root "$tree" --only nvswitch-pf --profile hpc
	expect 0 'note     mlx5_5: the adapter manages the NVSwitches, and is not for traffic [nvswitch-pf]
         SMDL=SW_MNG in the vital product data
         -> exclude mlx5_5 from jobs and monitoring: NCCL_IB_HCA=^=mlx5_5
1 checked: 1 note (profile hpc; -a lists all)' ''
	printf '\x90\xff\xff' >"$tree/sys/bus/pci/devices/0000:ab:00.0/vpd"
	check 0 nvswitch-pf 'mlx5_5 not-checked the vital product data are damaged'
	break_file sys/bus/pci/devices/0000:ab:00.0/vpd EIO
	check 3 nvswitch-pf 'mlx5_5 not-checked the vital product data cannot be read'
	# ConnectX-6 and Ethernet adapters cannot have this role.
	copy cx6dx-roce
	check 0 nvswitch-pf ''
}

@test "restricted-pf: nothing more is read from a device that refuses" {
	copy cx5-ib-edr
	check 0 restricted-pf 'mlx5_0 ok the performance counters may be read
mlx5_1 ok the performance counters may be read'
	break_file $rdma/mlx5_0/ports/1/counters/symbol_error EINVAL
	check 0 restricted-pf 'mlx5_0 note the device refuses to be read: probably a restricted function'
	member mlx5_0 evidence 'ports/N/counters/symbol_error: Invalid argument'
	check 0 restricted-pf,link-errors 'mlx5_0 note the device refuses to be read: probably a restricted function
mlx5_0/1 not-checked not checked because of restricted-pf
mlx5_1/1 note error counters are at their maximum, so growth cannot be seen' --interval 10ms
	# Only one counter is tried. Files are also opened relative to an open folder.
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -y -o "$BATS_TEST_TMPDIR/trace" "$binary" doctor --root "$tree" \
		--interval 10ms --only port >/dev/null 2>&1 || :
	whole_paths "$BATS_TEST_TMPDIR/trace"
	[ "$(grep -o 'mlx5_0/ports/1/[a-z_]*counters[^">]*' "$BATS_TEST_TMPDIR/trace" | sort -u)" = \
		mlx5_0/ports/1/counters/symbol_error ]
	grep -q mlx5_1/ports/1/counters/link_downed "$BATS_TEST_TMPDIR/trace"
	break_file $rdma/mlx5_0/ports/1/counters/symbol_error EIO
	check 3 restricted-pf 'mlx5_0 not-checked a counter of the port cannot be read'
	for file in "$tree/$rdma"/mlx5_1/ports/1/counters/*; do echo 'N/A (no PMA)' >"$file"; done
	check 3 restricted-pf 'mlx5_0 not-checked a counter of the port cannot be read
mlx5_1 note the driver has no performance counters for the port'
	copy rxe-host
	check 0 restricted-pf ''
}

@test "pkey: full, limited and no membership" {
	copy cx5-ib-edr
	check 0 pkey 'mlx5_0/1 ok the port is a full member of a partition
mlx5_1/1 ok the port is a full member of a partition'
	member mlx5_0/1 evidence '0x7fff, 0x8001'
	for slot in "$tree/$rdma"/mlx5_0/ports/1/pkeys/*; do echo 0x0000 >"$slot"; done
	put $rdma/mlx5_1/ports/1/pkeys/0 0x7fff
	put $rdma/mlx5_1/ports/1/pkeys/1 0x0001
	check 4 pkey 'mlx5_0/1 error the port is in no partition
mlx5_1/1 warning the port is a limited member of all its partitions'
	member mlx5_0/1 evidence 'all keys are 0'
	member mlx5_1/1 evidence '0x7fff, 0x0001'
	# 0x8000 is an empty slot, too.
	put $rdma/mlx5_0/ports/1/pkeys/3 0x8000
	check 4 pkey 'mlx5_0/1 error the port is in no partition
mlx5_1/1 warning the port is a limited member of all its partitions'
	break_file $rdma/mlx5_0/ports/1/pkeys/0 EIO
	put $rdma/mlx5_1/ports/1/pkeys/0 none
	check 3 pkey 'mlx5_0/1 not-checked the P_Key table cannot be read
mlx5_1/1 not-checked the P_Key table cannot be read'
	put $rdma/mlx5_1/ports/1/state '2: INIT'
	check 3 pkey 'mlx5_0/1 not-checked the P_Key table cannot be read
mlx5_1/1 not-checked a port that is not active has no partitions yet'
	copy cx6dx-roce
	check 0 pkey ''
}

# save [SECONDS]: saves the counters of the tree in $saved, as if that many seconds ago.
save()
{
	local -x TZ=UTC0
	local time

	saved=$BATS_TEST_TMPDIR/saved.json
	quickly try counters --save "$saved" --root "$tree"
	[ -s "$saved" ]
	save_begin=$EPOCHREALTIME
	printf -v time '%(%FT%T)T.%sZ' $((${save_begin%.*} - ${1:-10})) "${save_begin: -6:3}"
	sed -i "0,/\"time\": \"[^\"]*\"/s//\"time\": \"$time\"/" "$saved"
}

# of_ten_seconds PATTERN: checks the evidence, in which PATTERN captures the seconds since `save`.
of_ten_seconds()
{
	look "${rows[0]}"
	[[ $evidence =~ $1 ]]
	is_between 10 "${BASH_REMATCH[1]}" "$(awk "BEGIN { print 10 + $EPOCHREALTIME - $save_begin }")"
}

# grow FILE [BY]: increases a counter of the tree.
grow()
{
	local count

	read -r count <"$tree/$1"
	put "$1" $((count + ${2:-1}))
}

@test "link-flaps: windows from seconds to days" {
	local port=$rdma/mlx5_0/ports/1/counters day=86400 went='the link went down'

	copy cx5-ib-edr
	quickly try doctor --root "$tree" --only link-flaps
	expect 0 '0 checked; 1 needs --interval or --since (profile hpc; -a lists all)' ''
	save
	check 0 link-flaps 'mlx5_0/1 ok the link did not go down
mlx5_1/1 ok the link did not go down' --since "$saved"
	grow $port/link_downed
	check 4 link-flaps "mlx5_0/1 warning $went" --since "$saved"
	of_ten_seconds "^link_downed \\+1 in ([0-9.]+) s; 3 in 12 h are a warning, 5 in 24 h an error$"
	save $((5 * 3600))
	grow $port/link_downed
	check 0 link-flaps "mlx5_0/1 note $went" --since "$saved"
	member mlx5_0/1 evidence 'link_downed +1 in 5.0 h; 3 in 12 h are a warning, 5 in 24 h an error'
	grow $port/link_downed 2
	check 4 link-flaps "mlx5_0/1 warning $went" --since "$saved"
	grow $port/link_downed 2
	check 4 link-flaps "mlx5_0/1 error $went" --since "$saved"
	save $((7 * day))
	grow $port/link_downed 34
	check 0 link-flaps "mlx5_0/1 note $went" --since "$saved"
	member mlx5_0/1 evidence 'link_downed +34 in 168.0 h; 3 in 12 h are a warning, 5 in 24 h an error'
	grow $port/link_downed 2
	check 4 link-flaps "mlx5_0/1 error $went" --since "$saved"
}

@test "link-flaps: counters that were reset, are full, or are not there" {
	local port=$rdma/mlx5_0/ports/1/counters

	copy cx5-ib-edr
	put $port/link_downed 7
	save
	put $port/link_downed 2
	check 0 link-flaps 'mlx5_0/1 not-checked the counters were reset between the two readings' --since "$saved"
	put $port/link_downed 255
	save
	check 0 link-flaps 'mlx5_0/1 note error counters are at their maximum, so growth cannot be seen' --since "$saved"
	member mlx5_0/1 next_step 'clear them, then look again: rdmactl perf --via mlx5_0/1 --errors --reset'
	break_file $port/link_downed EIO
	check 3 link-flaps 'mlx5_0/1 not-checked the counters of the port cannot be read' --since "$saved"
	# The carrier of the netdev counts too, but no saved file has it.
	check 0 link-flaps 'mlx5_0/1 not-checked nothing grew, but nothing ever does in a saved tree
mlx5_1/1 not-checked nothing grew, but nothing ever does in a saved tree' --interval 10ms
	# A busy machine takes longer than the interval.
	look "${rows[0]}"
	[[ $evidence =~ ^'link_downed cannot be read; ib0 carrier_down_count +0 in '[0-9]+\.[0-9]' s'$ ]]
	copy cx6dx-roce
	save
	check 0 link-flaps "$(printf 'mlx5_%d/1 not-checked the saved file does not have the carrier counts of netdevs\n' 0 1 2)" \
		--since "$saved"
	member mlx5_0/1 next_step 'take two readings instead: rdmactl doctor --interval 10s'
	# A file of some devices says nothing about the others.
	copy cx5-ib-edr
	quickly try counters --save "$saved" --root "$tree" mlx5_0
	check 0 link-flaps 'mlx5_1/1 not-checked the saved file does not have the counters of this port' --since "$saved"
	member mlx5_1/1 next_step 'rdmactl counters --save FILE, without naming devices, saves those of all'
	check 0 link-errors 'mlx5_1/1 not-checked the saved file does not have the counters of this port' --since "$saved"
	copy irdma-iwarp
	rm "$tree/$net"/*/carrier_*
	check 0 link-flaps 'iwp24s0f0/1 not-checked nothing counts how often the link goes down
iwp24s0f1/1 not-checked nothing counts how often the link goes down' --interval 10ms
}

@test "link-flaps: the carrier of a netdev, and of the members of its bond" {
	local file was

	# went_down BEFORE AFTER: the link goes down between the two readings, as seen by another counter.
	went_down()
	{
		quickly try_between "$1" "$2" doctor --root "$tree" --only link-flaps "${table[@]}" mlx5_bond_0
		split
		look "${rows[0]}"
		same verdict 'mlx5_bond_0/1 warning the link went down' "$object $verdict $summary"
		same status 4 "$status"
	}
	copy cx7-ib-ndr
	file=$tree/$net/ens6f1np1/carrier_down_count
	was=$(<"$file")
	# shellcheck disable=SC2016 # for the function
	went_down 'echo "$was" >"$file"' 'echo 2 >"$file"'
	[[ $evidence =~ 'bond0 carrier_down_count +0 in '([0-9.]+)' s'.*'ens6f0np0 carrier_down_count +0 in'.*'ens6f1np1 carrier_down_count +1 in' ]]
	is_between "$least" "${BASH_REMATCH[1]}" "$most"
	# Before Linux 4.16 only changes are counted, two for each loss.
	rm "$tree/$net"/*/carrier_down_count
	was=$(<"$tree/$net/ens6f0np0/carrier_changes")
	went_down "put $net/ens6f0np0/carrier_changes $was" "grow $net/ens6f0np0/carrier_changes 5"
	[[ $evidence =~ 'ens6f0np0 carrier_changes +3 in '([0-9.]+)' s' ]]
	is_between "$least" "${BASH_REMATCH[1]}" "$most"
}

@test "link-errors: each counter at its limit" {
	local port=$rdma/mlx5_0/ports/1/counters few='the link has a few errors, below the limits'
	local many='the link has more errors than its standard allows'

	copy cx5-ib-edr
	put $rdma/mlx5_1/ports/1/counters/local_link_integrity_errors 0
	put $rdma/mlx5_1/ports/1/counters/symbol_error 0
	for file in "$tree/$rdma"/mlx5_[01]/ports/1/counters/*; do echo 3 >"$file"; done
	save
	check 0 link-errors 'mlx5_0/1 ok the link has no errors
mlx5_1/1 ok the link has no errors' --since "$saved"
	grow $port/symbol_error 9
	check 0 link-errors "mlx5_0/1 note $few" --since "$saved"
	of_ten_seconds "^symbol_errors \\+9 in ([0-9.]+) s \\(limit 120 per hour\\)$"
	grow $port/symbol_error
	check 4 link-errors "mlx5_0/1 warning $many" --since "$saved"
	save 7200
	grow $port/symbol_error 239
	check 0 link-errors "mlx5_0/1 note $few" --since "$saved"
	grow $port/symbol_error 2
	check 4 link-errors "mlx5_0/1 warning $many" --since "$saved"
	save
	grow $port/link_error_recovery 5
	check 0 link-errors "mlx5_0/1 note $few" --since "$saved"
	grow $port/link_error_recovery
	check 4 link-errors "mlx5_0/1 warning $many" --since "$saved"
	grow $port/local_link_integrity_errors
	check 4 link-errors 'mlx5_0/1 error the link damages data, or overruns the buffers' --since "$saved"
	look "${rows[0]}"
	[[ $evidence = 'local_link_integrity_errors +1 in '*' (limit 0); link_error_recoveries +6 in '*' (limit 5 per minute)' ]]
	save
	grow $port/excessive_buffer_overrun_errors
	check 4 link-errors 'mlx5_0/1 error the link damages data, or overruns the buffers' --since "$saved"
	# An old error does not count as a new one.
	save
	check 0 link-errors '' --since "$saved"
}

@test "link-errors: RoCE, saturated counters, and no counters" {
	local many='the link has more errors than its standard allows'
	local some='some counters of the port are in one reading only'

	copy cx6dx-roce
	save 3600
	put $net/ens1f0np0/statistics/rx_crc_errors 1000
	# What the file lacks may have grown by any number.
	check 0 link-errors "mlx5_0/1 not-checked $some" --since "$saved"
	member mlx5_0/1 evidence 'rx_crc_errors is in one reading only'
	save 3700
	grow $net/ens1f0np0/statistics/rx_crc_errors 120
	check 0 link-errors 'mlx5_0/1 note the link has a few errors, below the limits' --since "$saved"
	grow $net/ens1f0np0/statistics/rx_crc_errors 10
	check 4 link-errors "mlx5_0/1 warning $many" --since "$saved"
	save
	grow $rdma/mlx5_0/ports/1/hw_counters/rx_icrc_encapsulated
	check 4 link-errors 'mlx5_0/1 warning packets were damaged or changed on the way, but not by a link' --since "$saved"
	look "${rows[0]}"
	[[ $evidence = 'rx_icrc_errors +1 in '*' (limit 0)' ]]
	drop $rdma/mlx5_0/ports/1/hw_counters
	save
	put $rdma/mlx5_0/ports/1/hw_counters/rx_icrc_encapsulated 5000
	check 0 link-errors "mlx5_0/1 not-checked $some" --since "$saved"
	member mlx5_0/1 evidence 'rx_icrc_errors is in one reading only'
	copy cx5-ib-edr
	save
	check 0 link-errors 'mlx5_1/1 note error counters are at their maximum, so growth cannot be seen' --since "$saved"
	for file in "$tree/$rdma"/mlx5_0/ports/1/counters/*_errors; do
		rm "$file"
		ln -s '!EIO' "$file"
	done
	break_file $rdma/mlx5_0/ports/1/counters/link_error_recovery EIO
	# The counters that can be read did not grow.
	check 3 link-errors 'mlx5_0/1 not-checked the counters of the port cannot be read
mlx5_1/1 note error counters are at their maximum, so growth cannot be seen' --since "$saved"
	copy cx5-ib-edr
	put $rdma/mlx5_0/ports/1/counters/symbol_error 9
	save
	put $rdma/mlx5_0/ports/1/counters/symbol_error 0
	check 0 link-errors 'mlx5_0/1 not-checked the counters were reset between the two readings
mlx5_1/1 note error counters are at their maximum, so growth cannot be seen' --since "$saved"
	rm -r "$tree/$rdma"/mlx5_?/ports/1/{hw_,}counters
	check 0 link-errors 'mlx5_0/1 not-checked nothing counts link errors
mlx5_1/1 not-checked nothing counts link errors' --interval 1ms
}

@test "--interval: the second reading does not come from a driver's cache" {
	local begin

	copy cx5-ib-edr
	put $rdma/mlx5_1/ports/1/hw_counters/lifespan 700
	begin=${EPOCHREALTIME/./}
	try doctor --root "$tree" --only link-errors --interval 1ms
	[ $((${EPOCHREALTIME/./} - begin)) -ge 700000 ]
}

@test "--interval: nothing grows in a snapshot" {
	local snapshot=$BATS_TEST_TMPDIR/snapshot

	mkdir -p "$snapshot/netlink"
	cp -dR "$roots/cx5-ib-edr" "$snapshot/root"
	printf '{}\n' >"$snapshot/manifest.json"
	printf 'rdmactl-recording/1 little 64\n' >"$snapshot/netlink/answers"
	SECONDS=0
	try doctor --root "$snapshot" --interval 300s --only link-flaps,link-errors,pcie-errors --jsonl -o check,verdict,needs
	[ "$SECONDS" -lt 100 ]
	[ "$output" = '{"check": "link-flaps", "verdict": "not-checked", "needs": ["live"]}
{"check": "link-errors", "verdict": "not-checked", "needs": ["live"]}
{"check": "pcie-errors", "verdict": "not-checked", "needs": ["live"]}
' ] || wrong "$output"
	nothing_wrong
}

@test "--since: a file of another host, of another boot, and no file" {
	copy cx5-ib-edr
	mkdir -p "$tree"/proc/sys/kernel/random
	echo node1 >"$tree"/proc/sys/kernel/hostname
	echo boot-1 >"$tree"/proc/sys/kernel/random/boot_id
	save
	check 0 link-errors \
		'mlx5_1/1 note error counters are at their maximum, so growth cannot be seen' --since "$saved"
	echo boot-2 >"$tree"/proc/sys/kernel/random/boot_id
	quickly try doctor --root "$tree" --since "$saved" --only link-errors
	[ "$status" = 1 ]
	[[ $stderr = "rdmactl doctor: the host was restarted after $saved was saved ("* ]]
	[[ $stderr = *$'\n  save again: rdmactl counters --save FILE\n' ]]
	[ -z "$output" ]
	echo node2 >"$tree"/proc/sys/kernel/hostname
	quickly try doctor --root "$tree" --since "$saved" --only link-errors
	expect_error 1 doctor "$saved was saved on the host node1, and this is node2" \
		'compare with what was saved here: rdmactl counters --save FILE'
	quickly try doctor --root "$tree" --since "$tree/none"$'\033' --only link-errors
	expect_error 1 doctor "cannot read $tree/none\\x1b: No such file or directory" \
		'save one first: rdmactl counters --save FILE'
	echo '{}' >"$saved"
	quickly try doctor --root "$tree" --since "$saved" --only link-errors
	[ "$status" = 1 ]
	[[ $stderr = *'save a new one: rdmactl counters --save FILE'* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# tree FILE=TEXT...: makes a saved machine with these files below sys/class, in the directory $tree.
# Every machine has the netdev lo.
tree()
{
	local entry file

	tree=$BATS_TEST_TMPDIR/tree
	rm -rf "$tree"
	for entry in "$@" net/lo/{ifindex=1,iflink=1,type=772,address=00:00:00:00:00:00}; do
		file=$tree/sys/class/${entry%%=*}
		[ -d "${file%/*}" ] || mkdir -p "${file%/*}"
		printf '%s\n' "${entry#*=}" >"$file"
	done
}

# port FILE=TEXT...: the same for the files of port 1 of mlx5_0.
port()
{
	tree infiniband/mlx5_0/ports/1/{link_layer=InfiniBand,gids/0=fe80:0000:0000:0000:0002:c903:0000:0001} \
		"${@/#/infiniband/mlx5_0/ports/1/}"
}

# of COLUMNS [OPTION...]: these columns of that machine, one row per line.
of()
{
	quickly try counters --root "$tree" --tsv --no-headings -o "$1" "${@:2}"
	output=${output//$'\t'/ }
}

@test "counters: every fixture as in tests/golden" {
	machines golden counters
}

@test "counters: the source tells an agent's counter from a driver's counter of the same name" {
	port counters/port_xmit_data=250 hw_counters/tx_bytes=5512331233 hw_counters/rx_bytes=7
	quickly try counters --root "$tree"
	[ "$status" = 0 ]
	[ "$(tr -s ' ' <<<"$output")" = 'OBJECT COUNTER VALUE UNIT SEVERITY SOURCE
mlx5_0/1 tx_bytes 1000 bytes info pma
mlx5_0/1 tx_bytes 5512331233 bytes info hw
mlx5_0/1 rx_bytes 7 bytes info hw' ]
	port counters/port_xmit_data=250 hw_counters/rx_bytes=7
	quickly try counters --root "$tree"
	[[ $output = 'OBJECT   COUNTER  VALUE UNIT  SEVERITY'$'\n'* ]]
}

@test "counters: every format is valid and says the same" {
	machines formats counters
}

@test "counters: a column alone says the same as among others" {
	machines columns counters cx6dx-roce opa-hfi1 bad-rate
}

@test "counters: every file of every fixture is shown, in its unit, and nothing else" {
	local machines

	mapfile -t machines < <(fixtures)
	quickly "$top/tests/cli/counters_truth" "$binary" "${machines[@]/#/"$roots/"}"
}

@test "counters: the second reading sees what is wrong" {
	local liar=$BATS_TEST_TMPDIR/liar lie

	for lie in s/none/none/ 's/"value": 214106880/"value": 214106881/' 's/"value": 222671155960/"value": 55667788990/' \
		's/^.*"rx_out_of_buffer".*$//' 's/"saturated": false/"saturated": true/' \
		's/"kernel_name": "out_of_buffer"/"kernel_name": "other"/'; do
		printf '#!/bin/sh\n"%s" "$@" | sed '\''%s'\''\n' "$binary" "$lie" >"$liar"
		chmod +x "$liar"
		if [ "$lie" = s/none/none/ ]; then
			quickly "$top/tests/cli/counters_truth" "$liar" "$roots/cx6dx-roce"
		elif quickly "$top/tests/cli/counters_truth" "$liar" "$roots/cx6dx-roce" >"$liar.out" 2>&1; then
			wrong "passes: $lie"
		fi
	done
	nothing_wrong
}

@test "counters: the default shows traffic, and errors that are not 0" {
	port counters/port_xmit_data=10 counters/port_rcv_data=0 counters/symbol_error=0 \
		counters/link_downed=3 counters/unicast_xmit_packets=7 counters/port_xmit_wait=5 \
		hw_counters/rx_write_requests=9 hw_counters/out_of_sequence=2 hw_counters/lifespan=10
	of object,counter,value,unit
	expect 0 $'mlx5_0/1 tx_bytes 40 bytes\nmlx5_0/1 rx_bytes 0 bytes\nmlx5_0/1 link_downed 3 events\nmlx5_0/1 rx_out_of_sequence 2 packets' ''
	of counter,value --all
	expect 0 $'tx_bytes 40\nrx_bytes 0\ntx_unicast_packets 7\ntx_wait_ticks 5\nsymbol_errors 0\nlink_downed 3\nrx_write_requests 9\nrx_out_of_sequence 2' ''
	of counter,value --errors
	expect 0 $'link_downed 3\nrx_out_of_sequence 2' ''
	of counter,value --errors --all
	expect 0 $'symbol_errors 0\nlink_downed 3\nrx_out_of_sequence 2' ''
}

@test "counters: --group takes several groups, and shows zeros" {
	port counters/symbol_error=0 counters/port_xmit_wait=5 hw_counters/rx_write_requests=9 \
		hw_counters/nobody_knows=1
	of counter,group -g link,congestion
	expect 0 $'tx_wait_ticks congestion\nsymbol_errors link' ''
	of counter,group --group other
	expect 0 'nobody_knows other' ''
	of counter,group --group link --errors
	expect 0 '' ''
	on cx6dx-roce counters --group link,nonsense
	expect 2 ''
	[[ $stderr = *"--group: 'nonsense' is not one of traffic, requests, link, errors, drops,"* ]]
}

@test "counters: hidden counters are not read" {
	port counters/symbol_error=4 hw_counters/rx_write_requests=9
	# A hidden counter would cause a problem if it were read.
	ln -s '!EINVAL' "$tree/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_wait"
	mkdir -p "$tree/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries"
	ln -s '!EIO' "$tree/sys/class/infiniband/mlx5_0/ports/1/cm_tx_retries/req"
	of counter,value
	expect 0 'symbol_errors 4' ''
	of counter,value --drops
	expect 0 '' ''
	of counter,value --group cm
	expect 0 '' ''
	mkdir -p "$tree/sys/class/infiniband/mlx5_0/ports/1/cm_tx_msgs"
	of counter,value,problem --group cm
	expect 3 'cm_tx_retries_req  Input/output error' \
		'rdmactl counters: mlx5_0/1: cannot read cm_tx_retries_req: Input/output error'
}

@test "counters: --errors says how many undescribed counters are not 0" {
	port counters/symbol_error=4 hw_counters/new_error=1 hw_counters/new_drop=0 \
		hw_counters/rx_write_requests=9
	of counter,value --errors
	expect 3 'symbol_errors 4' 'rdmactl counters: 1 undescribed counter is not 0: -a lists it'
	echo 2 >"$tree/sys/class/infiniband/mlx5_0/ports/1/hw_counters/new_drop"
	of counter,value --errors
	expect 3 'symbol_errors 4' 'rdmactl counters: 2 undescribed counters are not 0: -a lists them'
	try counters --root "$tree" --errors --json
	same problem '2 undescribed counters are not 0: -a lists them' "$(jq -r '.problems[0].error' <<<"$output")"
	of counter,value --all
	expect 0 $'symbol_errors 4\nrx_write_requests 9\nnew_drop 2\nnew_error 1' ''
	# These counters were not requested.
	of counter,value --errors --drops
	expect 0 '' ''
	of counter,value --errors --group link
	expect 0 'symbol_errors 4' ''
	of counter,value --errors --group other
	expect 3 '' 'rdmactl counters: 2 undescribed counters are not 0: -a lists them'
	# There is no such note as long as they are 0.
	port counters/symbol_error=4 hw_counters/new_error=0
	of counter,value --errors
	expect 0 'symbol_errors 4' ''
	# The same with --since.
	try counters --root "$tree" --save "$BATS_TEST_TMPDIR/saved"
	echo 5 >"$tree/sys/class/infiniband/mlx5_0/ports/1/hw_counters/new_error"
	of counter,growth --errors --since "$BATS_TEST_TMPDIR/saved"
	same status 3 "$status"
	same rows '' "$output"
	same note 'rdmactl counters: 1 undescribed counter is not 0: -a lists it' "$(grep undescribed <<<"$stderr")"
	# What it counts, and whether that is serious, is unknown, with --since too.
	for words in --all "--all --since $BATS_TEST_TMPDIR/saved"; do
		# shellcheck disable=SC2086 # words
		of counter,unit,severity,direction $words
		grep -qx 'new_error *' <<<"$output" || wrong "$words: $output"
	done
	nothing_wrong
}

@test "counters: the extended directory of a vendor's stack replaces the counters that it has" {
	port counters/port_xmit_data=4294967295 counters/port_rcv_data=7 counters/symbol_error=1 \
		counters/multicast_rcv_packets=3 counters_ext/port_xmit_data_64=4294967296 \
		counters_ext/port_multicast_rcv_packets=9
	of kernel_name,counter,value,saturated,width_bits,source --all
	expect 0 $'port_xmit_data_64 tx_bytes 17179869184 no 64 pma
port_multicast_rcv_packets rx_multicast_packets 9 no 64 pma
port_rcv_data rx_bytes 28 no  pma
symbol_error symbol_errors 1 no 16 pma' ''
}

@test "counters: diagnostic counters of a port and of a device" {
	tree infiniband/mlx4_0/ports/1/{link_layer=InfiniBand,gids/0=fe80:0000:0000:0000:0002:c903:0000:0001} \
		infiniband/mlx4_0/diag_counters/num_cqovf=2 \
		infiniband/mlx4_0/diag_counters/clear_diag=0 infiniband/mlx4_0/hw_counters/sq_num_to=3 \
		infiniband/mlx4_0/ports/1/diag_counters/rc_resends=4
	of object,counter,value,source --all
	expect 0 $'mlx4_0 ack_timeouts 3 device
mlx4_0 completion_queue_overflows 2 device
mlx4_0/1 tx_retransmitted_requests 4 hw' ''
}

@test "counters: connection manager counters, in the three places of three generations" {
	local place

	for place in infiniband/mlx5_0/ports/1 infiniband_cm/mlx5_0/1 infiniband/mlx5_0/mlx5_0/1; do
		tree infiniband/mlx5_0/ports/1/link_layer=InfiniBand "$place/cm_tx_msgs/req=7" \
			"$place/cm_rx_msgs/rej=2"
		of counter,value,source --all
		same "$place" $'cm_tx_msgs_req 7 cm\ncm_rx_msgs_rej 2 cm' "$(sed '/^ *$/d' <<<"$output")"
	done
	# Only the newest place counts.
	tree infiniband/mlx5_0/ports/1/link_layer=InfiniBand infiniband/mlx5_0/ports/1/cm_tx_msgs/req=7 \
		infiniband/mlx5_0/mlx5_0/1/cm_tx_msgs/req=8
	of counter,value --all
	same newest 'cm_tx_msgs_req 7' "$(sed '/^ *$/d' <<<"$output")"
}

@test "counters: --drops shows the device and its netdev side by side" {
	cells cx6dx-roce counters object,netdev,counter,value mlx5_0 --drops
	grep -qx 'mlx5_0/1 ens1f0np0 rx_out_of_buffer 19' <<<"$output"
	grep -qx 'mlx5_0/1 ens1f0np0 tx_discards 0' <<<"$output"
	grep -qx 'ens1f0np0 ens1f0np0 rx_discards 1201' <<<"$output"
	[ "$(grep -c 'link_downed\|packets\|bytes' <<<"$output")" = 0 ]
	cells cx6dx-roce counters object,counter,value mlx5_0 --drops --errors
	same 'counters that are not 0' $'mlx5_0/1 rx_out_of_buffer 19\nens1f0np0 rx_discards 1201\n' "$output"
	# An IPoIB netdev.
	cells cx5-ib-edr counters object --drops
	grep -qx ib0 <<<"$output"
}

@test "counters: a saturated counter is marked, but stays a number for programs" {
	port counters/local_link_integrity_errors=15 counters/link_downed=255 counters/symbol_error=65534 \
		counters/port_xmit_wait=4294967295 counters/port_rcv_errors=65535 \
		counters/port_xmit_data=4294967295 counters/port_rcv_data=4294967296
	of counter,value,saturated,width_bits --all
	expect 0 $'tx_bytes 17179869180 yes 32\nrx_bytes 17179869184 no 64\ntx_wait_ticks 4294967295 yes 32\nsymbol_errors 65534 no 16\nlink_downed 255 yes 8\nrx_errors 65535 yes 16\nlocal_link_integrity_errors 15 yes 4' ''
	try counters --root "$tree" --errors -o counter,value --no-headings
	expect 0 $'symbol_errors                 65534\nlink_downed                   >=255\nrx_errors                   >=65535\nlocal_link_integrity_errors    >=15' ''
	try counters --root "$tree" --errors --jsonl -o value
	expect 0 $'{"value": 65534}\n{"value": 255}\n{"value": 65535}\n{"value": 15}' ''
	# With the extended counters, the 32-bit maximum is an ordinary value.
	port counters/port_xmit_data=4294967295 counters/unicast_xmit_packets=1 \
		counters/port_rcv_data=18446744073709551615
	of counter,value,saturated,width_bits
	expect 0 $'tx_bytes 17179869180 no 64\nrx_bytes 18446744073709551615 yes 64' ''
}

@test "counters: an unreadable counter is unknown, with its reason, and the others are shown" {
	port counters/symbol_error='N/A (no PMA)' counters/link_downed='N/A (no PMA)' \
		counters/port_rcv_errors='12 apples' counters/port_xmit_discards= counters/VL15_dropped=3 \
		counters/port_xmit_data=18446744073709551616 counters/port_rcv_data=$'\033[31m1'
	ln -s '!EINVAL' "$tree/sys/class/infiniband/mlx5_0/ports/1/counters/link_error_recovery"
	of counter,value,problem
	expect 3 $'tx_bytes  too large a number: \'18446744073709551616\'
rx_bytes  not a number: \'\\x1b[31m1\'
symbol_errors  N/A (no PMA)
link_error_recoveries  Invalid argument
link_downed  N/A (no PMA)
rx_errors  not a number: \'12 apples\'
tx_discards  the file is empty
vl15_dropped 3 ' $'rdmactl counters: mlx5_0/1: cannot read tx_bytes: too large a number: \'18446744073709551616\'
rdmactl counters: mlx5_0/1: cannot read rx_bytes: not a number: \'\\x1b[31m1\'
rdmactl counters: mlx5_0/1: cannot read 2 counters (pma): N/A (no PMA)
rdmactl counters: mlx5_0/1: cannot read link_error_recoveries: Invalid argument
rdmactl counters: mlx5_0/1: cannot read rx_errors: not a number: \'12 apples\'
rdmactl counters: mlx5_0/1: cannot read tx_discards: the file is empty'
	try counters --root "$tree" --json
	[ "$(jq -c '[.counters[] | select(.counter == "symbol_errors") | .value, .problem, .saturated]' <<<"$output")" = '[null,"N/A (no PMA)",null]' ]
	[ "$(jq '.problems | length' <<<"$output")" = 6 ]
	# The column is shown only if it has a value.
	try counters --root "$tree"
	[[ $output = *PROBLEM* ]]
	try counters --root "$roots/forty"
	[[ $output != *PROBLEM* ]]
}

@test "counters: a driver without counters says so, and that is not an error" {
	cells vendors counters object,counter,value,problem siw0 hns_0
	expect 0 $'hns_0/1 rx_packets 0 \nhns_0/1 tx_packets 0 \nsiw0/1   no counters' ''
	on vendors counters --no-headings siw0 hns_0
	expect 0 $'hns_0/1 rx_packets 0 packets info -\nhns_0/1 tx_packets 0 packets info -\nsiw0/1  -          - -       -    no counters' ''
	cells vendors counters object,problem siw0
	expect 5 'siw0/1 no counters' $'rdmactl counters: there are no counters to show\n  rdmactl counters --all shows those of the netdevs'
	on vendors counters siw0 --all
	[ "$status" = 5 ]
	[ "$stderr" = $'rdmactl counters: there are no counters to show\n' ]
	on vendors counters --json siw0
	expect 5
	[ "$(jq -c '.counters[] | [.object, .counter, .value, .group, .source]' <<<"$output")" = '["siw0/1",null,null,null,null]' ]
}

@test "counters: connection manager counters, in the old place and the new one" {
	cells cx6dx-roce counters counter,value,kernel_name mlx5_0 --group cm --errors
	same new $'cm_tx_msgs_rej 3 cm_tx_msgs/rej\ncm_rx_duplicates_req 3 cm_rx_duplicates/req\n' "$output"
	tree infiniband/mlx4_0/ports/1/link_layer=InfiniBand infiniband_cm/mlx4_0/1/cm_tx_msgs/req=1 \
		infiniband_cm/mlx4_0/1/cm_tx_retries/req=4 infiniband_cm/mlx4_0/2/cm_tx_msgs/req=9
	of object,counter,value --group cm
	expect 0 $'mlx4_0/1 cm_tx_msgs_req 1\nmlx4_0/1 cm_tx_retries_req 4'
	cells mlx4-dead-port counters object,counter --group cm
	[ "$(grep -c . <<<"$output")" = 88 ]
}

@test "counters: names with numbers, commas and blanks" {
	cells opa-hfi1 counters counter,value,kernel_name --all
	grep -qx 'rx_context7_header_queue_overflows 3 RcvHdrOvr7' <<<"$output"
	grep -qx 'tx_vl15_packets [0-9]* TxPktVL15' <<<"$output"
	grep -qx 'logic_analyzer_triggers 0 Cce LATriggered' <<<"$output"
	grep -qx 'sdma12_interrupts 0 SDMAInt12,32' <<<"$output"
}

@test "counters: strange names are kept, and cleaned" {
	port counters/symbol_error=1 $'hw_counters/\033[31mred=2' 'hw_counters/with blank=3' \
		'hw_counters/RcvHdrOvr=4' 'hw_counters/RcvHdrOvrX=5' $'hw_counters/\xff\xfe=6'
	of counter,value --group other
	expect 0 $'RcvHdrOvr 4\nRcvHdrOvrX 5\n\\x1b[31mred 2\n\\xff\\xfe 6\nwith blank 3' ''
}

# Only the hostile fixture has a name that no driver uses.
@test "counters: the catalogue knows every name of every fixture" {
	local fixture

	for fixture in $(fixtures); do
		[ "$fixture" != hostile ] || continue
		quickly on "$fixture" counters --group other --tsv --no-headings -o kernel_name
		[ -z "$(tr -d '\n' <<<"$output")" ] || wrong "$fixture: $output"
	done
	cells hostile counters kernel_name text0 --group other
	same 'of hostile' $'\\x1b[31mred\n' "$output"
	nothing_wrong
}

@test "counters: --explain needs no device, and knows every name" {
	local name

	on no-rdma counters --explain port_xmit_data
	expect 0 "counter     tx_bytes
meaning     Bytes of packets sent by the port, except link packets.
unit        bytes
kind        saturating
width_bits  -
direction   tx
severity    info
group       traffic
drop        no
aliases     pma:port_xmit_data pma:port_xmit_data_64

counter     tx_bytes
meaning     Bytes of RDMA packets sent.
unit        bytes
kind        monotonic
width_bits  -
direction   tx
severity    info
group       traffic
drop        no
aliases     rxe:sent_bytes efa:tx_bytes bnxt_re:tx_bytes erdma:tx_bytes_cnt mana:tx_bytes

counter     tx_bytes
meaning     Bytes sent by the netdev; hardware RDMA traffic usually bypasses it.
unit        bytes
kind        monotonic
width_bits  -
direction   tx
severity    info
group       traffic
drop        no
aliases     netdev:tx_bytes" ''
	try counters --explain symbol_error -j
	[ "$(jq -c '.counter_meanings[0] | [.counter, .width_bits, .kind]' <<<"$output")" = '["symbol_errors",16,"saturating"]' ]
	for name in $(quickly "$binary" counters --root "$roots/opa-hfi1" --all --tsv --no-headings -o counter,kernel_name | grep -v ' ' | tr '\t' '\n' | sort -u | head -n 60); do
		quickly try counters --explain "$name"
		[ "$status" = 0 ] || wrong "$name"
	done
	nothing_wrong
}

@test "counters: --explain with a typo" {
	try counters --explain simbol_error
	expect_error 2 counters "unknown counter 'simbol_error'" "did you mean 'symbol_error'?"
	try counters --explain $'\033nonsense'
	expect_error 2 counters "unknown counter '\\x1bnonsense'" 'rdmactl counters --all -o +kernel_name lists the names'
	try counters --explain out_of_buffer mlx5_0
	expect_error 2 counters '--explain takes the name of a counter and no device'
}

@test "counters: options that cannot be combined" {
	local options

	for options in '--watch --explain x' '--watch --save f' '--since f --optional' '--watch --enable x'; do
		local words
		read -ra words <<<"$options"
		local first=${words[0]} second=${words[1]}

		[[ $second = --* ]] || second=${words[2]}
		# shellcheck disable=SC2086
		try counters $options
		expect_error 2 counters "$first cannot be used with $second" 'rdmactl counters --help'
	done
	for options in '--interval 1' '--count 3'; do
		# shellcheck disable=SC2086
		try counters $options
		expect_error 2 counters "${options% *} needs --watch" 'rdmactl counters --help'
	done
	try counters --explain x --errors
	expect_error 2 counters '--errors cannot be used with --explain' 'rdmactl counters --help'
	try counters --optional --drops
	expect_error 2 counters '--drops cannot be used with --optional' 'rdmactl counters --help'
	nothing_wrong
}

@test "counters: devices and ports as arguments" {
	cells cx5-ib-edr counters object,counter mlx5_1/1 --errors
	[[ $output = 'mlx5_1/1 symbol_errors'* ]]
	on cx5-ib-edr counters mlx5_9
	expect 5 ''
	[[ $stderr = *mlx5_9* ]]
	on cx5-ib-edr counters mlx5_0/2
	expect 5 ''
	on cx5-ib-edr counters mlx5_0 mlx5_9 -o object
	[ "$status" = 3 ]
	on no-rdma counters
	expect 5 ''
	on empty-class counters
	expect 5 ''
}

@test "counters: arguments of the subcommands" {
	local settings='rdmactl counters bind --help lists the settings'

	try counters auto mlx5_0/1
	expect_error 2 counters 'too few words: it takes DEV/PORT off|type|pid|type,pid[,optional]' \
		'rdmactl counters auto --help'
	try counters bind
	expect_error 2 counters 'too few words: it takes DEV/PORT lqpn N [counter-id ID]' \
		'rdmactl counters bind --help'
	try counters bind mlx5_0/1
	expect_error 2 counters 'which queue pair?' \
		'name it by lqpn N; rdmactl resources qp lists them'
	try counters bind mlx5_0/1 lqpn x
	expect_error 2 counters 'lqpn needs a number' 'rdmactl resources qp lists the queue pairs'
	try counters bind mlx5_0/1 lqpn 17 counter-id
	expect_error 2 counters "'counter-id' needs a value: ID" "$settings"
	try counters bind mlx5_0/1 lqpn 17 counter-id x
	expect_error 2 counters 'counter-id needs a number' 'rdmactl counters qp lists the counters'
	try counters bind mlx5_0/1 qpn 17
	expect_error 2 counters "unknown word 'qpn'" "$settings"
	try counters bind mlx5_0/1 lqpn 17 lqpn 18
	expect_error 2 counters "'lqpn' is given twice" "$settings"
	try counters unbind mlx5_0/1 counter-id 0 counter-id 1
	expect_error 2 counters "'counter-id' is given twice" \
		'rdmactl counters unbind --help lists the settings'
	try counters unbind mlx5_0/1
	expect_error 2 counters 'which counter, or which queue pair?' \
		'name it by counter-id ID or lqpn N; rdmactl counters qp lists both'
	try counters qp --since file
	expect_error 2 counters "'qp' does not take --since" 'it is for rdmactl counters alone'
	try counters qp --interval 1s
	expect 2
}

@test "counters: subcommands do not work on saved trees" {
	local word

	for word in qp mr mode 'auto mlx5_0/1 pid' 'bind mlx5_0/1 lqpn 17'; do
		# shellcheck disable=SC2086 # words
		quickly try --root "$roots/cx5-ib-edr" counters $word
		[ "$status" = 2 ] || wrong "$word: $status"
		grep -q 'a saved tree' <<<"$stderr" || wrong "$word: $stderr"
	done
	nothing_wrong
}

@test "counters: subcommands on a host without RDMA" {
	local word

	no_device
	for word in qp mr mode 'auto mlx5_0/1 pid' 'bind mlx5_0/1 lqpn 17' 'unbind mlx5_0/1 lqpn 17'; do
		# shellcheck disable=SC2086 # words
		quickly try counters $word
		[ "$status" = 5 ] || wrong "$word: $status"
		[ -z "$output" ] || grep -q OBJECT <<<"$output" || wrong "$word: $output"
	done
	nothing_wrong
}

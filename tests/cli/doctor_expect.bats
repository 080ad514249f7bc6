#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# doctor --learn and --expect: the file of a good host, differences, ignored findings, wrong files.

# shellcheck source=doctor.bash
source "$BATS_TEST_DIRNAME/doctor.bash"

setup()
{
	file=$BATS_TEST_TMPDIR/expect.json
}

# write JSON: makes an expectation file with these members.
write()
{
	printf '{"schema": "rdmactl/expect/1", %s}\n' "$1" >"$file"
}

# expecting FIXTURE JSON [OPTION...]: the results of the checks port-count and expect, one per line.
expecting()
{
	local row tree=$roots/$1 "${columns[@]}"

	write "$2"
	ask port-count,expect --expect "$file" "${@:3}"
	results=
	for row in "${rows[@]}"; do
		look "$row"
		results+="${results:+$'\n'}$verdict $check ${object:--}: $summary${expected:+ | $actual, wanted $expected}"
	done
}

# refused JSON MESSAGE: the file is wrong, for this reason.
refused()
{
	printf '%s' "$1" >"$file"
	quickly on cx5-ib-edr doctor --expect "$file"
	if [ "$status" != 1 ] || [ -n "$output" ] || [ "$stderr" != "rdmactl doctor: $file: $2
  rdmactl doctor --learn prints a file of this form
" ]; then
		wrong "$1: status $status, $stderr"
	fi
}

@test "doctor: --learn prints what the host has" {
	on cx7-ib-ndr doctor --learn
	expect 0
	[ "$stderr" = '' ]
	jq -e '.schema == "rdmactl/expect/1" and .profile == "gpu" and .ignore == []' <<<"$output"
	jq -e '.boards | length > 0 and all(.[]; .count > 0 and .firmware and .driver == "mlx5_core")' <<<"$output"
	on no-rdma doctor --learn
	[[ $status = 5 && -z $output && -n $stderr ]]
	on cx5-ib-edr doctor --learn --profile roce
	[ "$(jq -r .profile <<<"$output")" = roce ]
	on cx5-ib-edr doctor --learn mlx5_0
	[ "$(jq -c '[.boards[].count]' <<<"$output")" = '[1]' ]
	on cx5-ib-edr doctor --learn mlx5_7
	expect_error 5 doctor 'mlx5_7: no such RDMA device' 'there are mlx5_0, mlx5_1'
	for option in '--only port' '--skip port' --list '--fail-on note' "--expect $file" -a --tsv; do
		# shellcheck disable=SC2086 # two words
		on cx5-ib-edr doctor --learn $option
		[ "$status" = 2 ] || wrong "$option: status $status"
	done
	nothing_wrong
}

@test "doctor: every host matches its own file" {
	local machine learnt others

	for machine in $(fixtures); do
		quickly on "$machine" doctor --learn
		learnt=$status
		[ "$learnt" = 5 ] && continue
		printf '%s' "$output" >"$file"
		compare_golden "$top/tests/golden/doctor/$machine.expect" "$file"
		quickly on "$machine" doctor --learn
		same "$machine twice" "$(cat "$file")"$'\n' "$output" || wrong "$machine: not the same again"
		quickly on "$machine" doctor --only port-count,expect --expect "$file" --tsv --no-headings -o verdict
		[ "$status" = "$learnt" ] || wrong "$machine: status $status"
		others=${output//not-checked$'\n'/}
		[[ -n $output && -z ${others//ok$'\n'/} ]] || wrong "$machine: $output"
	done
	nothing_wrong
}

@test "doctor: --expect: differences, and missing hardware" {
	expecting cx6dx-roce '"boards": {"MT_0000000436": {"count": 3, "active_ports": {"min": 2}, "firmware": ["22.1", "22.38.1002"], "driver": "mlx5_core",
		"link_layer": "ethernet", "rate_gbps": 100, "pcie": {"speed_gtps": 16, "width_lanes": {"min": 8}}}}'
	says 0 'ok port-count MT_0000000436: the number of active ports is as expected | 2, wanted at least 2' \
		'ok expect MT_0000000436: the devices are as expected'
	expecting cx6dx-roce '"boards": {"MT_0000000436": {"count": 4, "active_ports": 3}}'
	says 4 'error port-count MT_0000000436: the number of active ports is not as expected | 2, wanted 3' \
		'error expect MT_0000000436: the number of devices is not as expected | 3, wanted 4'
	expecting cx6dx-roce '"devices": {"mlx5_0": {"firmware": ["22.1", "22.2"], "driver": "mlx4_core", "link_layer": "infiniband", "rate_gbps": {"min": 200},
		"netdev_mtu_bytes": 4200, "pcie": {"speed_gtps": 32, "width_lanes": [4, 8]}}}'
	says 4 'error expect mlx5_0: the firmware is not as expected | 22.38.1002, wanted 22.1 or 22.2' \
		'error expect mlx5_0: the driver is not as expected | mlx5_core, wanted mlx4_core' \
		'error expect mlx5_0: the PCIe speed in GT/s is not as expected | 16, wanted 32' \
		'error expect mlx5_0: the PCIe width is not as expected | 16, wanted 4 or 8' \
		'error expect mlx5_0/1: the link layer is not as expected | ethernet, wanted infiniband' \
		'error expect mlx5_0/1: the rate in Gb/s is not as expected | 100, wanted at least 200' \
		'error expect mlx5_0/1: the MTU of the netdev is not as expected | 9000, wanted 4200'
	expecting cx6dx-roce '"boards": {"MT_9": {}}, "pci": {"0000:ff:*": {}}, "devices": {"mlx5_7": {}, "mlx5_*": {"count": 3}}'
	says 4 'error expect MT_9: expected hardware is missing | 0, wanted at least 1' \
		'error expect 0000:ff:*: expected hardware is missing | 0, wanted at least 1' \
		'error expect mlx5_7: expected hardware is missing | 0, wanted at least 1' \
		'ok expect mlx5_*: the devices are as expected'
	expecting cx6dx-roce '"comment": "nothing"'
	says 0 'ok expect -: the file requires nothing'
	# Counts of devices do not apply when a single device is checked.
	expecting cx6dx-roce '"boards": {"MT_0000000436": {"count": 9, "active_ports": 9, "driver": "mlx5_core"}}' mlx5_0
	says 0 'ok expect MT_0000000436: the devices are as expected'
}

@test "doctor: --expect on a host without hardware" {
	write '"boards": {"MT_9": {"count": 1}}'
	on no-rdma doctor --expect "$file" --only expect
	[ "$status" = 4 ]
	[[ $output = *'MT_9: the number of devices is not as expected'* ]]
	on no-rdma doctor --only expect
	[ "$status" = 5 ]
	write '"boards": {"MT_9": {"count": 0}}'
	on no-rdma doctor --expect "$file" --only expect
	[ "$status" = 5 ]
}

@test "doctor: --expect: facts that cannot be read, memlock, profile" {
	local tree=$BATS_TEST_TMPDIR/machine

	cp -a "$roots/cx5-ib-edr" "$tree"
	write '"devices": {"mlx5_0": {"firmware": "1"}}, "memlock_bytes": "unlimited", "profile": "gpu"'
	rm "$tree/sys/class/infiniband/mlx5_0/fw_ver"
	ln -s '!EIO' "$tree/sys/class/infiniband/mlx5_0/fw_ver"
	try doctor --root "$tree" --only expect --expect "$file"
	[ "$status" = 3 ]
	try doctor --root "$tree" --only expect --expect "$file" --json
	[ "$(jq -c '[.doctor[] | [.object, .verdict, .summary]]' <<<"$output")" = \
		'[["mlx5_0","not-checked","firmware is not known"],["this shell","not-checked","the saved tree lacks the limit on pinned memory"]]' ]
	mkdir -p "$tree/proc/self"
	echo 'Max locked memory         8388608              unlimited            bytes     ' >"$tree/proc/self/limits"
	try doctor --root "$tree" --only expect --expect "$file" -a
	[[ $status = 4 && $output = *'8388608 bytes, wanted unlimited (line 1, column '*'(profile gpu)'* ]]
	write '"memlock_bytes": [1, "unlimited"], "profile": "gpu"'
	try doctor --root "$tree" --only expect --expect "$file"
	[[ $output = *'8388608 bytes, wanted 1 or unlimited (line 1, column '* ]]
	# Even a difference of one byte in a tebibyte is shown.
	write '"memlock_bytes": {"min": 1099511627777}'
	echo 'Max locked memory         1099511627776        unlimited            bytes     ' >"$tree/proc/self/limits"
	try doctor --root "$tree" --only expect --expect "$file" --json
	[ "$(jq -c '.doctor[] | [.actual, .expected]' <<<"$output")" = '["1099511627776","at least 1099511627777"]' ]
	echo 'Max locked memory         8388608              unlimited            bytes     ' >"$tree/proc/self/limits"
	write '"memlock_bytes": {"min": 8388608}, "profile": "gpu"'
	try doctor --root "$tree" --only expect --expect "$file" --profile roce -a
	expect 3 $'ok           this shell: the limit on pinned memory is as expected [expect]\n1 checked: 1 ok (profile roce)' \
		'rdmactl doctor: mlx5_0: cannot read firmware: Input/output error'
	try doctor --root "$tree" --learn
	jq -e '.memlock_bytes == {"min": 8388608}' <<<"$output"
	echo 'Max locked memory         unlimited            unlimited            bytes     ' >"$tree/proc/self/limits"
	try doctor --root "$tree" --learn
	jq -e '.memlock_bytes == "unlimited"' <<<"$output"
	printf '%s' "$output" >"$file"
	try doctor --root "$tree" --only expect --expect "$file"
	[ "$status" = 3 ] # the firmware, still
	[[ $stderr = *fw_ver* || $stderr = *firmware* ]]
}

# ignoring FIXTURE ENTRIES [OPTION...]: the findings that remain or are ignored, one per line.
ignoring()
{
	local row "${columns[@]}"

	write "\"ignore\": [$2]"
	quickly on "$1" doctor --expect "$file" "${table[@]}" "${@:3}"
	split
	results=
	for row in "${rows[@]}"; do
		look "$row"
		[[ $verdict = ok || $verdict = not-checked ]] ||
			results+="${results:+$'\n'}$verdict $check ${object:--}${ignored:+ ignored: $ignored}"
	done
}

@test "doctor: --expect: ignored findings" {
	local entry only=(--only 'memlock,rdma-cgroup,expect') tree=$BATS_TEST_TMPDIR/machine

	# A tree in which two devices have one error each.
	cp -a "$roots/cx5-ib-edr" "$tree"
	mkdir -p "$tree/proc/self" "$tree/sys/fs/cgroup"
	echo '30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw' >"$tree/proc/self/mountinfo"
	echo '0::/jobs' >"$tree/proc/self/cgroup"
	mkdir "$tree/sys/fs/cgroup/jobs"
	printf 'mlx5_%d hca_handle=0 hca_object=0\n' 0 1 | tee "$tree/sys/fs/cgroup/jobs/rdma.max" >"$tree/sys/fs/cgroup/jobs/rdma.current"
	echo 'Max locked memory         unlimited            unlimited            bytes     ' >"$tree/proc/self/limits"
	roots=$BATS_TEST_TMPDIR

	ignoring machine '' "${only[@]}"
	says 4 'error rdma-cgroup mlx5_0' 'error rdma-cgroup mlx5_1'
	ignoring machine '{"check": "rdma-cgroup", "why": "on purpose"}' "${only[@]}"
	says 0 'note rdma-cgroup mlx5_0 ignored: on purpose' 'note rdma-cgroup mlx5_1 ignored: on purpose'
	# An ignored finding never makes a run fail, whatever verdict --fail-on names.
	quickly on machine doctor "${only[@]}" --expect "$file" --fail-on note
	[ "$status" = 0 ]
	[[ $output = *"note     2 of 2 devices: ignored, on purpose: a control group's quota of RDMA objects is used up [rdma-cgroup]"* ]]
	quickly on machine doctor "${only[@]}" --expect "$file" --fail-on note --format nagios
	[[ $status = 0 && $output = 'RDMA OK - '* ]]
	for entry in '"device": "mlx5_0"' '"device": "mlx5_[02]"' '"pci": "'"$(basename "$(realpath "$tree/sys/class/infiniband/mlx5_0/device")")"'"' \
		'"device": "mlx5_0", "check": "rdma-cgroup"'; do
		ignoring machine "{$entry, \"why\": \"spare\"}" "${only[@]}"
		says 4 'note rdma-cgroup mlx5_0 ignored: spare' 'error rdma-cgroup mlx5_1'
	done
	ignoring machine '{"device": "mlx5_0", "check": "memlock", "why": "x"}, {"pci": "0000:ff:00.0", "check": "rdma-cgroup", "why": "gone"},
		{"device": "mlx5_1", "why": "spare"}' "${only[@]}"
	says 4 'error rdma-cgroup mlx5_0' 'note rdma-cgroup mlx5_1 ignored: spare' 'note expect -' 'note expect -'
	# Unless all checks run, an entry without a check cannot be known to match nothing.
	ignoring machine '{"device": "mlx5_7", "why": "x"}' --only expect
	says 0 ''
	ignoring machine '{"device": "mlx5_7", "why": "x"}' --fail-on error --skip rdma-cgroup,expect
	[[ $results != *' expect '* ]]
}

@test "doctor: --expect: if a port of an adapter is ignored, its other port counts" {
	expecting mlx4-vendor '"boards": {"MT_1060110018": {"count": 1, "active_ports": 1}}, "ignore": [{"port": "mlx4_0/1", "why": "x"}]'
	[ "$status" = 3 ] # its netdev cannot be read
	[[ $results == *'ok expect MT_1060110018: the devices are as expected'* ]]
	expecting mlx4-vendor '"boards": {"MT_1060110018": {"count": 1, "active_ports": 2}}, "ignore": [{"port": "mlx4_0/1", "why": "x"}]'
	[ "$status" = 4 ]
	[[ $results == *'| 1, wanted 2'* ]]
}

@test "doctor: --expect: a port without a netdev cannot have a wrong MTU" {
	expecting efa '"devices": {"efa_1": {"netdev_mtu_bytes": 9000}}'
	says 0 'ok expect efa_1: the devices are as expected'
	expecting cx6dx-roce '"boards": {"MT_0000000436": {"netdev_mtu_bytes": 9001}}'
	[ "$status" = 4 ]
}

# mlx5_3 must not match as a prefix of mlx5_38.
@test "doctor: --expect: ignored findings of ports" {
	local only=(--only 'port-state,expect') entry pci

	pci=$(basename "$(realpath "$roots/forty/sys/class/infiniband/mlx5_39/device")")
	ignoring forty '' "${only[@]}"
	says 4 'warning port-state mlx5_38/1' 'warning port-state mlx5_39/1'
	for entry in '"port": "mlx5_39/1"' '"port": "mlx5_?9/*"' '"device": "mlx5_39"' "\"pci\": \"$pci\"" \
		"\"pci\": \"$pci\", \"device\": \"mlx5_3*\", \"port\": \"*/1\", \"check\": \"port-state\""; do
		ignoring forty "{$entry, \"why\": \"x\"}" "${only[@]}"
		says 4 'warning port-state mlx5_38/1' 'note port-state mlx5_39/1 ignored: x'
	done
	for entry in '"device": "mlx5_3"' '"device": "mlx5_"' '"port": "mlx5_39/2"' \
		"\"pci\": \"$pci\", \"device\": \"mlx5_38\"" '"device": "mlx5_38", "port": "mlx5_39/1"' \
		'"port": "mlx5_39/1", "check": "memlock"'; do
		ignoring forty "{$entry, \"why\": \"x\"}" "${only[@]}"
		[[ $results == *'warning port-state mlx5_38/1
warning port-state mlx5_39/1'* ]] || wrong "$entry: $results"
		[[ $results != *ignored* ]] || wrong "$entry: $results"
	done
	nothing_wrong
}

@test "doctor: --expect: an entry of ignore that matches nothing" {
	write '"ignore": [{"check": "node-desc", "why": "fine"},
  {"check": "port-state", "device": "mlx5_3", "why": "storage, uncabled"},
  {"check": "memlock", "device": "mlx5_3", "why": "small"}, {"check": "link-errors", "why": "old"}]'
	on cx5-ib-edr doctor --expect "$file" --only memlock,port-state,link-errors,expect --fail-on error
	[ "$status" = 0 ]
	[[ $output = *"note     an entry of ignore matches nothing [expect]
         line 2, column 3: mlx5_3, port-state, storage, uncabled
         -> remove the entry if its reason no longer applies, or correct it"* ]]
	# Checks that were skipped, that a saved tree cannot answer, and that need --interval.
	[[ $output != *node-desc* && $output != *', memlock,'* && $output != *link-errors,* ]]
}

@test "doctor: --expect: ignored devices and ports do not count" {
	expecting cx6dx-roce '"boards": {"MT_0000000436": {"count": 2, "active_ports": 1, "firmware": "22.38.1002"}}, "ignore": [{"device": "mlx5_0", "why": "spare"}]'
	says 0 'ok port-count MT_0000000436: the number of active ports is as expected | 1, wanted 1' \
		'ok expect MT_0000000436: the devices are as expected'
	expecting cx6dx-roce '"boards": {"MT_0000000436": {"count": 3, "active_ports": 1, "rate_gbps": 100}}, "ignore": [{"port": "mlx5_0/1", "why": "spare"}]'
	says 0 'ok port-count MT_0000000436: the number of active ports is as expected | 1, wanted 1' \
		'ok expect MT_0000000436: the devices are as expected'
}

@test "doctor: --expect: wrong files" {
	local form='rdmactl doctor --learn prints a file of this form' many=

	refused '' 'line 1, column 1: unexpected token near end of file'
	refused '{' 'line 1, column 2: unexpected token near end of file'
	refused 'hello' "line 1, column 5: invalid token near 'hello'"
	refused '[]' 'line 1, column 1: the document is a list, not an object'
	refused '{}' 'line 1, column 1: no member "schema": "rdmactl/expect/1"'
	refused '{"schema": "rdmactl/expect/2"}' 'line 1, column 12: the schema is not rdmactl/expect/1'
	refused '{"schema": 1}' 'line 1, column 12: the schema is not rdmactl/expect/1'
	refused $'{"schema": "rdmactl/expect/1",\n "bords": {}}' "line 2, column 2: unknown member 'bords': did you mean 'boards'?"
	refused $'{"schema": "rdmactl/expect/1",\n "boards": []}' 'line 2, column 12: boards is a list, not an object'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": 5}}' 'line 2, column 18: the expectation is a number, not an object'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"frimware": 5}}}' "line 2, column 19: unknown member 'frimware': did you mean 'firmware'?"
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"firmware": 5}}}' 'line 2, column 31: firmware is a number, not a string'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"firmware": ["1", null]}}}' 'line 2, column 37: firmware is null, not a string'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"firmware": []}}}' 'line 2, column 31: firmware is an empty list, which nothing can match'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"firmware": {"min": "1"}}}}' 'line 2, column 31: firmware is text, which cannot have a minimum'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"count": {"mn": 1}}}}' "line 2, column 29: unknown member 'mn'"
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"count": {}}}}' "line 2, column 28: count has no member 'min'"
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"count": -1}}}' 'line 2, column 28: count is negative'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"count": "8"}}}' 'line 2, column 28: count is a string, not a number'
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {"pcie": {"count": 8}}}}' "line 2, column 28: unknown member 'count'"
	refused $'{"schema": "rdmactl/expect/1",\n "boards": {"a": {}, "a": {}}}' "line 2, column 22: duplicate key 'a'"
	refused $'{"schema": "rdmactl/expect/1",\n "profile": "hcp"}' "line 2, column 13: unknown profile 'hcp'"
	refused $'{"schema": "rdmactl/expect/1",\n "memlock_bytes": "much"}' 'line 2, column 19: memlock_bytes is a string, not a number'
	refused $'{"schema": "rdmactl/expect/1",\n "ignore": [{"check": "expect"}]}' "line 2, column 13: an entry of ignore without 'why'"
	refused $'{"schema": "rdmactl/expect/1",\n "ignore": [{"why": "x"}]}' 'line 2, column 13: an entry of ignore names no pci, device, port or check'
	refused $'{"schema": "rdmactl/expect/1",\n "ignore": [{"why": ""}]}' 'line 2, column 21: why is empty'
	refused $'{"schema": "rdmactl/expect/1",\n "ignore": [{"port": 1}]}' 'line 2, column 22: port is not DEV/PORT, such as "mlx5_0/1"'
	refused $'{"schema": "rdmactl/expect/1",\n "ignore": [{"check": "memlok", "why": "x"}]}' "line 2, column 23: unknown check 'memlok': did you mean 'memlock'?"
	refused $'{"schema": "rdmactl/expect/1",\n "ignore": [{"reason": "x"}]}' "line 2, column 14: unknown member 'reason'"
	refused $'{"schema": "rdmactl/expect/1"} x' 'line 1, column 32: unexpected data after the JSON document'
	refused $'{"schema": "rdmactl/expect/1", "\e[31m": 1}' "line 1, column 32: control character 0x1b near '\"'"
	many=$(printf '[%.0s' {1..40})
	refused "{\"comment\": $many" 'line 1, column 44: values nested more than 32 deep'
	refused $'{"schema": "rdmactl/expect/1", "a\\u001b[31m": 1}' "line 1, column 32: unknown member 'a\\x1b[31m'"
	nothing_wrong
	printf '{"schema": "rdmactl/expect/1"\0}' >"$file"
	on cx5-ib-edr doctor --expect "$file"
	[[ $status = 1 && $stderr = *"line 1, column 30: '}' is missing"* ]]
	head -c 300000 /dev/zero | tr '\0' ' ' >"$file"
	on cx5-ib-edr doctor --expect "$file"
	expect_error 1 doctor "$file: File too large" "$form"
	on cx5-ib-edr doctor --expect "$file.none"
	expect_error 1 doctor "$file.none: No such file or directory" "$form"
	on cx5-ib-edr doctor --expect "$BATS_TEST_TMPDIR"
	expect_error 1 doctor "$BATS_TEST_TMPDIR: Is a directory" "$form"
}

@test "doctor: --expect: the example file of the manual" {
	sed -n '/^\.Sh EXPECTATION/,/^\.Sh MONITORING/p' "$top/man/rdmactl-doctor.1" |
		sed -n '/^\.Bd/,/^\.Ed/{/^\./!p}' >"$file"
	jq -e '.boards.MT_0000000838.count == 8' "$file"
	quickly on cx7-ib-ndr doctor --only port-count,expect --expect "$file" --json
	[ "$status" = 4 ]
	[ "$(jq -c '[.doctor[] | select(.object == "MT_0000000838") | [.check, .verdict, .actual, .expected]]' <<<"$output")" = \
		'[["port-count","error","7","8"]]' ]
}

# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# rdmactl mad without a fabric: datagrams from files in every form, malformed ones, and arguments
# that are refused before a device is opened.

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	# NodeInfo of a switch by the directed route 0,1,3; a block of a forwarding table; an unknown
	# attribute with terminal control sequences; an SA table of two records.
	python3 - <<-'END'
	mad = bytearray(256)
	mad[0:8] = bytes.fromhex('0181018180000002')
	mad[8:16] = bytes(range(8))
	mad[17] = 0x11
	mad[32:36] = b'\xff' * 4
	mad[64:68] = bytes([1, 1, 2, 8])
	mad[68:76] = bytes.fromhex('0002c90300001234')
	mad[92:94] = b'\0\x20'
	mad[128:131] = bytes([0, 1, 3])
	mad[192:195] = bytes([0, 5, 7])
	open('node', 'wb').write(mad)
	mad = bytearray(256)
	mad[0:4] = b'\1\1\1\x81'
	mad[17], mad[23] = 0x19, 1
	mad[64:128] = bytes(range(64))
	open('table', 'wb').write(mad)
	mad = bytearray(256)
	mad[0:4] = b'\1\4\1\x81'
	mad[5] = 0x0c
	mad[17] = 0x99
	mad[64:80] = b'Hello world!\x1b[1m'
	open('unknown', 'wb').write(mad)
	mad = bytearray(56 + 2 * 112)
	mad[0:4] = b'\1\3\2\x92'
	mad[17], mad[45] = 0x11, 14
	for i in range(2):
	    at = 56 + i * 112
	    mad[at:at + 2] = bytes([0, i + 3])
	    mad[at + 44:at + 56] = b'node\x1b[31mred'
	open('records', 'wb').write(mad)
	END
}

setup()
{
	load lib.bash
	cd "$BATS_TEST_TMPDIR" || return
	cp "$BATS_FILE_TMPDIR"/* .
}

teardown()
{
	cd / || return
}

# The single datagram of a file, without its name.
row()
{
	try mad decode --json "$@"
	[ "$status" = 0 ] || wrong "$*: status $status: $stderr"
	jq -c '.mads[0] | del(.object)' <<<"$output"
}

@test "mad decode: the header and the fields" {
	try mad decode node
	expect 0
	grep -qx 'class               sm-direct' <<<"$output"
	grep -qx 'attribute           NodeInfo' <<<"$output"
	grep -qx 'initial_path        0,1,3' <<<"$output"
	grep -qx 'return_path         0,5,7' <<<"$output"
	grep -qE '^node_type +switch$' <<<"$output"
	grep -qE '^port_guid +[0-9a-f:]+$' <<<"$output"
	[[ $output != *'|'* ]]
	try mad decode node --raw
	grep -qxF '0040:  01 01 02 08 00 02 c9 03 00 00 12 34 00 00 00 00  |...........4....|' <<<"$output"
}

@test "mad decode: a table has one line for each entry" {
	try mad decode table
	expect 0
	grep -qE '^lid +port *$' <<<"$output"
	grep -qE '^64 +0 *$' <<<"$output"
	grep -qE '^127 +63 *$' <<<"$output"
	try mad decode records
	expect 0
	[ "$(grep -c 'node.x1b.31mred' <<<"$output")" = 2 ]
	row records | jq -ne 'input | [.fields[] | select(.key == "lid") | .value] == ["3", "4"]'
	row records | jq -ne 'input | .fields[0].entry == 0 and .fields[-1].entry == 1'
}

@test "mad decode: unknown data is shown in hexadecimal" {
	try mad decode unknown
	expect 0
	grep -qxF '0040:  48 65 6c 6c 6f 20 77 6f 72 6c 64 21 1b 5b 31 6d  |Hello world!.[1m|' <<<"$output"
	grep -qx 'attribute           -' <<<"$output"
	grep -qx 'status              attribute-not-supported' <<<"$output"
	row unknown | jq -ne 'input | .fields == [] and .attribute == null and
		(.data | startswith("48656c6c6f20776f726c64211b5b316d00"))'
}

@test "mad decode: the same in every form of a dump" {
	local wanted form

	wanted=$(row node)
	[ -n "$wanted" ]
	od -A x -t x1 node >od-hex
	od -t x1 node >od-octal
	od -A d -t x1z node >od-decimal
	od -A n -v -t x1 node >od-bare
	tr -s ' ' ':' <od-bare | sed 's/^://' >colons
	tr -d ' \n' <od-bare >digits
	sed 's/ \([0-9a-f][0-9a-f]\)/ 0x\1,/g' od-bare >array
	python3 - <<-'END'
	mad = open('node', 'rb').read()
	words = [mad[i:i + 2].hex() for i in range(0, 256, 2)]
	lines = range(0, 256, 16)
	text = {at: ''.join(chr(c) if 32 <= c < 127 else '.' for c in mad[at:at + 16]) for at in lines}
	def write(name, form):
	    open(name, 'w').write(''.join(form(at, words[at // 2:at // 2 + 8]) for at in lines))
	write('xxd', lambda at, line: '%08x: %s  %s\n' % (at, ' '.join(line), text[at]))
	write('tcpdump-x', lambda at, line: '\t0x%04x:  %s\n' % (at, ' '.join(line)))
	write('tcpdump-X', lambda at, line: '\t0x%04x:  %s  %s\n' % (at, ' '.join(line), text[at]))
	write('hexdump', lambda at, line: '%08x  %s  |%s|\n' % (at, ' '.join(
	    w[:2] + ' ' + w[2:] for w in line), text[at]))
	write('words', lambda at, line: ' '.join(line) + '\n')
	write('crlf', lambda at, line: '  ' + ' '.join(line).upper() + ' \r\n')
	open('umad', 'wb').write(bytes(64) + mad)
	END
	for form in od-hex od-octal od-decimal od-bare colons digits array xxd tcpdump-x tcpdump-X \
		hexdump words crlf umad; do
		same "$form" "$wanted" "$(row "$form")" || wrong "$form"
	done
	same 'standard input' "$wanted" "$("$binary" mad decode -j - <node | jq -c '.mads[0] | del(.object)')"
	nothing_wrong
}

@test "mad decode: several datagrams, one after the other" {
	cat node unknown node >three
	try mad decode three -o index,class,method,status --tsv --no-headings
	expect 0 $'0\tsm-direct\tget-response\tsuccess\n1\tpm\tget-response\tattribute-not-supported\n2\tsm-direct\tget-response\tsuccess'
	# Offsets that start again at 0, an empty line, several files.
	{ od -A x -t x1 node; od -A x -t x1 unknown; echo; od -A n -v -t x1 node; } >text
	try mad decode text table -o object,index,class --tsv --no-headings
	expect 0 $'text\t0\tsm-direct\ntext\t1\tpm\ntext\t2\tsm-direct\ntable\t0\tsm'
	{ head -c 64 /dev/zero; cat node; head -c 64 /dev/zero; cat unknown; } >umads
	try mad decode umads -o class --tsv --no-headings
	expect 0 $'sm-direct\npm'
	# 1280 bytes are four datagrams with one header each, or five without.
	cat node node node node node >five
	try mad decode five -o class --tsv --no-headings
	[ "$(wc -l <<<"${output%$'\n'}")" = 5 ]
	cat umads umads umads umads | head -c 1280 >four
	try mad decode four -o class --tsv --no-headings
	expect 0 $'sm-direct\npm\nsm-direct\npm'
}

@test "mad decode: cut short at any length" {
	local length

	for length in 24 25 63 64 65 66 100 128 192 195 255; do
		head -c $length node >short
		try mad decode short --json
		[ "$status" = 3 ] || wrong "$length: status $status"
		jq -e --argjson length $length '.mads[0].bytes == $length and
			.mads[0].missing_bytes == 256 - $length and
			.problems[0].error == "datagram 0 is cut short: \($length) of 256 bytes" and
			(.mads[0].data | length) == ([$length - 64, 0] | max) * 2' <<<"$output" >json ||
			wrong "$length: $output"
	done
	head -c 66 node >short
	try mad decode short --json
	jq -e '[.mads[0].fields[] | select(.value != null) | .key] ==
		["base_version", "class_version"]' <<<"$output"
	jq -e '.mads[0].header | any(.key == "mkey" and .value != null) and
		any(.key == "initial_path" and .value == null)' <<<"$output"
	# The text says how many bytes are missing, and has no such line if none are.
	try mad decode short
	shows 'missing_bytes +190'$'\n'
	try mad decode node
	run ! shows missing_bytes
	head -c 23 node >short
	try mad decode short
	expect_error 1 mad 'short: datagram 0 is cut short: 23 bytes are less than its header'
	# The other datagrams are shown.
	cat node node >two
	head -c 300 two >short
	try mad decode short -o index,bytes --tsv --no-headings
	expect 3 $'0\t256\n1\t44'
	nothing_wrong
}

@test "mad decode: files that are not dumps" {
	try mad decode
	expect_error 2 mad 'too few words: it takes FILE...' 'rdmactl mad decode --help'
	try mad decode nofile
	expect_error 1 mad 'nofile: No such file or directory'
	try mad decode .
	expect_error 1 mad '.: Is a directory'
	try mad decode -
	expect_error 1 mad 'stdin: there are no bytes to decode'
	printf '00 01\n0g\n' >bad
	try mad decode bad
	expect_error 1 mad 'bad: line 2 is not a hexadecimal dump' \
		'write bytes as pairs of digits, with or without an offset before them'
	printf 'für Dich\n' >bad
	try mad decode bad
	expect_error 1 mad 'bad: line 1 is not a hexadecimal dump' \
		'write bytes as pairs of digits, with or without an offset before them'
	printf '\n# a remark\n\n' >bad
	try mad decode bad
	expect_error 1 mad 'bad: there are no bytes to decode'
	# The offset differs from the position in the dump: lines are missing.
	od -A x -v -t x1 node | sed 3d >bad
	try mad decode bad
	expect 1
	[[ $stderr = *'bad: line 3 is not a hexadecimal dump'* ]]
	# One bad file does not hide the others.
	try mad decode nofile node -o class --tsv --no-headings
	expect 3 sm-direct 'rdmactl mad: nofile: No such file or directory'
	printf '*\n00\n' >bad
	try mad decode bad
	expect 1
	truncate -s 5M bad
	try mad decode bad
	expect_error 1 mad 'bad: more than 4194304 bytes'
	try mad decode "$(printf 'no\033[31m')"
	expect_error 1 mad 'no\x1b[31m: No such file or directory'
}

@test "mad decode: every format follows the schema" {
	"$binary" schema mads >wanted
	for file in node table unknown records; do
		try mad decode $file --json
		expect 0
		cp out "$file.json"
		try mad decode $file --jsonl
		cp out "$file.jsonl"
	done
	head -c 70 node >short
	try mad decode short --json
	expect 3
	cp out short.json
	python3 - <<-'END'
	import glob, json, jsonschema
	schema = json.load(open('wanted'))
	for name in glob.glob('*.json'):
	    document = json.load(open(name))
	    jsonschema.validate(document, schema)
	    assert document['schema'] == 'rdmactl/mads/1', name
	    assert all(ord(c) >= 32 for c in json.dumps(document))
	    if name != 'short.json':
	        assert document['mads'] == [json.loads(line) for line in open(name + 'l')], name
	END
	# No output controls the terminal.
	for file in node table unknown records; do
		for format in --raw --tsv '-o all'; do
			# shellcheck disable=SC2086 # two words
			try mad decode $file $format
			! grep -q $'\033' <<<"$output" || wrong "$file $format"
		done
	done
	nothing_wrong
}

@test "mad send: arguments are checked before a device is opened" {
	local needs='send needs --class and --attribute'

	try mad send
	expect_error 2 mad "$needs" 'rdmactl mad send 5 --class pm --attribute portcounters'
	try mad send 5 --class pm
	expect_error 2 mad "$needs" 'rdmactl mad send 5 --class pm --attribute portcounters'
	try mad send 5 --class pmm --attribute 1
	expect_error 2 mad "--class: 'pmm' is not a class" "did you mean 'pm'?"
	try mad send 5 --class 256 --attribute 1
	expect_error 2 mad "--class: '256' is not a class" \
		'a number up to 255, or one of the words in rdmactl-mad(1)'
	try mad send 5 --class pm --method gte --attribute 1
	expect_error 2 mad "--method: 'gte' is not a method" "did you mean 'get'?"
	try mad send 5 --class pm --method get-table --attribute 1
	expect 2
	try mad send 5 --class pm --attribute nodeinfo
	expect_error 2 mad "--attribute: 'nodeinfo' is not an attribute of that class" \
		'a number up to 0xffff, or a name such as PortCounters or portcounters'
	try mad send 5 --class pm --attribute portcountrs
	expect_error 2 mad "--attribute: 'portcountrs' is not an attribute of that class" \
		"did you mean 'portcounters'?"
	try mad send 5 --class pm --attribute 0x10000
	expect 2
	try mad send 5 --class pm --attribute 1 --modifier 4294967296
	expect_error 2 mad "--modifier: '4294967296' is not a number up to 0xffffffff"
	try mad send 5 --class pm --attribute 1 --component-mask 1
	expect_error 2 mad '--component-mask is only for class sa'
	try mad send 5 --class 0x40 --attribute 1
	expect_error 2 mad 'a vendor class from 0x30 to 0x4f needs --oui'
	try mad send 5 --class pm --attribute 1 --oui 0x1405
	expect_error 2 mad '--oui is for vendor classes from 0x30 to 0x4f'
	try mad frobnicate
	expect_error 2 mad "unknown command 'frobnicate'" 'rdmactl mad --help lists the commands'
	try mad sent
	expect_error 2 mad "unknown command 'sent'" "did you mean 'send'?"
	try mad classes -o clas
	expect_error 2 mad "unknown column 'clas'" "did you mean 'class'?"
}

@test "mad: an option of another subcommand" {
	try mad classes 5 --class pm
	expect_error 2 mad "'classes' does not take --class" 'it is for send'
	try mad classes --raw
	expect_error 2 mad "'classes' does not take --raw" 'it is for send, decode'
	try mad decode -L /dev/null
	expect_error 2 mad "'decode' does not take --lid" 'it is for send, classes, vendor'
	try mad frobnicate --raw
	expect_error 2 mad "unknown command 'frobnicate'" 'rdmactl mad --help lists the commands'
}

@test "mad: no RDMA at all, and a saved tree" {
	local words

	no_device
	for words in 'send 5 --class pm --attribute portcounters' 'send 5 --class 4 --attribute 0x12' \
		'send --class sm --attribute NodeInfo' 'send 0x1 --class sa --attribute pathrecord' \
		'send 5 --class 0x32 --attribute 0' 'classes 5' classes; do
		# shellcheck disable=SC2086
		try mad $words
		expect_error 5 mad 'this system has no RDMA core: no /sys/class/infiniband' "$no_core_hint" ||
			wrong "$words"
		# shellcheck disable=SC2086
		try mad $words --root "$roots/cx5-ib-edr"
		expect_error 2 mad 'a saved tree answers no management datagrams' \
			'run it on the live system, without --root or RDMACTL_ROOT' || wrong "$words"
	done
	try mad classes 5 --json
	expect 5
	jq -e '.schema == "rdmactl/mad_classes/1" and .mad_classes == [] and
		(.problems | length) == 1' <<<"$output"
	nothing_wrong
}

@test "mad: completion" {
	try __complete -- mad de
	same 'a form' decode "${output%%$'\t'*}"
	try __complete -- mad decode -o attr
	grep -q '^attribute_modifier' <<<"$output"
	try __complete -- mad classes -o cap
	grep -q '^cap_mask2' <<<"$output"
	try __complete -- mad send --class openib-p
	same 'a class' openib-ping "${output%%$'\t'*}"
	try __complete -- mad send --method get-tab
	same 'a method' get-table "${output%%$'\t'*}"
	try __complete -- mad send --cl
	same 'an option' --class "${output%%$'\t'*}"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdmactl mesh in rehearsal: real coordinators, launchers and agents on loopback, made-up results.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

setup()
{
	failures=0
	dir=$BATS_TEST_TMPDIR
	mkdir "$dir/run"
	printf '%s\n' 'hosts n[1-4]' 'all rails 2 gbps 95 latency 1.8 noise 2 firmware 22.41' \
		>"$dir/good"
	cp "$dir/good" "$dir/slow"
	# Long enough that a round still runs while the test looks and does its work.
	echo 'all msec 3000' >>"$dir/slow"
}

# Lists the live processes of the launcher's group.
alive()
{
	local launcher

	read -r launcher 2>/dev/null <"$dir/run/launcher" || return 0
	# If the group does not exist, there is no need to look at every process of the machine.
	kill -0 -- "-$launcher" 2>/dev/null || return 0
	ps -eo pgid=,stat=,args= | awk -v group="$launcher" '$1 == group && $2 !~ /^Z/'
}

# Fails if something of the run is still there after a while.
nothing_left()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		[ -n "$(alive)" ] || return 0
		sleep 0.05
	done
	echo 'left running:'
	alive
	return 1
}

teardown()
{
	[ -z "$(alive)" ] || kill -9 -- "-$(cat "$dir/run/launcher")" || :
}

# mesh COUNT REHEARSAL OPTION...: a run with this many agents.
mesh()
{
	local count=$1 rehearsal=$2

	shift 2
	try mesh run --address 127.0.0.1 --wait 60s --seed 1 --rehearse "$dir/$rehearsal" "$@" \
		-- "$BATS_TEST_DIRNAME/mesh_launcher" "$dir/run" "$count"
}

# present COUNT: checks that this many hosts took part in the last run.
present()
{
	grep -qE "\"hosts_present\": $1\b|^$1 hosts?" "$dir/out" "$dir/err"
}

# mesh_without_all CAME COUNT REHEARSAL OPTION...: the same when some hosts never come. The wait is
# short at first, and longer if a busy machine was too slow for the hosts that do come, which the
# command CAME checks.
mesh_without_all()
{
	local came=$1 wait

	shift
	for wait in 2s 10s 60s; do
		mesh "$@" --wait $wait
		! eval "$came" || return 0
	done
}

# The same in the background; its process is $coordinator.
mesh_in_background()
{
	local count=$1 rehearsal=$2

	shift 2
	"$binary" mesh run --address 127.0.0.1 --wait 60s --rehearse "$dir/$rehearsal" "$@" \
		-- "$BATS_TEST_DIRNAME/mesh_launcher" "$dir/run" "$count" \
		>"$dir/out" 2>"$dir/err" </dev/null 3>&- &
	coordinator=$!
}

# until_true COMMAND...: waits until the command succeeds, for at most a minute.
until_true()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		"$@" && return
		sleep 0.05
	done
	echo "never true: $*"
	return 1
}

agents_are()
{
	local agents=()

	mapfile -t agents 2>/dev/null <"$dir/run/agents"
	[ ${#agents[@]} = "$1" ]
}

# True if a test of a pair is running: some agent has a child.
a_round_runs()
{
	local pid children

	agents_are 4 || return
	while read -r pid; do
		children=
		read -r children 2>/dev/null <"/proc/$pid/task/$pid/children" || :
		[ -z "$children" ] || return 0
	done <"$dir/run/agents"
	return 1
}

end_of_coordinator()
{
	status=0
	wait "$coordinator" || status=$?
	take "$dir/out" "$dir/err"
	tried='mesh run (in the background)'
}

@test "mesh: good hosts" {
	mesh 4 good --hosts 4
	expect 0
	shows '4 hosts, 8 rails: 28 pairs in 6 rounds, .* s; median 9[0-9]\.[0-9] Gb/s, 1\.[0-9]+ us'
	shows 'REHEARSAL: the results are made up'
	shows 'nothing wrong'
	[ -z "$stderr" ]
	nothing_left
	# The token is on no command line.
	run ! grep -qE '[0-9a-f]{32}' "$dir/run/line"
	grep -qx -e '--agent=.*' "$dir/run/line"
}

@test "mesh: a bad rail and a host that fails are named" {
	printf '%s\n' 'hosts n1 n2 n3 n4 n5 n6 n7 n8' 'all rails 2 noise 2' 'rail n3/1 gbps 45' \
		'host n5 fail no answer from the peer' >"$dir/bad"
	mesh 8 bad --hosts 8
	expect 4
	shows 'error    n5: most rails of the host are bad \[host\]'
	shows 'error    n3 rail 1: .* \[rail\]'
	[ "$(grep -c '^error' "$dir/out")" = 2 ]
	mesh 8 bad --hosts 8 --json
	expect 4
	[ "$(jq -c '[.mesh[] | [.finding, .host, .rail]]' "$dir/out")" = '[["host","n5",null],["rail","n3",1]]' ]
	[ "$(jq -c '[.schema, .hosts_present, .rehearsed]' "$dir/out")" = '["rdmactl/mesh/1",8,true]' ]
	nothing_left
}

@test "mesh: hosts that do not come, that cannot take part, and that differ" {
	printf '%s\n' 'host n2 firmware 20.39' 'host n4 refuse no RDMA device' >>"$dir/good"
	# shellcheck disable=SC2016 # for the function
	mesh_without_all 'present 3 && grep -q "n4: the host connected" "$dir/out"' 4 good --hosts n1,n2,n3,n4,n5
	expect 3
	shows 'warning  n5: the host did not join \[absent\]'
	shows 'warning  n4: the host connected, but cannot take part \[refused\]'
	shows '         no RDMA device'
	shows 'notice   adapters have different firmware \[firmware-differs\]'
	shows '         22\.41 on 2 hosts; 20\.39 on n2'
	nothing_left
}

@test "mesh: hosts on which others use RDMA are refused, unless --busy" {
	echo 'host n2 others 7' >>"$dir/good"
	mesh 2 good --hosts 2 --stages loopback
	expect 3
	shows '         7 queue pairs of other programs are in use on its rails'
	shows '         -> end them first: rdmactl resources qp lists them; or test alongside them with --busy'
	mesh 2 good --hosts 2 --stages loopback --busy
	expect 0
	echo 'host n2 others 1' >>"$dir/good"
	mesh 2 good --hosts 2 --stages loopback
	expect 3
	shows '         1 queue pair of other programs is in use on its rails'
	# 2^32 must not be taken for 0.
	echo 'host n2 others 4294967296' >>"$dir/good"
	mesh 2 good --hosts 2 --stages loopback
	expect 3
	shows '         4294967295 queue pairs of other programs are in use on its rails'
}

@test "mesh: a missing launcher, one that fails, one that starts nothing" {
	try mesh run --hosts 2 --address 127.0.0.1 -- /nonexistent/launcher
	expect_error 1 mesh 'cannot start the launcher /nonexistent/launcher: No such file or directory'
	FAIL=7 mesh 4 good --hosts 4
	expect 1 ''
	[[ $stderr == *'no host joined: the launcher ended with status 7'* ]]
	mesh 0 good --hosts 4
	expect 1 ''
	[[ $stderr == *'no host joined: the launcher ended with status 0'* ]]
	nothing_left
}

@test "mesh: why a launcher ended, rather than the hints of agents" {
	local before

	for before in '' 'n1: '; do
		# shellcheck disable=SC2016 # for the inner shell
		try mesh run --hosts 2 --address 127.0.0.1 -- \
			sh -c 'printf "%s\n" "$1no such file" "$1  try: another" "$1  and this"' sh "$before"
		expect 1 ''
		[[ $stderr == *"no host joined: the launcher ended with status 0: ${before}no such file"$'\n'* ]]
	done
}

# The kernel keeps no exit status of children if the parent of this process ignored SIGCHLD.
@test "mesh: a launcher that fails, started by a parent that ignores SIGCHLD" {
	status=0
	env --ignore-signal=CHLD "$binary" mesh run --hosts 2 --address 127.0.0.1 --timeout 30s \
		-- sh -c 'exit 7' >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" = 1 ]
	grep -q 'no host joined: the launcher ended with status 7' "$BATS_TEST_TMPDIR/err"
}

@test "mesh: a launcher that has ended before anybody checked" {
	local i

	# It ends after the first check and before the second. A busy machine may be too slow for that.
	for ((i = 0; i < 20; i++)); do
		try mesh run --hosts 2 --address 127.0.0.1 --wait 150ms -- \
			sh -c 'sleep 0.05; echo "no such partition"; exit 7'
		expect 1 ''
		[[ $stderr != *'no host joined: the launcher ended with status 7: no such partition'* ]] ||
			return 0
	done
	false
}

@test "mesh: a launcher gets the default signal settings" {
	local ignored

	# shellcheck disable=SC2016 # for the inner shell
	try mesh run --wait 1s -- sh -c 'grep SigIgn /proc/self/status >"$1"' sh "$dir/signals"
	read -r _ ignored <"$dir/signals"
	# The bits of SIGPIPE and SIGXFSZ.
	[ $((0x$ignored & (1 << 12 | 1 << 24))) = 0 ]
}

@test "mesh: a map that cannot be written" {
	mesh 2 good --hosts 2 --stages ring --heat-map "$dir/none/map.svg"
	expect 1
	shows '2 hosts'
	[[ $stderr == *"cannot write $dir/none/map.svg: No such file or directory
  name a file in a directory that exists and is writable"* ]]
	nothing_left
}

@test "mesh: progress on a terminal" {
	printf '%s\n' 'hosts n[1-4]' 'all msec 1000' >"$dir/slow"
	script -qec "${binary@Q} mesh run --address 127.0.0.1 --wait 60s --rehearse ${dir@Q}/slow --hosts 4 \
		--stages ring,ring -- ${BATS_TEST_DIRNAME@Q}/mesh_launcher ${dir@Q}/run 4" "$dir/out" </dev/null >/dev/null
	grep -qE '[0-8] of [48] pairs, 0 bad' "$dir/out"
	grep -q '4 hosts, 4 rails: 8 pairs in 4 rounds' "$dir/out"
	nothing_left
}

@test "mesh: a launcher has time to end, unless it started nothing" {
	LINGER=0.3 mesh 2 good --hosts 2 --stages loopback
	expect 0
	[ -e "$dir/run/lingered" ]
	rm "$dir/run/lingered"
	LINGER=1000 mesh 0 good --hosts 2 --wait 100ms
	expect 1 ''
	[[ $stderr == *'rdmactl mesh: no host joined'* ]]
	[ ! -e "$dir/run/lingered" ]
	nothing_left
}

@test "mesh: the numbers of the summary" {
	local hosts=n1,n2,n3,n4,n5,n6,n7 rows

	printf '%s\n' 'hosts n[1-6]' 'all rails 2' 'host n4 refuse no RDMA device' \
		'host n5 fail no answer from the peer' >"$dir/mixed"
	mesh_without_all 'present 5' 6 mixed --hosts $hosts --json --save "$dir/rows"
	expect 4
	[ "$(jq -c '[.seed, .hosts_wanted, .hosts_present, .hosts_missing, .rails, .pairs_untried,
		.pairs_left_out, .pairs_resumed, .pairs_one_way, .interrupted]' "$dir/out")" = \
		'[1,7,5,2,10,0,0,0,null,false]' ]
	jq -e '.seconds > 2 and .seconds < 600' "$dir/out"
	# The rows are of the same pairs. Each rail of n5 has failed.
	rows=$(jq -cs '[length, (map(select(.outcome == "fail")) | length)]' "$dir/rows")
	[ "$(jq -c '[.pairs, .pairs_failed]' "$dir/out")" = "$rows" ]
	[ "$(jq .pairs_failed "$dir/out")" -gt 1 ]
	# The hosts are only given by number, and fewer come.
	mesh_without_all 'present 3' 3 good --hosts 4 --stages loopback --json
	expect 3
	[ "$(jq -c '[.hosts_wanted, .hosts_present, .hosts_missing]' "$dir/out")" = '[4,3,1]' ]
	[ "$(jq -c '.mesh[] | [.finding, .object, .evidence]' "$dir/out")" = \
		'["absent","1 of 4 hosts","3 joined"]' ]
	# A host that is named twice, with and without its domain, counts once.
	mesh 2 good --hosts n1.cluster,n1,n2 --stages loopback --json
	expect 0
	[ "$(jq -c '[.hosts_wanted, .hosts_present, .hosts_missing]' "$dir/out")" = '[2,2,0]' ]
}

@test "mesh: messages during the run, verbose and quiet" {
	echo 'host n2 refuse no RDMA device' >>"$dir/good"
	mesh 2 good --hosts 2 --stages loopback -v
	expect 3
	[[ $stderr == *'rdmactl mesh: n1 joined, with 2 rails'* ]]
	[[ $stderr == *'rdmactl mesh: n2 cannot take part: no RDMA device'* ]]
	[[ $stderr != *'n2 joined'* ]]
	mesh 2 good --hosts 2 --stages loopback
	expect 3
	[[ $stderr != *joined* && $stderr == *'n2 cannot take part'* ]]
	mesh 2 good --hosts 2 --stages loopback -q
	expect 3
	[ -z "$stderr" ]
}

@test "mesh: hosts that are missing for the same reason are shown together" {
	echo 'host n2 refuse no RDMA device' >>"$dir/good"
	mesh_without_all 'present 1' 2 good --hosts n[1-40] --stages loopback
	expect 3
	shows 'warning  38 hosts, n\[3-40\]: the host did not join \[absent\]'
	shows 'warning  n2: the host connected, but cannot take part \[refused\]'
	[ "$(grep -c absent <<<"$output")" = 1 ]
}

@test "mesh: hosts that have the same name" {
	# shellcheck disable=SC2016 # for the function
	mesh_without_all '[[ $stderr == *refused* ]]' 2 good --hosts 2 --stages loopback --name localhost
	expect 3
	[[ $stderr == *'(localhost): refused: another agent of this name joined first'$'\n'* ]]
	[[ $stderr == *'let the launcher start one agent on each host; if hosts have the same name, give them others with --name'* ]]
}

@test "mesh: a name that looks like an option" {
	mesh 1 good --hosts 1 --stages loopback --name=--root
	expect 0
	grep -qx -e --name=--root "$dir/run/line"
}

@test "mesh: a token file is created, and removed" {
	mesh 2 good --hosts 2 --stages loopback --token-file "$dir/token"
	expect 0
	grep -qx -e '--token-file=.*' "$dir/run/line"
	[ ! -e "$dir/token" ]
	# A file that others may read is refused; the user's own file is kept.
	echo secret >"$dir/token"
	chmod 644 "$dir/token"
	mesh 2 good --hosts 2 --stages loopback --token-file "$dir/token"
	expect 1 ''
	[[ $stderr == *'chmod 600'* ]]
	chmod 600 "$dir/token"
	mesh 2 good --hosts 2 --stages loopback --token-file "$dir/token"
	expect 0
	[ "$(cat "$dir/token")" = secret ]
	rm "$dir/token"
	# shellcheck disable=SC2016 # for the inner shell
	stderr=$(sh -c 'ulimit -f 0; exec "$@"' sh "$binary" mesh run --hosts 2 --address 127.0.0.1 \
		--token-file "$dir/token" --rehearse "$dir/good" -- true 2>&1 >/dev/null) || status=$?
	[ "$stderr" = "rdmactl mesh: cannot take the token from $dir/token: File too large" ]
	[ "$status" = 1 ]
	[ ! -e "$dir/token" ]
}

@test "mesh: a launcher that passes neither environment nor standard input" {
	# shellcheck disable=SC2016 # for the launcher
	try mesh run --hosts 2 --address 127.0.0.1 --wait 60s --rehearse "$dir/good" -- \
		sh -c 'env -u RDMACTL_TOKEN "$@" </dev/null' sh
	expect 1 ''
	[[ $stderr == *'its agent has no token'* ]]
	[[ $stderr == *--token-file* ]]
}

@test "mesh: the token on standard input, as clush passes it on" {
	# Each agent gets the launcher's first line.
	# shellcheck disable=SC2016 # for the launcher
	try mesh run --hosts 2 --address 127.0.0.1 --wait 60s --rehearse "$dir/good" -- \
		sh -c 'read -r line; unset RDMACTL_TOKEN
			echo "$line" | "$@" & echo "$line" | "$@" & wait' sh
	expect 0
	shows '2 hosts'
}

@test "mesh: an impossible number of hosts" {
	local number

	for number in 0 65537 99999999999999999999; do
		try mesh run --hosts $number -- true
		expect_error 2 mesh '--hosts: not from 1 to 65536 hosts' '--hosts 64 or --hosts n[01-64]'
	done
}

@test "mesh: a wait that is out of range" {
	try mesh run --wait 4294967296ms -- true
	expect 2
	[[ $stderr == *"--wait: '4294967296ms' is not between 1ms and 4294967295ms"* ]]
}

@test "mesh: an interruption while hosts come" {
	mesh_in_background 4 good --hosts 5
	until_true agents_are 4
	kill -TERM "$coordinator"
	end_of_coordinator
	expect 1 ''
	[[ $stderr == *'interrupted while waiting for hosts'* ]]
	nothing_left
}

@test "mesh: an interruption while pairs are tested" {
	local signal

	for signal in INT TERM HUP; do
		rm -f "$dir"/run/*
		mesh_in_background 4 slow --hosts 4
		until_true a_round_runs
		kill -$signal "$coordinator"
		end_of_coordinator
		expect 1 || wrong $signal
		shows 'nothing wrong so far' || wrong $signal
		[[ $stderr == *interrupted* ]] || wrong $signal
		nothing_left || wrong $signal
	done
	nothing_wrong
}

@test "mesh: how to continue after an interruption" {
	mesh_in_background 4 slow --hosts 4 --seed 7 --stages ring,full --save "$dir/rows"
	until_true a_round_runs
	kill -TERM "$coordinator"
	end_of_coordinator
	expect 1
	[[ $stderr == *"--resume $dir/rows --seed 7 --stages ring,full continues the run"* ]]
	nothing_left
}

@test "mesh: --timeout ends it as a signal does" {
	mesh 4 slow --hosts 5 --timeout 2s
	expect 1 ''
	[ "$stderr" = $'rdmactl mesh: gave up after --timeout while waiting for hosts\n' ]
	# On a busy machine, hosts may take all that time to come.
	mesh 4 slow --hosts 4 --stages loopback,loopback,loopback --timeout 5s
	expect 1
	[[ $stderr == *'rdmactl mesh: gave up after --timeout'* ]]
	nothing_left
}

@test "mesh: an agent that is killed makes no bad pairs" {
	mesh_in_background 4 slow --hosts 4 --stages ring
	until_true a_round_runs
	kill -KILL "$(head -n 1 "$dir/run/agents")"
	end_of_coordinator
	expect 3
	[[ $output =~ warning\ \ n[1-4]:\ the\ host\ was\ lost ]]
	run ! grep -q '^error' "$dir/out"
	nothing_left
}

@test "mesh: an agent that is stopped is given up" {
	mesh_in_background 4 slow --hosts 4 --stages ring --silence 1s
	until_true a_round_runs
	kill -STOP "$(head -n 1 "$dir/run/agents")"
	end_of_coordinator
	expect 3
	[[ $output =~ 'its agent is stopped, or cut off' ]]
	run ! grep -q '^error' "$dir/out"
	nothing_left
}

@test "mesh: agents end with a coordinator that is killed" {
	mesh_in_background 4 slow --hosts 4
	until_true a_round_runs
	kill -KILL "$coordinator"
	end_of_coordinator
	[ "$status" = 137 ]
	nothing_left
}

@test "mesh: agents leave a coordinator that is stopped" {
	mesh_in_background 4 slow --hosts 4 --silence 1s
	until_true a_round_runs
	kill -STOP "$coordinator"
	nothing_left
	kill -CONT "$coordinator"
	end_of_coordinator
	expect 3
	shows '0 hosts'
}

@test "mesh: a launcher that dies after all agents have come does not matter" {
	mesh_in_background 4 slow --hosts 4 --stages ring
	until_true a_round_runs
	kill -KILL "$(cat "$dir/run/launcher")"
	end_of_coordinator
	expect 0
	[[ $stderr == *'the launcher was killed by signal 9'* ]]
	nothing_left
}

@test "mesh: a test that crashes, and one that hangs" {
	echo 'host n2 crash' >>"$dir/good"
	mesh 4 good --hosts 4 --stages ring
	# The crash says nothing about the pair, but the result must not be "nothing wrong" either.
	expect 3
	run ! grep -q 'fail' < <(grep -v '\[not-judged\]$' "$dir/out")
	grep -q '^warning  pairs could not be tried: nothing is known of them \[untried\]$' "$dir/out"
	grep -q '^         4 of 8 tests; the first: .*n2.*: the process of the test was killed by signal [0-9]*$' "$dir/out"
	nothing_left
	printf '%s\n' 'hosts n1 n2 n3 n4' 'host n2 hang' >"$dir/good"
	mesh 4 good --hosts 4 --stages ring --duration 100ms --pair-timeout 1s
	expect 4
	[[ $output == *'the test did not end within 1.0 s'* ]]
	nothing_left
	# This many milliseconds are more microseconds than 32 bits hold.
	printf '%s\n' 'hosts n1 n2' 'all msec 4294968' >"$dir/good"
	mesh 2 good --hosts 2 --stages ring --duration 100ms --pair-timeout 1s
	expect 4
	[[ $output == *'the test did not end within 1.0 s'* ]]
	nothing_left
}

@test "mesh: agents that cannot talk to each other say nothing of RDMA" {
	printf '%s\n' 'host n2 apart connect: no answer' >>"$dir/good"
	mesh 4 good --hosts 4 --stages ring
	expect 3
	run ! grep -qE 'fail|untried' < <(grep -v '\[not-judged\]$' "$dir/out")
	grep -q '^warning  n2: agents could not talk to each other over TCP: nothing of RDMA was tried \[no-exchange\]$' "$dir/out"
	grep -q '^         4 of 8 tests, all of them with n2; the first: .*n2.*: connect: no answer$' "$dir/out"
	grep -q '^         -> let the hosts reach each other' "$dir/out"
	# In loopback there is nobody to talk to.
	mesh 4 good --hosts 4 --stages loopback,ring --json
	[ "$(jq -c '.pairs_untried, (.mesh[] | select(.finding == "no-exchange") | [.object, .host])' \
		"$dir/out" | tr '\n' ' ')" = '4 ["n2","n2"] ' ]
	nothing_left
	# Two such hosts: each is tested with no other one.
	printf '%s\n' 'hosts n[1-6]' 'host n2 apart no way' 'host n5 apart no way' >"$dir/two"
	mesh 6 two --hosts 6 --stages loopback,full
	expect 3
	grep -q '^         9 of 21 tests; n\[2,5\] were tested with no other host; the first: .*: no way$' "$dir/out"
	# n2, n5 and n6 have one pair each: nothing tells which host of it is at fault.
	printf '%s\n' 'n1 n2' 'n1 n3' 'n5 n6' >"$dir/pairs"
	mesh 6 two --hosts 6 --stages "pairs:$dir/pairs"
	expect 3
	grep -q '^         2 of 3 tests; the first: .*: no way$' "$dir/out"
	# A firewall between two of them: they are named as a pair only.
	printf '%s\n' 'hosts n[1-6]' 'pair n2 n5 apart no way' >"$dir/two"
	mesh 6 two --hosts 6 --stages full
	expect 3
	grep -q '^         1 of 15 tests; the first: n[25] and n[25], rail 0: no way$' "$dir/out"
	nothing_left
	# No single host is in all of them: none is named.
	printf '%s\n' 'hosts n[1-4]' 'all apart no way' >"$dir/good"
	mesh 4 good --hosts 4 --stages ring --json
	expect 3
	jq -e '.pairs_untried == 4 and .pairs_failed == 0 and (.mesh[] | select(.finding == "no-exchange") |
		.object == null and (.evidence | test("^4 of 4 tests; the first: .* rail 0: no way$")))' \
		"$dir/out"
	nothing_left
}

@test "mesh: results as they come, and a run that is continued" {
	mesh 4 good --hosts 4 --jsonl
	expect 0
	[ "$(wc -l <"$dir/out")" = 28 ]
	[ "$(jq -c 'select(.outcome != "pass")' "$dir/out")" = '' ]
	[[ $stderr == *'nothing wrong'* ]]
	mesh 4 good --hosts 4 --save "$dir/rows" --stages loopback,ring
	expect 0
	[ "$(wc -l <"$dir/rows")" = 16 ]
	# A run that was killed leaves half a line.
	printf '{"stage": 1, "rou' >>"$dir/rows"
	mesh 4 good --hosts 4 --resume "$dir/rows" --json
	[ "$(jq -c '[.pairs, .pairs_resumed]' "$dir/out")" = '[12,16]' ]
	# The new results follow the half line, which a later run skips and reports.
	[ "$(wc -l <"$dir/rows")" = 29 ]
	[ "$(jq -Rc 'fromjson? | .outcome' "$dir/rows" | sort | uniq -c | tr -s ' ')" = ' 28 "pass"' ]
	mesh 4 good --hosts 4 --resume "$dir/rows" --json
	[ "$(jq -c '[.pairs, .pairs_resumed]' "$dir/out")" = '[0,28]' ]
	[[ $(jq -r '.problems[].error' "$dir/out") == '--resume: 1 line does not hold a result: '* ]]
	# Results of other hosts: a run with other names, or fewer hosts, measures its own pairs.
	sed -n '/"stage": *0/ s/"\(host\|peer\)": *"[^"]*"/"\1": "other"/gp' "$dir/rows" >"$dir/others"
	mesh 2 good --hosts 2 --stages loopback --resume "$dir/others"
	expect 0
	[[ $stderr == *'--resume: '*' results are not used: other, for example, is not in this run; if it should be, name the hosts'* ]]
	mesh 2 good --hosts 2 --stages loopback --save /dev/full
	expect_error 1 mesh 'cannot write /dev/full: it is not a regular file'
	mesh 2 good --hosts 2 --stages loopback --save "$dir/none/rows"
	expect_error 1 mesh "cannot write $dir/none/rows: No such file or directory" \
		'name a file in a directory that exists and is writable'
}

@test "mesh: why results cannot be saved" {
	local before

	before=$(ulimit -S -f)
	ulimit -S -f 4
	mesh 4 good --hosts 4 --save "$dir/rows" --stages loopback,full,sample:3
	ulimit -S -f "$before"
	expect 1
	[[ $stderr == *"cannot write $dir/rows: File too large
  raise the limit of a file's size (ulimit -f)"* ]]
}

@test "mesh: a run that is continued with other stages" {
	mesh 4 good --hosts 4 --save "$dir/rows" --stages loopback,incast:2,ring
	expect 0
	[ "$(jq -c '[.stage, .mode]' "$dir/rows" | sort -u | tr -d '\n')" = \
		'[0,"loopback"][1,"incast:2"][2,"ring"]' ]
	cp "$dir/rows" "$dir/before"
	mesh 4 good --hosts 4 --resume "$dir/rows" --stages loopback,incast:3,ring
	expect_error 2 mesh "--resume: stage 1 of $dir/rows was incast:2, but is incast:3 here" \
		'give the same --stages as that run had, or write to another file with --save'
	mesh 4 good --hosts 4 --resume "$dir/rows" --stages ring
	expect_error 2 mesh "--resume: stage 0 of $dir/rows was loopback, but is ring here" \
		'give the same --stages as that run had, or write to another file with --save'
	cmp "$dir/before" "$dir/rows"
	# More stages or fewer are not different stages, and an older file does not record the stages.
	mesh 4 good --hosts 4 --resume "$dir/rows" --stages loopback,incast:2,ring,sample:1 --json
	expect 0
	[ "$(jq -c '[.pairs > 0, .pairs_resumed > 0]' "$dir/out")" = '[true,true]' ]
	# In an incast, each host sends to the others and receives from them: half a run is half of both.
	mesh 4 good --hosts 4 --save "$dir/rows" --stages incast:3
	jq -c 'select(.round < 2)' "$dir/rows" >"$dir/half"
	mesh 4 good --hosts 4 --resume "$dir/half" --stages incast:3 --json
	[ "$(jq -c '[.pairs, .pairs_resumed]' "$dir/out")" = '[12,12]' ]
	# Senders share the port of their receiver: all of them are needed again if one is.
	jq -c 'select(.round < 3 or .host != "n1") | if .round == 3 then .outcome = "fail" else . end' \
		"$dir/rows" >"$dir/part"
	mesh 4 good --hosts 4 --resume "$dir/part" --stages incast:3 --json
	[ "$(jq -c '[.pairs, .pairs_resumed, .pairs_failed]' "$dir/out")" = '[6,18,0]' ]
	# The results that they had before count neither now nor later.
	mesh 4 good --hosts 4 --resume "$dir/part" --stages incast:3 --json
	[ "$(jq -c '[.pairs, .pairs_resumed, .pairs_failed]' "$dir/out")" = '[0,24,0]' ]
	# An interruption may leave a pair untried: what it had before does not fit the rest of the round.
	untried=$(tail -n 1 "$dir/part" | jq -c '.outcome = "untried"')
	printf '%s\n' "$untried" >>"$dir/part"
	mesh 4 good --hosts 4 --resume "$dir/part" --stages incast:3 --json
	[ "$(jq -c '[.pairs, .pairs_resumed, .pairs_failed]' "$dir/out")" = '[6,18,0]' ]
	jq -c 'del(.mode)' "$dir/before" >"$dir/rows"
	mesh 4 good --hosts 4 --resume "$dir/rows" --stages loopback
	expect 0
}

@test "mesh: excluded hosts, a map, a picture, distributions" {
	echo 'rail n3/1 gbps 45' >>"$dir/good"
	mesh 4 good --hosts 4 --exclude-list nodes
	expect 4 n3
	[[ $stderr == *'n3 rail 1'* ]]
	mesh 4 good --hosts 4 --map --histogram --heat-map "$dir/map.svg"
	expect 4
	shows 'n1 +[.#]'
	shows 'rail 1, Gb/s:'
	/usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$dir/map.svg"
}

@test "mesh: the map does not compare shared bandwidth with that of a pair alone" {
	local mode

	for mode in incast:3 bisection; do
		# Three that send to one have a third of its port each; two halves share the links between them.
		mesh 4 good --hosts 4 --stages "ring,$mode" --save "$dir/rows"
		jq -c 'if .stage == 1 then .gbps /= 3 | .peer_gbps /= 3 else . end' "$dir/rows" >"$dir/shared"
		mesh 4 good --hosts 4 --stages "ring,$mode" --resume "$dir/shared" --map
		expect 0
		! grep -E '^n[1-4] .*[-+#]' <<<"$output" || wrong "$mode"
	done
	nothing_wrong
}

@test "mesh: the pairs of a file" {
	printf '%s\n' 'n1 n2' 'n3/1 n4/1' >"$dir/pairs"
	mesh 4 good --hosts 4 --stages "pairs:$dir/pairs" --json
	[ "$(jq .pairs "$dir/out")" = 3 ]
	printf '%s\n' 'n1/1 n2/0' 'n3/7 n4/1' >"$dir/pairs"
	mesh 4 good --hosts 4 --stages "pairs:$dir/pairs"
	expect 3
	[[ $stderr == *'rdmactl mesh: 1 pair is left out because a host has no such rail, or cannot use it: n3/7'$'\n'* ]]
	echo 'n1 n2' | "$binary" mesh run --address 127.0.0.1 --wait 60s --rehearse "$dir/good" --hosts 4 \
		--stages pairs:- --json -- "$BATS_TEST_DIRNAME/mesh_launcher" "$dir/run" 4 >"$dir/out"
	[ "$(jq .pairs "$dir/out")" = 2 ]
	echo 'n1 n9' >"$dir/pairs"
	mesh 4 good --hosts 4 --stages "pairs:$dir/pairs"
	expect 1 ''
	[[ $stderr == *'line 1'* ]]
}

@test "mesh: a rail that is down is named, and those after it keep their numbers" {
	printf '%s\n' 'hosts n[1-8]' 'all rails 8 gbps 95 noise 2' \
		'rail n3/5 down port mlx5_5/1 is not ACTIVE but down' 'rail n3/6 gbps 45' >"$dir/down"
	mesh 8 down --hosts 8 --save "$dir/rows"
	expect 4
	[[ $output == '8 hosts, 63 rails: '* ]]
	shows 'error +n3 rail 5: .* \[unusable-rail\]'
	shows ' +port mlx5_5/1 is not ACTIVE but down'
	shows 'error +n3 rail 6: .* \[rail\]'
	[[ $output != *rails-differ* ]]
	[ "$(jq -r 'select(.rail != .peer_rail) | .host' "$dir/rows")" = '' ]
	[ "$(jq -r 'select(.host == "n3" or .peer == "n3") | .rail' "$dir/rows" | sort -u | tr '\n' ' ')" = '0 1 2 3 4 6 7 ' ]
	# A rail that was another port then is tested again.
	jq -c 'select(.second_pass == false)' "$dir/rows" >"$dir/kept"
	jq -c 'if .rail == 7 and .host == "n3" then .device = "mlx5_6/1" else . end' "$dir/kept" >"$dir/moved"
	mesh 8 down --hosts 8 --resume "$dir/moved" --json
	[ "$(jq .pairs_resumed "$dir/out")" = $(($(wc -l <"$dir/kept") - $(jq -r 'select(.rail == 7) | .host' "$dir/kept" | grep -c n3))) ]
	[[ $stderr == *'results are not used: rail 7 of n3, for example, may have been another port then'* ]]
	# Nobody uses it, so it is no rail, which is said in one line.
	printf 'rail n%u/5 down no cable\n' 1 2 3 4 5 6 7 8 >>"$dir/down"
	mesh 8 down --hosts 8 --json
	[ "$(jq -c '[.rails, .ports_left_out, [.mesh[] | [.finding, .object, .device]]]' "$dir/out")" = \
		'[56,8,[["rail","n3 rail 5","mlx5_6/1"]]]' ]
	mesh 8 down --hosts 8 --stages ring --no-bandwidth
	shows '8 ports cannot be used and are not counted; the first, on n1: no cable'
	printf '%s\n' 'n1/1 n3/1' 'n1.cluster/5 n3/5' >"$dir/pairs"
	printf '%s\n' 'hosts n[1-4]' 'all rails 6' 'rail n3/5 down no cable' >"$dir/down"
	mesh 4 down --hosts 4 --stages "pairs:$dir/pairs" --verbose
	expect 4
	[[ $stderr == *'rdmactl mesh: n3 joined, with 5 rails; 1 port cannot be used: no cable'$'\n'* ]]
	[[ $stderr == *'rdmactl mesh: 1 pair is left out because a host has no such rail, or cannot use it: n3/5'$'\n'* ]]
}

@test "mesh: an adapter that is not there is named, and those after it keep their numbers" {
	printf '%s\n' 'hosts n[1-8]' 'all rails 8 gbps 95 noise 2' 'rail n3/5 gone' 'rail n3/6 gbps 45' \
		'rail n4/2 gone' 'rail n4/1 down no cable' >"$dir/gone"
	mesh 8 gone --hosts 8 --save "$dir/rows"
	expect 4
	[[ $output == '8 hosts, 61 rails: '* ]]
	shows 'error +n3 rail 5: .* \[unusable-rail\]'
	shows ' +there is no port where n1 and 5 more have mlx5_5/1 \(pci0000:00/05.0\)'
	shows ' +-> on n3: see whether lspci still shows the adapter, and whether a container has its RDMA device; rdmactl doctor'
	shows 'error +n3 rail 6: .* \[rail\]'
	shows 'error +n4 rail 1: .* \[unusable-rail\]'
	shows ' +no cable'
	shows ' +there is no port where n1 and 5 more have mlx5_2/1 \(pci0000:00/02.0\)'
	[[ $output != *rails-differ* ]]
	[ "$(jq -r 'select(.rail != .peer_rail) | .host' "$dir/rows")" = '' ]
	[ "$(jq -r 'select(.host == "n3" or .peer == "n3") | .rail' "$dir/rows" | sort -u | tr '\n' ' ')" = '0 1 2 3 4 6 7 ' ]
	# Where more hosts have fewer ports, nothing is missing.
	printf '%s\n' 'hosts n[1-4]' 'all rails 2' 'host n1 rails 3' >"$dir/gone"
	mesh 4 gone --hosts 4 --json
	[ "$(jq -c '[.mesh[] | [.finding, .evidence]]' "$dir/out")" = '[["rails-differ","2 on 3 hosts; 3 on n1; mlx5_2/1 of n1 is where n2 has no port"]]' ]
}

@test "mesh: where every pair of a rail fails, no host is blamed" {
	local i j

	for ((i = 1; i <= 4; i++)); do
		for ((j = i + 1; j <= 4; j++)); do
			echo "pair n$i/1 n$j/1 fail cannot connect to the peer"
		done
	done >>"$dir/good"
	mesh 4 good --hosts 4 --json
	expect 4
	[ "$(jq -c '[.mesh[] | select(.severity == "error") | [.finding, .object, .host, .rail, .bad, .judged, .hosts]]' "$dir/out")" = \
		'[["unclear","all 6 pairs of rail 1",null,1,6,6,null]]' ]
	[[ $(jq -r '.mesh[0].evidence' "$dir/out") == '6 pairs failed: cannot connect to the peer; tried again alone: 2 of 2 bad; no host stands out' ]]
	[[ $(jq -r '.mesh[0].next_step' "$dir/out") == 'look for what all of them share: a firewall, '* ]]
}

@test "mesh: neighbours that are all bad are all named" {
	local i

	printf '%s\n' 'hosts n[1-8]' 'all rails 1 gbps 95 noise 2' >"$dir/rack"
	for i in 3 4 5 6 7; do
		echo "host n$i fail no answer"
	done >>"$dir/rack"
	mesh 8 rack --hosts 8 --stages ring,sample:6 --exclude-list nodes
	expect 4 'n[3-7]'
	[[ $stderr == *$'n4 rail 0: '*$'\n         '[2-8]' of '[2-8]' partners failed: no answer; '* ]]
	# Without other stages, it is the second pass that tests them with good hosts.
	mesh 8 rack --hosts 8 --stages ring --connect-only --exclude-list nodes
	expect 4 'n[3-7]'
	[[ $stderr == *$'n4 rail 0: '*$'\n         its 2 partners are bad themselves; alone with good hosts: 2 of 2 bad; '* ]]
}

@test "mesh: a budget, and few pairs at once" {
	mesh 4 good --hosts 4 --budget 1ms
	shows '28 pairs left out: --budget'
	mesh 4 good --hosts 4 --max-pairs 1 --json
	expect 0
	[ "$(jq .pairs "$dir/out")" = 28 ]
}

@test "mesh: the doctor of each host" {
	mesh 1 good --hosts 1 --doctor --stages loopback --json
	# The findings depend on this machine; each names the host.
	[ "$status" = 0 ] || [ "$status" = 4 ]
	[ "$(jq -c '[.mesh[] | select(.finding == "doctor") | .host] | unique - ["n1"]' "$dir/out")" = '[]' ]
}

@test "mesh: step, from the environment of a launcher" {
	# A port that no other run uses at the same time.
	local rank pids=() port=$((20000 + RANDOM % 10000))

	export RDMACTL_TOKEN=0123456789abcdef
	# The coordinator's address is known by either option, or else by the host of task 0.
	for rank in 1 2 3; do
		local where=(--coordinator "127.0.0.1:$port")

		[ $rank = 1 ] || where=(--address 127.0.0.1 --port "$port")
		SLURM_PROCID=$rank SLURM_STEP_NODELIST=nowhere.invalid "$binary" mesh step "${where[@]}" \
			--wait 60s --rehearse "$dir/good" </dev/null 2>"$dir/agent.$rank" 3>&- &
		pids+=($!)
	done
	# The half line of a killed run is completed once, and not by the agent on this host too.
	printf '{"half' >"$dir/rows"
	SLURM_PROCID=0 SLURM_STEP_NUM_NODES=4 try mesh step --port $port --wait 60s \
		--rehearse "$dir/good" --resume "$dir/rows"
	expect 0
	shows '4 hosts'
	[ "$(grep -c '^$' "$dir/rows")" = 0 ]
	for rank in "${pids[@]}"; do
		wait "$rank"
	done
	unset RDMACTL_TOKEN
	JOB_COMPLETION_INDEX=1 try mesh step --coordinator localhost
	# shellcheck disable=SC2016 # for the user
	expect_error 1 mesh 'all tasks need the same token' \
		'export RDMACTL_TOKEN=$(openssl rand -hex 16) before the launcher, or --token-file FILE'
}

# False until it has come so far; its process is $agent.
own_agent_tests()
{
	agent=
	read -r agent 2>/dev/null <"/proc/$coordinator/task/$coordinator/children" || :
	grep -q . "/proc/${agent:-0}/task/${agent:-0}/children" 2>/dev/null
}

@test "mesh: step, while the agent of a coordinator that was killed still hangs" {
	local port=$((20000 + RANDOM % 10000)) agent coordinator

	export RDMACTL_TOKEN=0123456789abcdef SLURM_PROCID=0 SLURM_STEP_NUM_NODES=1
	printf '%s\n' 'hosts n1' 'all rails 2' 'host n1 hang' >"$dir/hang"
	"$binary" mesh step --port $port --wait 60s --rehearse "$dir/hang" </dev/null >/dev/null 2>&1 3>&- &
	coordinator=$!
	until_true own_agent_tests
	# As if it were in an ioctl(2) that never returns.
	kill -STOP "$agent"
	kill -KILL "$coordinator"
	wait "$coordinator" || :
	try mesh step --port $port --wait 60s --rehearse "$dir/good"
	kill -KILL "$agent"
	expect 0
	shows '1 host'
}

@test "mesh: both ways at once: a rail, a pair, all of them" {
	cp "$dir/good" "$dir/rail"
	echo 'rail n3/1 both_gbps 49' >>"$dir/rail"
	# This is not tested unless requested.
	mesh 4 rail --hosts 4 --json
	expect 0
	[ "$(jq -c '[.median_both_gbps, .pairs_one_way]' "$dir/out")" = '[null,null]' ]
	mesh 4 rail --hosts 4 --both-ways --stages loopback,full --save "$dir/rows" --json
	expect 4
	[ "$(jq -c '[.mesh[] | [.severity, .finding, .object, .host, .direction, .hosts]]' "$dir/out")" = \
		'[["error","both-ways","n3 rail 1","n3","both",["n3"]]]' ]
	[ "$(jq '.median_both_gbps > 180 and .pairs_one_way == 0' "$dir/out")" = true ]
	[[ $(jq -r '.mesh[0].evidence' "$dir/out") == *'partners both ways at once at '* ]]
	[ "$(jq -s '[.[] | select(.both_gbps)] | length' "$dir/rows")" -ge 12 ]
	[ "$(jq -s '[.[] | select(.both_gbps and .host == .peer)] | length' "$dir/rows")" = 0 ]
	# One direction of a pair.
	cp "$dir/good" "$dir/pair"
	echo 'pair n4/0 n2/0 send_both_gbps 20' >>"$dir/pair"
	mesh 4 pair --hosts 4 --both-ways --stages full --map --histogram --heat-map "$dir/map.svg"
	expect 4
	shows 'error +n[24] and n[24], rail 0: good one way at a time, slow both ways at once'
	shows ' +1 pair .*only what n[24] (sends|receives) is slow then'
	shows 'rail 0, Gb/s, both ways at once:'
	grep -q 'rail 0, both ways at once, the sum' "$dir/map.svg"
	# All of them: the hardware may be built like that.
	cp "$dir/good" "$dir/all"
	echo 'all both_gbps 50' >>"$dir/all"
	mesh 4 all --hosts 4 --both-ways --stages full,full
	expect 0
	shows 'notice +rail 1: good one way at a time, slow both ways at once'
	nothing_left
}

@test "mesh: both ways at once: few pairs" {
	# A rail that is slower than the others, one way at a time as well as both ways at once.
	printf '%s\n' 'hosts n[1-4]' 'all rails 4 gbps 95 noise 2' 'rail n'{1..4}'/3 gbps 55' >"$dir/built"
	mesh 4 built --hosts 4 --both-ways --stages full
	expect 0
	shows 'notice +rail 3: pairs of this rail are slower than those of other rails'
	shows ' +the median of 12 figures is 5[0-9.]+ Gb/s, [56][0-9] % of the 9[0-9.]+ Gb/s of rail [0-2], in the middle of 4 rails at the same rate \([0-9]+ Gb/s\)'
	[ "$(grep -cE 'notice|warning|error' "$dir/out")" = 1 ]
	# If it is built that way, the user's limit says so.
	mesh 4 built --hosts 4 --both-ways --stages full --bandwidth-share 0.5
	expect 0
	shows 'nothing wrong'
	mesh 4 built --hosts 4 --stages full --json
	expect 0
	[ "$(jq -c '[.mesh[] | [.severity, .finding, .object, .host, .rail, .hosts]]' "$dir/out")" = \
		'[["notice","slow-rail","rail 3",null,3,null]]' ]
	# Six sums of one rail are too few to compare, which the output says, until there are more.
	printf '%s\n' 'hosts n[1-4]' 'all rails 1 gbps 95 noise 2' 'host n3 both_gbps 10' >"$dir/few"
	mesh 4 few --hosts 4 --both-ways --stages full
	expect 0
	shows ' +both ways at once: 6 results are of a rail and distance with fewer than 8 sums'
	mesh 4 few --hosts 4 --both-ways --stages full,full
	expect 4
	shows 'error +n3: good one way at a time, slow both ways at once|error +n3 rail 0: good one'
	nothing_left
}

@test "mesh: a pair has time for everything that it measures" {
	try mesh run --both-ways --duration 10s --pair-timeout 30s -- true
	expect_error 2 mesh 'a pair takes 30.6 s: --pair-timeout is too short for that' \
		'measure for a shorter time, or wait longer'
	try mesh run --duration 30m -- true
	expect_error 2 mesh 'a pair takes 3600.5 s: it may take at most an hour' \
		'measure for a shorter time'
	# What cannot be run is not planned either.
	try mesh plan --hosts 2 --duration 30m
	expect_error 2 mesh 'a pair takes 3600.5 s: it may take at most an hour' \
		'measure for a shorter time'
	# Agents accept the times that the coordinator orders.
	mesh 2 good --hosts 2 --stages ring --duration 29m
	expect 0
}

@test "mesh: both ways at once: what is left to do, and how long it takes" {
	mesh 4 good --hosts 4 --stages loopback,ring --save "$dir/rows"
	expect 0
	# Everything but loopback is tested again; the next time nothing is.
	mesh 4 good --hosts 4 --stages loopback,ring --resume "$dir/rows" --both-ways --json
	[ "$(jq -c '[.pairs, .pairs_resumed]' "$dir/out")" = '[8,8]' ]
	mesh 4 good --hosts 4 --stages loopback,ring --resume "$dir/rows" --both-ways --json
	[ "$(jq -c '[.pairs, .pairs_resumed, .pairs_one_way]' "$dir/out")" = '[0,16,0]' ]
	# A result with one of the two figures, or without those that an older agent could not measure, is
	# incomplete.
	mesh 4 good --hosts 4 --stages ring --both-ways --save "$dir/whole"
	[ "$(wc -l <"$dir/whole")" = 8 ]
	jq -c 'if .rail == 0 then del(.both_peer_gbps) else . end' "$dir/whole" >"$dir/rows"
	mesh 4 good --hosts 4 --stages ring --resume "$dir/rows" --both-ways --json
	[ "$(jq -c '[.pairs, .pairs_resumed, .pairs_one_way]' "$dir/out")" = '[4,4,0]' ]
	jq -c 'del(.both_gbps, .both_peer_gbps) | .reason = "both ways at once" | .older_agent = true' \
		"$dir/whole" >"$dir/rows"
	mesh 4 good --hosts 4 --stages ring --resume "$dir/rows" --both-ways --json
	[ "$(jq -c '[.pairs, .pairs_resumed, .pairs_one_way]' "$dir/out")" = '[8,0,0]' ]
	# If a device cannot do it, its pair still counts as one pair.
	jq -c 'if .rail == 0 and .host == "n1" and .round == 0 then del(.both_gbps, .both_peer_gbps) |
		.reason = "both ways at once: iWARP cannot" else . end' "$dir/whole" >"$dir/rows"
	mesh 4 good --hosts 4 --stages ring --resume "$dir/rows" --both-ways
	shows ' +1 good pair: both ways at once: iWARP cannot'
	try mesh plan --hosts 1000 --rails 8 --both-ways --stages loopback,ring,incast --tsv --no-headings \
		-o stage,seconds,traffic_gbytes
	expect 0 $'loopback\t1.5\t100000\nring\t4.2\t200000\nincast:4\t7.5\t100000' ''
	try mesh run --both-ways --no-bandwidth -- true
	expect 2 ''
	try mesh run --both-ways --connect-only -- true
	expect 2 ''
}

@test "mesh: plan" {
	try mesh plan --hosts 1000 --rails 8 --tsv --no-headings
	expect 0 $'loopback\t1\t8000\t8000\t1.5\t100000\t0\nring\t2\t8000\t4000\t3\t100000\t0\nsample:6\t6\t24000\t4000\t9\t300000\t0' ''
	try mesh plan --hosts 100 --stages full --budget 30s --tsv --no-headings -o pairs,pairs_left_out
	expect 0 $'4950\t3950' ''
	# The senders share the rail of the host that they send to.
	try mesh plan --hosts 100 --stages ring,incast:4,incast:7 --tsv --no-headings -o pairs,traffic_gbytes
	expect 0 $'100\t1250\n400\t1250\n700\t1250' ''
	try mesh plan --hosts 3 --rails 2 --stages incast:5 --tsv --no-headings -o pairs,traffic_gbytes
	expect 0 $'12\t75' ''
	# The receiving hosts send nothing.
	try mesh plan --hosts 100 --stages incast:4,incast:99 --tsv --no-headings -o rounds,pairs,most_pairs
	expect 0 $'5\t400\t80\n100\t9900\t99' ''
	try mesh plan --hosts 100 --stages incast:4 --max-pairs 10 --tsv --no-headings -o seconds
	expect 0 60 ''
	# So many rounds are not made one by one only to count their pairs.
	try mesh plan --hosts 65536 --rails 16 --stages sample:65536,bisection:65536 --tsv --no-headings -o pairs
	expect 0 $'34359214080\n17179869184' ''
	# The number of pairs is unknown, so it must not be shown as 0.
	try mesh plan --hosts 4 --stages ring,pairs:pairs --tsv --no-headings -o stage,pairs
	expect 3 $'ring\t4'
	[[ $stderr == *'pairs:pairs: its pairs name hosts, which are known only once they have joined'* ]]
	try mesh plan
	expect 2 ''
}

@test "mesh: invalid command lines" {
	# A launcher that leaves a file if it runs.
	# shellcheck disable=SC2016 # for the inner shell
	local touch=(sh -c 'touch "$1"' sh "$dir/started") option file

	try mesh
	expect 2 ''
	try mesh run --hosts 2
	expect 2 ''
	try mesh run --stages frobnicate -- true
	expect 2 ''
	[[ $stderr == *frobnicate* ]]
	try mesh run --connect-only --duration 1s -- true
	expect 2 ''
	try mesh --agent n1:0
	expect 2 ''
	[[ $stderr == *'--agent: not ADDRESS[,ADDRESS...]:PORT'* ]]
	# A zone ends before the port; other hosts do not have the netdev that is the zone of an --address.
	RDMACTL_TOKEN=abc try mesh --agent fe80::1%nonesuch:9 --wait 1ms
	expect 1 ''
	[[ $stderr == *'fe80::1%nonesuch:'* && $stderr != *nonesuch:9* ]]
	# A percentage instead of a fraction, and a fraction instead of a multiple.
	try mesh run --bandwidth-share 93 -- "${touch[@]}"
	expect_error 2 mesh '--bandwidth-share: a part of the median is at most 1' \
		'--bandwidth-share 0.9: below 90 % of the median is bad'
	try mesh run --latency-factor 0.5 -- "${touch[@]}"
	expect_error 2 mesh '--latency-factor: a multiple of the median is at least 1' \
		'--latency-factor 2: above twice the median is bad'
	try mesh run --stages "ring,pairs:$dir/nothing" -- "${touch[@]}"
	expect_error 1 mesh "--stages pairs:$dir/nothing: No such file or directory"
	[ ! -e "$dir/started" ]
	try mesh run --bandwidth-share 1 --latency-factor 1 -- "${touch[@]}"
	expect 1 ''
	[ -e "$dir/started" ]
	# A file named - would be no better.
	for option in --save --resume; do
		for file in - /dev/stdout; do
			try mesh run $option $file -- "${touch[@]}"
			expect_error 2 mesh 'standard output is not a file that keeps results' \
				'--jsonl prints each result as it arrives'
		done
	done
	[ ! -e - ]
	rm "$dir/started"
	try mesh run --program "$dir/with a blank" -- "${touch[@]}"
	expect_error 2 mesh 'the command line of the agents must not contain spaces or quotes' \
		'rename the file, or make a link to it'
	[ ! -e "$dir/started" ]
	try mesh plan --hosts 4 --stages ring,round
	expect 2 ''
	[[ $stderr == *"'round'"* ]]
	export RDMACTL_TOKEN=0123456789abcdef
	PMI_RANK=1 try mesh step --coordinator ,
	expect_error 2 mesh '--coordinator: not HOST[:PORT]' 'rdmactl mesh step --help'
	PMI_RANK=1 try mesh step
	expect_error 2 mesh 'the host of the coordinator, task 0, is not known' \
		'name it with --coordinator or --address; on Kubernetes, it is JOB-0.SERVICE'
	try mesh step
	expect_error 2 mesh 'nothing in the environment says which task this is' \
		'start it with srun, mpirun or an indexed Job; or use rdmactl mesh run -- LAUNCHER'
	unset RDMACTL_TOKEN
	try mesh run --address fe80::1%eth0 -- true
	expect_error 2 mesh '--address: a link-local address does not lead here from every host' \
		'name one that they have a route to, or omit --address'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The output: terminals and pipes, colour, and failed writes.

# shellcheck source=lib.bash
source "$BATS_TEST_DIRNAME/lib.bash"

# Runs the program on a terminal of the type $term, or xterm, and stores the output in the file
# terminal, without carriage returns.
on_terminal()
{
	local fixture=$1

	shift
	status=0
	TERM=${term-xterm} ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 script -qec "${binary@Q} $* --root ${roots@Q}/$fixture" /dev/null \
		</dev/null >"$BATS_TEST_TMPDIR/script" || status=$?
	tr -d '\r' <"$BATS_TEST_TMPDIR/script" >"$BATS_TEST_TMPDIR/terminal"
}

# Copies standard input to standard output, without colours.
decolor()
{
	sed -E $'s/\e\\[(3[123]|0)m//g'
}

@test "output: a terminal shows the same as a pipe, apart from colour" {
	local command fixture

	for fixture in cx7-ib-ndr mlx4-dead-port cx6dx-roce; do
		for command in $listings; do
			quickly on "$fixture" "$command"
			[ -s "$BATS_TEST_TMPDIR/out" ] || wrong "$fixture $command: no output"
			on_terminal "$fixture" "$command"
			decolor <"$BATS_TEST_TMPDIR/terminal" | diff -u "$BATS_TEST_TMPDIR/out" - || wrong "$fixture $command"
		done
	done
	# The table has its full width, whatever the width of the terminal.
	quickly on cx7-ib-ndr netdevs
	COLUMNS=20 on_terminal cx7-ib-ndr netdevs --color=never
	diff -u "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/terminal" || wrong narrow
	nothing_wrong
}

@test "output: colour on a terminal only, unless asked for" {
	on_terminal cx5-ib-edr devices -o device,state
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'DEVICE STATE\nmlx5_0 \e[32mactive\e[0m\nmlx5_1 \e[32mactive\e[0m' ]
	on_terminal cx5-ib-edr devices -o device,state --color=never
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'DEVICE STATE\nmlx5_0 active\nmlx5_1 active' ]
	on_terminal cx5-ib-edr devices -o device,state --color auto
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'DEVICE STATE\nmlx5_0 \e[32mactive\e[0m\nmlx5_1 \e[32mactive\e[0m' ]
	on cx5-ib-edr devices -o device,state --color=auto
	expect 0 $'DEVICE STATE\nmlx5_0 active\nmlx5_1 active' ''
	on cx5-ib-edr devices -o device,state --color=always
	expect 0 $'DEVICE STATE\nmlx5_0 \e[32mactive\e[0m\nmlx5_1 \e[32mactive\e[0m' ''
}

@test "output: NO_COLOR" {
	NO_COLOR=1 on_terminal cx5-ib-edr devices -o state
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'STATE\nactive\nactive' ]
	NO_COLOR=1 on_terminal cx5-ib-edr devices -o state --color=auto
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'STATE\nactive\nactive' ]
	NO_COLOR='' on_terminal cx5-ib-edr devices -o state
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'STATE\n\e[32mactive\e[0m\n\e[32mactive\e[0m' ]
	# The command line takes precedence over the environment.
	NO_COLOR=1 on cx5-ib-edr devices -o state --color=always
	expect 0 $'STATE\n\e[32mactive\e[0m\n\e[32mactive\e[0m' ''
}

@test "output: no colour on a dumb terminal, unless asked for" {
	term=dumb on_terminal cx5-ib-edr devices -o state
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'STATE\nactive\nactive' ]
	term='' on_terminal cx5-ib-edr devices -o state
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'STATE\nactive\nactive' ]
	term=dumb on_terminal cx5-ib-edr devices -o state --color=always
	[ "$(<"$BATS_TEST_TMPDIR/terminal")" = $'STATE\n\e[32mactive\e[0m\n\e[32mactive\e[0m' ]
}

@test "output: only states are coloured" {
	local command fixture

	for fixture in cx7-ib-ndr mlx4-dead-port vendors netns hostile; do
		for command in $listings; do
			quickly on "$fixture" "$command" --color=never
			mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/plain"
			quickly on "$fixture" "$command" --color=always
			[ -s "$BATS_TEST_TMPDIR/plain" ] || wrong "$fixture $command: no output"
			case $command in ports | netdevs)
				grep -q $'\e' "$BATS_TEST_TMPDIR/out" || wrong "$fixture $command: no colour"
				;;
			esac
			decolor <"$BATS_TEST_TMPDIR/out" | cmp -s "$BATS_TEST_TMPDIR/plain" - || wrong "$fixture $command"
			# A colour ends within its cell, and encloses the word of a state.
			sed -E $'s/\e\\[3[123]m(([0-9]+ )?[a-z0-9-]+(, [0-9]+ [a-z-]+)* *)\e\\[0m/\\1/g' "$BATS_TEST_TMPDIR/out" |
				cmp -s "$BATS_TEST_TMPDIR/plain" - || wrong "$fixture $command: not a state"
		done
	done
	nothing_wrong
}

@test "output: green is good, red is bad, yellow is in between" {
	on cx7-ib-ndr ports --color=always --no-headings -o state,physical_state mlx5_4 mlx5_5
	expect 0 $'\e[32mactive\e[0m \e[32mlink-up\e[0m\n\e[31mdown\e[0m   \e[31mpolling\e[0m'
	on vendors ports --color=always --no-headings -o state,physical_state usnic_0
	expect 0 $'\e[33minit\e[0m \e[33mtraining\e[0m'
	on mlx4-dead-port devices --color=always --no-headings -o state
	expect 0 $'\e[31m1 down, 1 active\e[0m'
	on cx6dx-roce netdevs --color=always --no-headings -o operstate
	expect 0 $'\e[32mup\e[0m\n\e[31mdown\e[0m\n\e[32mup\e[0m'
	on netns netdevs --color=always --no-headings -o namespace mlx5_0
	expect 0 $'\e[33munknown\e[0m'
}

@test "output: JSON, JSON lines and TSV have no colour" {
	local format

	for format in --json --jsonl --tsv; do
		quickly on mlx4-dead-port ports $format --color=always
		[ "$status" = 0 ] && [[ $output == *mlx4_0* ]] || wrong "$format: $status"
		! grep -q $'\e' "$BATS_TEST_TMPDIR/out" || wrong "$format has colour"
		mv "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/plain"
		on_terminal mlx4-dead-port ports $format
		cmp -s "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/terminal" || wrong "$format: otherwise on a terminal"
	done
	nothing_wrong
}

@test "output: a full disk is reported in every format" {
	local words name

	while IFS= read -r words; do
		name=
		[[ $words == -* ]] || name=" ${words%% *}"
		status=0
		# shellcheck disable=SC2086 # words
		RDMACTL_ROOT=$roots/cx5-ib-edr "$binary" $words >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
		[ "$status" = 1 ] || wrong "$words: exit status $status"
		[ "$(<"$BATS_TEST_TMPDIR/err")" = "rdmactl$name: cannot write the output: No space left on device" ] ||
			wrong "$words: $(<"$BATS_TEST_TMPDIR/err")"
	done <<-'END'
		devices
		devices --json
		devices --jsonl
		devices --tsv
		devices --color=always
		ports
		gids
		gids --all
		pkeys --json
		netdevs
		schema
		schema ports
		help
		help ports
		ports --help
		roce --help
		doctor -a
		--help
		--version
		version
		version --json
		completion bash
		__complete -- d
	END
	nothing_wrong
}

@test "output: a full disk takes precedence over a problem, and hides none" {
	status=0
	"$binary" ports --root "$roots/bad-rate" >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" = 1 ]
	grep -qx 'rdmactl ports: cannot write the output: No space left on device' "$BATS_TEST_TMPDIR/err"
	grep -qx 'rdmactl ports: mlx5_1/1: cannot read lid: Input/output error' "$BATS_TEST_TMPDIR/err"
	status=0
	"$binary" ports --json --root "$roots/no-rdma" >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" = 1 ]
	grep -q 'no sys/class/infiniband' "$BATS_TEST_TMPDIR/err"
}

@test "output: no message if the reader closes the pipe" {
	local words

	while IFS= read -r words; do
		# shellcheck disable=SC2086 # words
		RDMACTL_ROOT=$roots/rxe-host "$binary" $words 2>"$BATS_TEST_TMPDIR/err" | head -n 1 >"$BATS_TEST_TMPDIR/out"
		[ -s "$BATS_TEST_TMPDIR/out" ] || wrong "$words: no line"
		[ ! -s "$BATS_TEST_TMPDIR/err" ] || wrong "$words: $(<"$BATS_TEST_TMPDIR/err")"
	done <<-'END'
		devices
		gids --all
		gids --all --json -o all
		gids --all --jsonl
		gids --all --tsv
		schema ports
		help
	END
	# The same with SIGPIPE ignored, as some service managers do: write() returns EPIPE.
	(
		trap '' PIPE
		! "$binary" gids --all -o all --root "$roots/rxe-host" 2>"$BATS_TEST_TMPDIR/err"
		echo "${PIPESTATUS[0]}" >"$BATS_TEST_TMPDIR/status"
	) | head -n 1 >/dev/null
	[ "$(<"$BATS_TEST_TMPDIR/status")" = 1 ] || wrong "$(<"$BATS_TEST_TMPDIR/status")"
	[ ! -s "$BATS_TEST_TMPDIR/err" ] || wrong "$(<"$BATS_TEST_TMPDIR/err")"
	nothing_wrong
}

@test "output: closed standard output is a write error" {
	local words

	while IFS= read -r words; do
		status=0
		# shellcheck disable=SC2086 # words
		RDMACTL_ROOT=$roots/cx5-ib-edr "$binary" $words >&- 2>"$BATS_TEST_TMPDIR/err" || status=$?
		[ "$status" = 1 ] || wrong "$words: exit status $status"
		[[ $(<"$BATS_TEST_TMPDIR/err") == 'rdmactl'*': cannot write the output: Bad file descriptor' ]] ||
			wrong "$words: $(<"$BATS_TEST_TMPDIR/err")"
	done <<-'END'
		devices
		gids --json
		help
		--version
		schema ports
	END
	nothing_wrong
}

@test "output: closed standard output is a write error also for a file named -" {
	local words

	while IFS= read -r words; do
		status=0
		# shellcheck disable=SC2086 # words
		RDMACTL_ROOT=$roots/cx5-ib-edr "$binary" $words >&- 2>"$BATS_TEST_TMPDIR/err" || status=$?
		[ "$status" = 1 ] || wrong "$words: exit status $status"
		[[ $(<"$BATS_TEST_TMPDIR/err") == *': cannot write -: Bad file descriptor'* ]] ||
			wrong "$words: $(<"$BATS_TEST_TMPDIR/err")"
	done <<-'END'
		topo --svg -
		counters --save -
		snapshot -
	END
	nothing_wrong
}

@test "output: closed standard input and standard error change nothing" {
	status=0
	"$binary" devices -o device --root "$roots/cx5-ib-edr" <&- >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" ||
		status=$?
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	expect 0 $'DEVICE\nmlx5_0\nmlx5_1' ''
	status=0
	"$binary" devices -o device mlx5_0 mlx5_9 --root "$roots/cx5-ib-edr" >"$BATS_TEST_TMPDIR/out" 2>&- || status=$?
	take "$BATS_TEST_TMPDIR/out" /dev/null
	expect 3 $'DEVICE\nmlx5_0' ''
	status=0
	"$binary" devices --root "$roots/cx5-ib-edr" <&- >&- 2>&- || status=$?
	[ "$status" = 1 ]
}

# The next file to be opened gets the lowest number, and messages would be written into it.
@test "output: no file takes the place of a closed standard stream" {
	local closed

	for closed in '<&-' '>&-' '2>&-'; do
		status=0
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -qq -e trace=openat,openat2,socket -o "$BATS_TEST_TMPDIR/trace" \
			bash -c "exec \"\$@\" $closed" bash "$binary" ports --root "$roots/cx5-ib-edr" \
			</dev/null >/dev/null 2>&1 || status=$?
		grep -q 'sys/class/infiniband' "$BATS_TEST_TMPDIR/trace"
		# The files of the loader and of bash come before the first file of the tree.
		! sed -n "/cx5-ib-edr/,\$p" "$BATS_TEST_TMPDIR/trace" | grep -E ' = [012]$' || wrong "with $closed"
	done
	nothing_wrong
}

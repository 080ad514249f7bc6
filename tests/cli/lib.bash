# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Shared by the tests of the command line. RDMACTL names the program, the unpacked fixtures are
# below ROOTS, and UPDATE=1 rewrites the golden files.

bats_require_minimum_version 1.8.0

# Every test reads this file, so it starts as few processes as possible: the shell itself changes to
# a directory to learn its name.
here=$PWD
cd "${BASH_SOURCE[0]%/*}/../.." && top=$PWD
cd "$here" && cd -P "${ROOTS:-$top/build/roots}" && roots=$PWD
cd "$here" || exit
binary=${RDMACTL:-$top/build/rdmactl}
[[ $binary = /* ]] || binary=$here/$binary
if [ ! -x "$binary" ] || [ ! -d "$roots/hostile" ]; then
	echo "no program $binary (RDMACTL), or no fixtures in $roots (ROOTS)" >&2
	exit 1
fi
# A sanitizer's report must not look like an exit status of the program itself. tests/run has the
# reason for the last option.
export ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99:detect_leaks=1:handle_sigill=1:intercept_tls_get_addr=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-exitcode=99:print_stacktrace=1}
export LC_ALL=C.UTF-8
unset NO_COLOR RDMACTL_ROOT
failures=0

# bats records before each command where it is, which takes a fifth of the time of all tests, because
# the ERR trap of old shells names wrong lines. That of bash 5 names the right ones, except where a test
# ends with a `return` that fails, `! ...`, or `A && B` of which A fails: add `|| false` there. So it is
# enough to look when a command has failed. `bats --trace` prints each command, and needs the other trap.
if [ "${BATS_TRACE_LEVEL:-0}" = 0 ] && tracing=$(declare -f bats_setup_tracing); then
	eval "${tracing/"trap 'bats_debug_trap \"\$BASH_SOURCE\"' DEBUG"/:}"
	bats_error_trap()
	{
		bats_check_status_from_trap # first, because it reads $?
		bats_capture_stack_trace
		# shellcheck disable=SC2034 # read by bats
		BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	}
fi

# bats starts date(1) for each test, to know when it began.
if declare -F get_mills_since_epoch >/dev/null; then
	get_mills_since_epoch()
	{
		echo $((${EPOCHREALTIME/[.,]/} / 1000))
	}
fi

# shellcheck disable=SC2034 # used by the tests
commands='devices ports gids pkeys netdevs caps counters resources top metrics events cables doctor topo snapshot diff selftest mesh smp perf sa cc mad ping sysstat fabric link dev system roce sriov ipoib change completion compat schema help version' # in the order of the help
# shellcheck disable=SC2034
listings='devices ports gids pkeys netdevs'
# shellcheck disable=SC2034 # used by the tests
no_core_hint="load the adapter's RDMA driver (mlx5_ib, irdma, bnxt_re, rdma_rxe ...)"

# Reads files into output and stderr unchanged.
take()
{
	IFS= read -r -d '' output <"$1" || :
	IFS= read -r -d '' stderr <"$2" || :
}

# Runs the program and sets status, output and stderr (with their last newline). The exact bytes
# are in the files out and err of the test's directory.
try()
{
	status=0
	if [ -z "${quick-}" ] || ! try_in_process "$@"; then
		"$binary" "$@" </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	fi
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	tried=$*
}

# Commands that change their process in a way that matters to others: its privileges, limits, signals
# or processors.
changes_process=' (--serve|--listen|events|mad|mesh|selftest|top) '

# try_in_process WORD...: has the program run the command in a process that it shares with other
# commands of the test (tests/many.c), because to start it with sanitizers takes longer than most
# commands. Status 1 if the command needs a process of its own, as does the first one.
try_in_process()
{
	local words now

	[[ $binary = */asan/* && $# -le 60 && ! " $* " =~ $changes_process && $* != *[$'\t\n']* ]] || return 1
	printf -v words '\t%s' "$@"
	# The environment, the directory (which is in it), the program, and not a subshell of the test.
	export -p >"$BATS_TEST_TMPDIR/environment"
	IFS= read -rd '' now <"$BATS_TEST_TMPDIR/environment" || :
	now+=$binary:$BASHPID
	if [ "$now" != "${process_of-}" ]; then
		[ "$now" = "${last_process-}" ] || { last_process=$now && return 1; }
		start_process || return 1
		process_of=$now
	fi
	printf '%s%s\n' "$BATS_TEST_TMPDIR/out"$'\t'"$BATS_TEST_TMPDIR/err"$'\t'"$binary" "$words" >&"$requests"
	IFS= read -r -u "$answers" status || status=99 process_of='' # it has crashed
}

# The process ends when this shell does, or starts another one.
start_process()
{
	local pipe ready

	[ -z "${requests-}" ] || exec {requests}>&- {answers}<&-
	exec {pipe}<> <(:)
	exec {requests}> >(exec "$binary" __many >&"$pipe" {pipe}>&- 3>&-)
	exec {answers}<"/proc/self/fd/$pipe" {pipe}>&-
	IFS= read -r -u "$answers" ready && [ "$ready" = ready ]
}

# on FIXTURE COMMAND...: the same on a saved machine.
on()
{
	try "$2" --root "$roots/$1" "${@:3}"
}

# asleep PID: sets `looked` to a value that changes whenever the process runs; status 1 unless it
# sleeps. It starts no process, because that may take a busy machine longer than a program sleeps.
asleep()
{
	local text

	looked=
	IFS= read -rd '' text 2>/dev/null <"/proc/$1/status" || [ "$text" ] || return
	[[ $text = *$'\nState:\tS'* ]] || return
	looked=${text#*$'\nvoluntary_ctxt_switches:'}
}

# pause SECONDS: unlike sleep(1), it starts no process.
pause()
{
	[ -n "${nothing-}" ] || exec {nothing}<> <(:)
	read -rt "$1" -u "$nothing" || :
}

# try_between BEFORE AFTER WORD...: the same with --interval; the command AFTER (one word) runs
# between the two readings: once the program has taken the first and sleeps, and before it may take
# the second. If AFTER was too late, BEFORE undoes it, and the next try allows more time. The
# program may say that it waited $least to $most seconds.
try_between()
{
	local before=$1 after=$2 pid last still begin changed

	shift 2
	for least in 1.5 6 24; do
		eval "$before"
		begin=$EPOCHREALTIME
		"$binary" "$@" --interval "${least}s" </dev/null >"$BATS_TEST_TMPDIR/out" \
			2>"$BATS_TEST_TMPDIR/err" 3>&- &
		pid=$!
		last='' still=0
		while [ $still -lt 6 ] && kill -0 $pid 2>/dev/null; do
			if asleep $pid && [ "$looked" = "$last" ]; then still=$((still + 1)); else still=0; fi
			last=$looked
			sleep 0.05
		done
		eval "$after"
		changed=$EPOCHREALTIME
		status=0
		wait $pid || status=$?
		# shellcheck disable=SC2034 # used by the tests
		most=$(awk "BEGIN { print $EPOCHREALTIME - $begin }")
		take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
		tried=$*
		! awk "BEGIN { exit !($changed - $begin < $least) }" || return 0
	done
	echo "the change took too long between the readings of $*"
	return 1
}

# Without any value in its input, jq 1.6 exits with 0 where its manual promises 4 (option -e): a
# test of an empty input would pass.
jq()
{
	local answer status=0

	if [[ ! " $* " =~ ' -'[a-zA-Z]*e[a-zA-Z]*' ' ]]; then
		command jq "$@"
		return
	fi
	answer=$(command jq "$@") || status=$?
	[ -z "$answer" ] || printf '%s\n' "$answer"
	[ -n "$answer" ] || [ $status != 0 ] || status=4
	return $status
}

# is_between LEAST NUMBER MOST: NUMBER has one digit after its point.
is_between()
{
	awk "BEGIN { exit !($1 - 0.05 <= $2 && $2 <= $3 + 0.05) }" || {
		echo "$2 is not between $1 and $3"
		return 1
	}
}

# The same without the leak check, which takes longer than everything else, and if possible without
# a process of its own.
quickly()
{
	local quick=1

	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$@"
}

# try_as_nobody COMMAND WORD...: on the machine in $tree, as an ordinary user, which only root can
# become. The files that it writes end up in the test's directory.
try_as_nobody()
{
	local public

	public=$(mktemp -dt rdmactl-cli.XXXXXX)
	cp "$binary" "$public/rdmactl"
	cp -a "$tree" "$public/tree"
	mkdir -m 777 "$public/made"
	chmod 755 "$public"
	status=0
	(cd "$public/made" && quickly setpriv --reuid 65534 --clear-groups \
		../rdmactl "$1" --root ../tree "${@:2}") >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	cp -r "$public/made/." "$BATS_TEST_TMPDIR"
	rm -rf "$public"
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
}

# Skips the test on hosts with RDMA devices.
no_device()
{
	[ ! -e /sys/class/infiniband ] || skip 'this host has RDMA devices'
}

# same WHAT WANTED GOT: compares two texts.
same()
{
	[ "$2" = "$3" ] && return
	echo "$1:"
	diff -u --label wanted --label got <(printf '%s' "$2") <(printf '%s' "$3") | head -n 40
	return 1
}

# expect STATUS [STDOUT [STDERR]]: compares them with those of the last run; the texts lack their
# last newline.
expect()
{
	local bad=0

	[ "$status" = "$1" ] || { echo "exit status $status, not $1"; bad=1; }
	[ $# -lt 2 ] || same 'standard output' "${2:+$2$'\n'}" "$output" || bad=1
	[ $# -lt 3 ] || same 'standard error' "${3:+$3$'\n'}" "$stderr" || bad=1
	[ $bad = 0 ] && return
	printf 'of: rdmactl %s\n' "$tried"
	printf '%s%s' "$output" "$stderr" | head -n 20
	return 1
}

# expect_error STATUS COMMAND MESSAGE [HINT]: expects one line, and the next step below it.
expect_error()
{
	expect "$1" '' "rdmactl${2:+ }$2: $3${4:+$'\n'  }${4-}"
}

# misuse COMMAND MESSAGE WORD...: wrong usage, with the command's help as next step.
misuse()
{
	quickly try "$1" "${@:3}"
	expect_error 2 "$1" "$2" "rdmactl $1 --help" || wrong "${*:3}"
}

# shows REGEX: a line of the output begins with it. Unlike grep, it starts no process.
shows()
{
	local pattern=$'\n'$1

	[[ $'\n'$output =~ $pattern ]]
}

# first_cells: sets output to the first cells of its lines, on one line. It starts no process.
first_cells()
{
	local lines

	mapfile -t lines <"$BATS_TEST_TMPDIR/out"
	output=${lines[*]%%$'\t'*}
}

# help_has PATTERN WORD...: as `shows` for each word, which replaces @ in the pattern. One call for
# all of them, because bats spends much time on each command of a test.
help_has()
{
	local pattern=$1 word

	shift
	for word; do
		shows "${pattern/@/"$word"}" || wrong "${tried#help }: no $word"
	done
}

# Reports an error and goes on, for loops that report all errors; `nothing_wrong` must follow.
wrong()
{
	printf '%s\n' "$*"
	failures=$((failures + 1))
}

nothing_wrong()
{
	[ "$failures" = 0 ]
}

# all_clean FILE...: they are UTF-8 without control and format characters, except tabs and line
# ends.
all_clean()
{
	local file

	while IFS= read -r file; do
		wrong "$file:"
		cat -v "$file" | grep -m 2 -e M- -e '\^' || :
	done < <(
		set +e # A grep that finds nothing fails.
		{
			LC_ALL=C grep -laP '[\x00-\x08\x0b-\x1f\x7f]' -- "$@"
			grep -lavx '.*' -- "$@"
			grep -laP '[\x{80}-\x{9f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}\x{2028}\x{2029}]' -- "$@"
		} | sort -u
	)
}

fixtures()
{
	local tree

	for tree in "$top"/tests/fixtures/*.tree; do
		tree=${tree##*/}
		echo "${tree%.tree}"
	done
}

# compare_golden FILE NOW: compares a golden file with the new output, or updates it (UPDATE=1).
compare_golden()
{
	if [ -n "${UPDATE-}" ]; then
		mkdir -p "${1%/*}"
		cmp -s "$2" "$1" || cp "$2" "$1"
	else
		diff -u --label "${1#"$top/"}" --label now "$1" "$2" || wrong "not as in ${1#"$top/"}"
	fi
}

# machines golden|formats|columns COMMAND [FIXTURE...]: compares this for every saved machine.
machines()
{
	RDMACTL=$binary ROOTS=$roots "$top/tests/cli/machines" "$@"
}

# record DIRECTORY FIXTURE COMMAND...: records a run in the four formats, for validate.
record()
{
	local directory=$1 fixture=$2 format

	shift 2
	mkdir -p "$directory"
	for format in txt tsv jsonl json; do
		if [ $format = txt ]; then
			quickly on "$fixture" "$@"
		else
			quickly on "$fixture" "$@" "--$format"
		fi
		mv "$BATS_TEST_TMPDIR/out" "$directory/$fixture.$format"
	done
	mv "$BATS_TEST_TMPDIR/err" "$directory/$fixture.err"
	echo "$status" >"$directory/$fixture.status"
}

# The keys of the columns of COMMAND, as completion knows them.
columns_of()
{
	"$binary" __complete -- "$1" -o '' | cut -f 1 | grep -vx all
}

# cells FIXTURE COMMAND COLUMNS [OBJECT...]: sets output to these columns, one row per line.
cells()
{
	local fixture=$1 command=$2 columns=$3

	shift 3
	quickly on "$fixture" "$command" --tsv --no-headings -o "$columns" "$@"
	output=${output//$'\t'/ }
}

# whole_paths FILE: in a trace of `strace -y`, completes the names of files that are opened relative
# to an open folder.
whole_paths()
{
	sed -Ei '/^([0-9]+ +)?(openat|newfstatat|statx|readlinkat|faccessat)/s|<([^>]*)>, "([^"/]+)"|, "\1/\2"|' "$1"
}

# Makes a snapshot of cx6dx-roce in $snapshot, without answers. The tests of a file share the tree,
# which takes longer to copy than to read.
without_answers()
{
	snapshot=$BATS_FILE_TMPDIR/snapshot
	[ ! -e "$snapshot/root" ] || return 0
	mkdir -p "$snapshot/netlink"
	cp -a "$roots/cx6dx-roce" "$snapshot/root"
	printf '{}\n' >"$snapshot/manifest.json"
}

# with_answers KIND [NUMBER]: the same with the answers of this kind from tests/cli/nldev.py.
with_answers()
{
	without_answers
	"$top/tests/cli/nldev.py" "$@" >"$snapshot/netlink/answers"
}

# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The program with sanitizers has a run-time library that is changed in places (tests/sanitized.c).
# It reports the same errors as without the changes, also where many commands run in one process
# (tests/many.c).

load lib

setup()
{
	[[ $binary = */asan/rdmactl ]] || skip 'the program has no sanitizers'
	binary=${binary%/*}/planted
}

# try_in_many ERROR: makes it between two commands in one process. The client ends with the
# exception that it raises.
try_in_many()
{
	status=0
	python3 -B - "$top/tests" "$binary" "$1" \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" <<'EOF' || status=$?
import sys

sys.path.insert(0, sys.argv[1])
from many import Many

with Many(sys.argv[2]) as program:
    for word in ("nothing", sys.argv[3], "nothing"):
        program.run(word)
EOF
	take "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
}

# reports ERROR WHERE TEXT: the report contains TEXT, and names the function or the place in WHERE.
reports()
{
	"$how" "$1"
	[ "$status" = "$wanted" ] || wrong "$1: status $status"
	[[ $stderr = *"$3"* ]] || wrong "$1: no '$3'"
	[[ $stderr = *"$2"* ]] || wrong "$1: no '$2'"
	[ "$how" = try ] || [[ $stderr = *$'\nChildProcessError: '* ]] || wrong "$1: no exception"
}

all_are_reported()
{
	reports leak 'in leak ' 'LeakSanitizer: detected memory leaks'
	reports leak-beside-threads 'in leak ' 'SUMMARY: AddressSanitizer: 11 byte(s) leaked in 1 alloc'
	# Only the run-time library of GCC 12 is changed: tests/tests.mk.
	if grep -q 'there is no room for more stack traces' "$binary"; then
		reports leak-after-many-traces 'in allocate_on ' 'there is no room for more stack traces'
	else
		reports leak-after-many-traces 'in leak ' 'SUMMARY: AddressSanitizer: 11 byte(s) leaked'
	fi
	reports read-behind-heap 'in read_behind_heap ' 'AddressSanitizer: heap-buffer-overflow'
	reports read-behind-heap '11-byte region' allocated
	reports read-behind-global "global variable 'table'" \
		'AddressSanitizer: global-buffer-overflow'
	reports read-behind-stack "'few'" 'AddressSanitizer: stack-buffer-overflow'
	reports use-after-free 'in use_after_free ' 'AddressSanitizer: heap-use-after-free'
	reports free-twice 'in free_twice ' 'AddressSanitizer: attempting double-free'
	reports index-out-of-bounds 'in index_out_of_bounds ' 'AddressSanitizer: ILL'
	nothing_wrong
}

@test "memory errors are reported with the function and the variable" {
	how=try wanted=99
	all_are_reported
}

@test "memory errors are reported where many commands run in one process" {
	how=try_in_many wanted=1
	all_are_reported
}

@test "memory errors are reported where the commands of a test share a process" {
	quickly try nothing
	[ -z "${process_of-}" ]
	quickly try nothing
	expect 0 '' ''
	[ -n "$process_of" ]
	quickly try read-behind-heap
	[ "$status" = 99 ]
	[[ $stderr = *'AddressSanitizer: heap-buffer-overflow'* ]]
	quickly try nothing
	expect 0 '' ''
	[ -n "$process_of" ]
}

@test "without an error nothing is reported" {
	try nothing
	expect 0 '' ''
	try_in_many nothing
	[ "$status$output$stderr" = 0 ]
}

# With the timer, a later command would be killed by the --timeout of an earlier one; with the
# signals blocked, it could not be ended.
@test "the timer and the blocked signals of a command do not reach the next one in the process" {
	quickly try tell-timer-and-signals
	expect 0 'timer: none, SIGTERM: free' ''
	quickly try start-timer-and-block-signals
	expect 0 '' ''
	[ -n "$process_of" ]
	quickly try tell-timer-and-signals
	expect 0 'timer: none, SIGTERM: free' ''
	[ -n "$process_of" ]
}

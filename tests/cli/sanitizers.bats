# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The program with sanitizers has a run-time library that is changed in places (tests/sanitized.c).
# It reports the same errors as without the changes.

load lib

setup()
{
	[[ $binary = */asan/rdmactl ]] || skip 'the program has no sanitizers'
	binary=${binary%/*}/planted
}

# reports ERROR WHERE TEXT: the report contains TEXT, and names the function or the place in WHERE.
reports()
{
	try "$1"
	[ "$status" = 99 ] || wrong "$1: status $status"
	[[ $stderr = *"$3"* ]] || wrong "$1: no '$3'"
	[[ $stderr = *"$2"* ]] || wrong "$1: no '$2'"
}

@test "memory errors are reported with the function and the variable" {
	reports leak 'in leak ' 'LeakSanitizer: detected memory leaks'
	reports leak-beside-threads 'in leak ' 'SUMMARY: AddressSanitizer: 11 byte(s) leaked in 1 alloc'
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

@test "without an error nothing is reported" {
	try nothing
	expect 0 '' ''
}

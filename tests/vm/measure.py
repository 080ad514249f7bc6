# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Measures the time, peak memory and system calls of a program."""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import time

import peers

# include/uapi/linux/ptrace.h
PTRACE_TRACEME, PTRACE_CONT, PTRACE_SETOPTIONS = 0, 7, 0x4200
PTRACE_O_TRACEEXIT, PTRACE_O_EXITKILL = 0x40, 0x100000

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def peak_memory_kb(*argv, environment=None, stdin='/dev/null'):
    """Peak resident memory, read when the program is about to exit.

    ru_maxrss cannot be used: a child starts with the peak of its parent, which is Python.
    """
    child = os.fork()
    if child == 0:
        try:
            null = os.open('/dev/null', os.O_RDWR)
            for descriptor in (1, 2):
                os.dup2(null, descriptor)
            os.dup2(os.open(stdin, os.O_RDONLY), 0)
            _libc.ptrace(PTRACE_TRACEME, 0, None, None)
            os.execve(argv[0], argv, environment or os.environ)
        finally:
            os._exit(127)
    os.waitpid(child, 0)  # stopped by execve()
    _libc.ptrace(PTRACE_SETOPTIONS, child, None, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)
    peak, signal = 0, 0
    while True:
        _libc.ptrace(PTRACE_CONT, child, None, signal)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return peak
        signal = os.WSTOPSIG(status)
        if status >> 16:  # PTRACE_EVENT_EXIT
            signal = 0
            text = peers.read('/proc/%d/status' % child) or ''
            peak = int(re.search(r'VmHWM:\s*(\d+) kB', text).group(1))


def heap_in_use(library, *argv):
    """The bytes that a program holds each time it waits; `library` is tests/vm/heap_in_use.c,
    compiled.

    Runs without the per-thread cache, whose free chunks count as used.
    """
    with tempfile.NamedTemporaryFile('r', dir='/dev/shm') as file:
        environment = dict(os.environ, LD_PRELOAD=library, HEAP_IN_USE=file.name,
                           GLIBC_TUNABLES='glibc.malloc.tcache_count=0')
        subprocess.run(argv, env=environment, stdout=subprocess.DEVNULL, check=True)
        return [int(line) for line in file.read().split()]


def system_calls(*argv):
    """Number of system calls, or None without strace."""
    if not shutil.which('strace'):
        return None
    with tempfile.NamedTemporaryFile('r', dir='/dev/shm') as file:
        peers.run('strace', '-f', '-c', '-o', file.name, *argv)
        total = re.search(r'^100\.00 .* total$', file.read(), re.M)
    # % time, seconds, microseconds per call, calls, perhaps errors
    return int(total.group(0).split()[3]) if total else None


class Run:
    """One run: seconds of wall clock and processor time, status."""

    __slots__ = ('wall', 'cpu', 'status')

    def __init__(self, argv):
        begin = time.clock_gettime(time.CLOCK_MONOTONIC)
        child = os.posix_spawn(argv[0], argv, os.environ, file_actions=_quiet)
        _, status, usage = os.wait4(child, 0)
        self.wall = time.clock_gettime(time.CLOCK_MONOTONIC) - begin
        self.cpu = usage.ru_utime + usage.ru_stime
        self.status = os.waitstatus_to_exitcode(status)


_quiet = [(os.POSIX_SPAWN_OPEN, descriptor, '/dev/null', os.O_RDWR, 0) for descriptor in range(3)]

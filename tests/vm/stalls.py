# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How long something takes, not counting how slow the machine is and how long it stands still."""

import os
import threading
import time

# A program may take this many times longer on a slower machine, as long as it does not idle.
SLOWER = 10


class Stalls:
    """Measures how late the machine itself is: a busy host may stop an emulated processor.

    A thread on each processor repeatedly sleeps for a moment, and notes when it overslept and how
    long the processors were idle: in that time the program was waiting for something else.
    """

    STEP = 0.01

    def __init__(self):
        self.begin = time.time()
        self.found = []  # (when it woke up, seconds too late)
        self.steps = []  # (when it woke up, seconds without work since the last time)
        self.over = False
        self.uptime = os.open('/proc/uptime', os.O_RDONLY)
        self.threads = [threading.Thread(target=self._sleep, args=(cpu,), daemon=True)
                        for cpu in os.sched_getaffinity(0)]
        for thread in self.threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def _sleep(self, cpu):
        os.sched_setaffinity(threading.get_native_id(), {cpu})
        last, idle = time.time(), self._idle()
        while not self.over:
            time.sleep(self.STEP)
            now, now_idle = time.time(), self._idle()
            if now - last > 2 * self.STEP:
                self.found.append((now, now - last - self.STEP))
            # More idle time than this means that the machine stood still while it was idle.
            self.steps.append((now, min(now_idle - idle, 2 * self.STEP)))
            last, idle = now, now_idle

    def _idle(self):
        return float(os.pread(self.uptime, 64, 0).split()[1]) / os.cpu_count()

    def end(self):
        self.over = True
        for thread in self.threads:
            thread.join()
        os.close(self.uptime)

    def between(self, begin, end):
        """Sum of the stalls in seconds."""
        return sum(late for woke, late in self.found if woke > begin and woke - late < end)

    def idle(self, begin, end):
        """Seconds for which the processors were idle, though they were not stopped."""
        return sum(idle for woke, idle in self.steps if begin < woke <= end) / len(self.threads)

    def is_late(self, seconds, begin=None, end=None):
        """Whether the work from begin (default: construction) to end (now) waited for longer."""
        begin, end = begin or self.begin, end or time.time()
        took = end - begin - self.between(begin, end)
        return min(took, self.idle(begin, end)) > seconds or took > SLOWER * seconds

    def tell(self, begin=None, end=None):
        """Describes how long the work took."""
        begin, end = begin or self.begin, end or time.time()
        return '%.2f s, %.2f of them idle' % (end - begin, self.idle(begin, end))

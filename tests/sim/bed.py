# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An InfiniBand fabric without hardware, kernel module or privilege: ibsim, opensm, their clients.

Clients see the fabric through libumad2sim, which is preloaded into them. What it does that no real
fabric does, and what to mind:

- The library reads 32 bytes past the end of a heap block in its read(). That is not the client's
  error, so AddressSanitizer suppresses the report. It does not free an answer that comes too late
  for a client, which LeakSanitizer suppresses.
- At most 10 clients at a time, the subnet manager being one. A client that was killed keeps its
  place: Simulator.reap() frees it.
- A PM, vendor or SA datagram that the simulator cannot answer is handed to the client at its
  destination, and a client without an agent for the class crashes: opensm does, when it is asked
  for PM attributes that the simulator does not have. So the subnet manager has a separate node,
  which no such request may go to.
- opensm has to end before ibsim, or it hangs.
- A client to which an answer comes at its end hangs in the library; umadend.c prevents that.

All processes are in the process group of a keeper, which ends them when this program is gone.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, *(os.path.join(os.path.dirname(HERE), name) for name in ('vm', 'compat'))]

import fabric
import program
from peers import Result

NETS = '/usr/share/doc/ibsim-utils/net-examples'
SECONDS = 90  # for anything that should take less than one
LATE = b'Connection timed out'  # as the tools say it
CRASH = (-signal.SIGSEGV, 128 + signal.SIGSEGV)


class Failure(Exception):
    """The bed itself does not work."""


def umad2sim():
    """The preload library, in its own directory, whose place depends on multiarch."""
    for base in ('/usr/lib', '/usr/lib64', '/usr/local/lib'):
        for root in [base] + sorted(entry.path for entry in os.scandir(base) if entry.is_dir()):
            path = root + '/umad2sim/libumad2sim.so'
            if os.path.exists(path):
                return path
    raise Failure('libumad2sim.so is not installed')


def missing():
    """Programs that the bed needs and that are not there."""
    path = os.environ.get('PATH', '') + ':/usr/sbin:/sbin'
    names = ('ibsim', 'opensm', 'smpquery', 'perfquery', 'saquery', 'sminfo', 'ibstat', 'ibroute',
             'dump_fts', 'ibnetdiscover')
    return [name for name in (*names, program.RDMACTL) if not shutil.which(name, path=path)]


class Bed:
    """A directory in memory if there is one, the keeper, and what clients are preloaded with."""

    def __init__(self):
        place = '/dev/shm' if os.access('/dev/shm', os.W_OK | os.X_OK) else None
        self.directory = tempfile.mkdtemp(prefix='rdmactl-sim-', dir=place)
        # The keeper reads to the end of what this program holds open, however it ends.
        script = 'trap "" INT TERM HUP; cat >/dev/null; rm -rf "$1"; kill -KILL 0'
        self.keeper = subprocess.Popen(['/bin/sh', '-c', script, 'keeper', self.directory],
                                       stdin=subprocess.PIPE, process_group=0)
        self.preload = umad2sim()
        self.suppressions = self.path('suppressions')
        with open(self.suppressions, 'w') as file:
            file.write('interceptor_via_lib:libumad2sim.so\n')
        self.leaks = self.path('leaks')
        with open(self.leaks, 'w') as file:
            file.write('leak:libumad2sim.so\n')
        self.count = 0
        self.umadend = self.library('umadend')

    def path(self, name):
        return os.path.join(self.directory, name)

    def library(self, name):
        """The library of latsim.c, rmpp.c or umadend.c, built when first needed."""
        path = self.path(name + '.so')
        if not os.path.exists(path):
            compiler = shlex.split(os.environ.get('CC', 'cc'))
            subprocess.run([*compiler, '-O2', '-shared', '-fPIC', '-D_GNU_SOURCE', '-std=gnu11',
                            '-o', path, '%s/%s.c' % (HERE, name)], check=True)
        return path

    def latsim(self):
        return self.library('latsim')

    def start(self, argv, **options):
        """A process in the keeper's group."""
        return subprocess.Popen(argv, process_group=self.keeper.pid, **options)

    def close(self):
        self.keeper.stdin.close()
        self.keeper.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def end(process, seconds=5):
    """Ends a process of ours, politely first."""
    if process and process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(what, condition, process, seconds=None):
    limit = time.monotonic() + (seconds or SECONDS)
    while not condition():
        if process.poll() is not None or time.monotonic() > limit:
            raise Failure('%s: %s' % (what, 'ended with status %s' % process.returncode
                                      if process.returncode is not None else 'not in time'))
        time.sleep(0.005)


def _is_unlucky(result):
    """Whether another tool than ours crashed, or gave up what a busy simulator answers late."""
    return result.argv[0] != program.RDMACTL and (
        result.status in CRASH or result.status and LATE in result.err)


def _may_be_late(result, options):
    """Whether our program had no answer where it had to know by itself how long one takes.

    In a simulator that answers at once, that is not long: a third of a second with all tries. One
    that had no processor for that time is no fault. What changes something is not done twice.
    """
    words = result.argv
    return (words[0] == program.RDMACTL and b'no answer' in result.out + result.err and
            not (options.get('latsim') or options.get('agent')) and
            not {'--timeout', '--retries', '--yes', '--reset', '--clear'} & set(words))


def _is_stopped(process):
    """Whether all threads are: on a busy machine one may still answer a while after the signal."""
    tasks = '/proc/%d/task' % process.pid
    for task in os.listdir(tasks):
        with open('%s/%s/stat' % (tasks, task)) as file:
            if file.read().rpartition(')')[2].split()[0] != 'T':
                return False
    return True


def _activity(process):
    """A number that changes whenever the process runs; None while it does."""
    with open('/proc/%d/status' % process.pid) as file:
        text = file.read()
    asleep = re.search(r'^State:\s*S', text, re.M)
    return asleep and tuple(re.findall(r'ctxt_switches:\s*(\d+)', text))


def _wait_idle(process, simulator, quiet=0.4):
    """Waits until both only wait, as they do between two readings, or the process has ended.

    Returns the process's number, None if it has ended.
    """
    last, since = None, time.monotonic()

    def idle():
        nonlocal last, since
        now = _activity(process), _activity(simulator)
        if None in now or now != last:
            last, since = now, time.monotonic()
        return time.monotonic() - since > quiet or process.poll() is not None

    wait_until('a program that waits', idle, simulator)
    return last[0] if process.poll() is None else None


class Simulator:
    """One running fabric. `net` is a fabric.Net, or the path of a net file."""

    def __init__(self, bed, net, host=None):
        self.bed = bed
        bed.count += 1
        self.name = 'rdmactl-%d-%d' % (os.getpid(), bed.count)
        self.directory = bed.path(self.name)
        os.makedirs(self.directory + '/cwd')
        self.file = self.path('net')
        if isinstance(net, fabric.Net):
            self.net = net
            with open(self.file, 'wb') as file:
                file.write(net.write())
        else:
            self.net = fabric.read(net)
            shutil.copyfile(net, self.file)
        # Clients are attached to port 1 of an adapter, or to port 0 of a switch.
        places = [node.name for node in self.net.hcas() if 1 in node.links]
        places += [node.name for node in self.net.switches()]
        self.host = host or places[0]
        self.manager = next((place for place in places if place != self.host), self.host)
        self.ibsim = self.sm = self.console_pipe = None
        self.retried = 0

    def path(self, name):
        return os.path.join(self.directory, name)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    # The simulator

    def environment(self, host=None, preload=(), env=None):
        whole = dict(os.environ, IBSIM_SOCKNAME=self.name, SIM_HOST=host or self.host, LC_ALL='C',
                     LD_PRELOAD=':'.join([*preload, self.bed.preload]), **(env or {}))
        whole['PATH'] = whole.get('PATH', '') + ':/usr/sbin:/sbin'
        whole['ASAN_OPTIONS'] = ':'.join(filter(None, (
            whole.get('ASAN_OPTIONS'), 'suppressions=' + self.bed.suppressions)))
        whole['LSAN_OPTIONS'] = ':'.join(filter(None, (
            whole.get('LSAN_OPTIONS'), 'suppressions=%s:print_suppressions=0' % self.bed.leaks)))
        return whole

    def log(self, begin=0):
        with open(self.path('ibsim.log'), encoding='utf-8', errors='replace') as file:
            file.seek(begin)
            return file.read()

    def start(self):
        os.mkfifo(self.path('console'))
        # Both ends open here: the simulator spins if its console comes to an end.
        pipe = self.console_pipe = os.open(self.path('console'), os.O_RDWR | os.O_CLOEXEC)
        limit = max(2048, 2 * len(self.net.nodes))
        words = ['ibsim', '-s', '-N', str(limit), '-S', str(limit), '-P', str(limit * 20),
                 self.file]
        environment = self.environment()
        del environment['LD_PRELOAD']
        # Apart, as the console's output ends with its prompt and warnings come at any time.
        with open(self.path('ibsim.log'), 'wb') as log, open(self.path('ibsim.err'), 'wb') as err:
            self.ibsim = self.bed.start(words, stdin=pipe, stdout=log, stderr=err,
                                        env=environment, cwd=self.directory)
        try:
            wait_until('ibsim', lambda: 'simulator ready' in self.log(), self.ibsim)
        except Failure as failure:
            with open(self.path('ibsim.err'), errors='replace') as err:
                raise Failure('%s: %s' % (failure, err.read()[-500:])) from failure

    def console(self, line):
        """Gives a console command; returns what the simulator says to it."""
        begin = os.path.getsize(self.path('ibsim.log'))
        os.write(self.console_pipe, line.encode() + b'\n')
        wait_until('ibsim, ' + line, lambda: self.log(begin).endswith('sim> '), self.ibsim)
        return self.log(begin)[:-len('sim> ')]

    def stop(self):
        """The subnet manager first: it hangs if the simulator goes first."""
        self.stop_manager()
        end(self.ibsim)
        if self.console_pipe is not None:
            os.close(self.console_pipe)
        self.ibsim = self.console_pipe = None
        shutil.rmtree(self.directory, ignore_errors=True)

    # The subnet manager

    def start_manager(self, *options):
        """opensm, until the fabric is configured. No periodic sweeps: traps cause them."""
        home = self.path('osm')
        os.makedirs(home + '/tmp', exist_ok=True)
        log = home + '/opensm.log'
        if os.path.exists(log):
            os.unlink(log)
        environment = self.environment(self.manager, env={'OSM_CACHE_DIR': home + '/tmp',
                                                          'OSM_TMP_DIR': home + '/tmp'})
        with open(home + '/out', 'wb') as out:
            self.sm = self.bed.start(['opensm', '-d2', '-f', log, '-s', '0', *options], cwd=home,
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                     env=environment)
        wait_until('opensm', self.manager_said, self.sm)

    def sweep(self):
        """Has the manager configure the whole fabric again, and waits until it has done so."""
        before = self.manager_said()
        self.sm.send_signal(signal.SIGHUP)
        wait_until('opensm, swept', lambda: self.manager_said() > before, self.sm)

    def manager_said(self, words='SUBNET UP'):
        """How often its log has that line."""
        try:
            with open(self.path('osm/opensm.log'), encoding='utf-8', errors='replace') as file:
                return file.read().count(words)
        except OSError:
            return 0

    def manager_lives(self):
        return self.sm is not None and self.sm.poll() is None

    def pause_manager(self):
        self.sm.send_signal(signal.SIGSTOP)
        wait_until('opensm, stopped', lambda: _is_stopped(self.sm), self.sm)

    def resume_manager(self):
        self.sm.send_signal(signal.SIGCONT)

    def stop_manager(self):
        if self.manager_lives():
            self.resume_manager()
        end(self.sm)
        self.sm = None

    # Clients

    def slots(self):
        """{slot: (pid, node)} of the clients that the simulator believes to have."""
        rows = re.findall(r'Client (\d+): pid (\d+) connected at "([^"]*)"',
                          self.console('Attached'))
        return {int(slot): (int(pid), node) for slot, pid, node in rows}

    def reap(self):
        """Frees the places of clients that are gone, and removes their trees; returns how many."""
        gone = {slot: pid for slot, (pid, _) in self.slots().items()
                if not os.path.exists('/proc/%d' % pid)}
        for slot, pid in gone.items():
            self.console('X %d' % slot)
            shutil.rmtree(self.path('cwd/sys-%d' % pid), ignore_errors=True)
        return len(gone)

    def client(self, argv, host=None, latsim=None, env=None, stdin=subprocess.DEVNULL,
               preexec_fn=None, agent=None):
        """Starts a client and leaves it to the caller. `latsim`: settings, {'RTT_USEC': 5}.
        `agent`: the subnet administrator of sa_agent.py."""
        env = dict(env or {}, **{'LATSIM_' + name: str(value)
                                 for name, value in (latsim or {}).items()})
        libraries = [self.bed.umadend] if latsim is None else [self.bed.latsim(), self.bed.umadend]
        if agent:
            libraries.insert(0, self.bed.library('rmpp'))
            env.update(agent.environment)
        environment = self.environment(host, libraries, env)
        return self.bed.start(argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.path('cwd'), env=environment, preexec_fn=preexec_fn)

    def interrupted(self, *words, latsim=None):
        """The Result of a client that finds a signal of the user when it first looks for one."""
        def interrupt():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            signal.raise_signal(signal.SIGINT)

        argv = [program.RDMACTL, *words]
        process = self.client(argv, latsim=latsim, preexec_fn=interrupt)
        out, err = process.communicate(timeout=SECONDS)
        return Result(argv, process.returncode, out, err)

    def between(self, argv, change):
        """A client that reads twice, and change(True) between: its Result, and how long it took.

        If the client has woken up before that was done, it was too late: change(False) takes it back,
        and the next client leaves more time.
        """
        for interval in (1500, 6000, 24000):
            change(False)
            begin = time.monotonic()
            words = [*argv, '--interval', '%dms' % interval]
            process = self.client(words)
            before = _wait_idle(process, self.ibsim)
            change(True)
            in_time = before and _activity(process) == before
            out, err = process.communicate(timeout=SECONDS + interval / 1000)
            if in_time:
                return Result(words, process.returncode, out, err), time.monotonic() - begin
        raise Failure('nothing can be done between the readings of %s' % argv)

    def run(self, argv, host=None, timeout=SECONDS, text=None, **options):
        """Runs a client to its end; `text` is its standard input.

        Other tools than ours get a second chance when they crash, and all when they had no answer.
        """
        result = self._run(argv, host, timeout, text, options)
        if _is_unlucky(result) or _may_be_late(result, options):
            self.reap()
            self.retried += 1
            result = self._run(argv, host, timeout, text, options)
        return result

    def _run(self, argv, host, timeout, text, options):
        stdin = subprocess.DEVNULL if text is None else subprocess.PIPE
        process = self.client(argv, host, stdin=stdin, **options)
        try:
            out, err = process.communicate(text and text.encode(), timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            status = 'timeout'
            self.reap()
        return Result([os.fsdecode(word) for word in argv], status, out, err)

    def rdmactl(self, *words, **options):
        """Runs the program, and holds the run against the rules that hold for all runs."""
        result = self.run([program.RDMACTL, *words], **options)
        program.check(result)
        return result

    def document(self, schema, *words, **options):
        """Runs `rdmactl -j WORDS`; returns a program.Document with the rows of that schema."""
        return program.parse(schema, words, self.rdmactl('-j', *words, **options))

    def run_all(self, commands, host=None, workers=None):
        """Runs clients by the dozen, a few at a time: a list of Results, in order.

        A shell starts them: that is several times as quick as doing so from here.
        """
        workers = workers or min(os.cpu_count() or 1, 4)
        parts = [list(range(first, len(commands), workers)) for first in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            batches = list(pool.map(lambda part: self._batch(commands, part, host), parts))
        results = [None] * len(commands)
        for batch in batches:
            for number, result in batch.items():
                results[number] = result
        return [self.run(result.argv, host) if _is_unlucky(result) else result
                for result in results]

    def _batch(self, commands, numbers, host):
        if not numbers:
            return {}
        name = self.path('batch-%d' % numbers[0])
        environment = self.environment(host, [self.bed.umadend])
        script = ['export LD_PRELOAD=' + shlex.quote(environment.pop('LD_PRELOAD'))]
        for number in numbers:
            script.append('%s >%s.%d.out 2>%s.%d.err </dev/null; echo $?' % (
                shlex.join(commands[number]), name, number, name, number))
        with open(name, 'w') as file:
            file.write('\n'.join(script))
        shell = self.bed.start(['/bin/sh', name], stdin=subprocess.DEVNULL, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               cwd=self.path('cwd'))
        try:
            statuses = shell.communicate(timeout=SECONDS + len(numbers))[0].split()
        except subprocess.TimeoutExpired as late:
            shell.kill()
            shell.communicate()
            raise Failure('clients do not end: %s' % commands[numbers[0]]) from late
        return {number: Result(commands[number], int(status),
                               _take('%s.%d.out' % (name, number)),
                               _take('%s.%d.err' % (name, number)))
                for number, status in zip(numbers, statuses)}

    def set_smps(self, lines):
        """Writes attributes with set_smp.py; what is wrong, as lines."""
        result = self.run([sys.executable, HERE + '/set_smp.py'],
                          text=''.join(line + '\n' for line in lines))
        return [] if result.status == 0 else result.describe() + result.text().splitlines()

    # The simulator's own view

    def lids(self):
        """{(node name, port): LID} by the simulator's own list, of the ports that have one."""
        found, node = {}, None
        for line in self.console('Dump').splitlines():
            head = re.search(r'(?:Ca|Switch|Router) \d+ "([^"]*)"', line)
            port = re.match(r'[0-9a-f]+\s+\[(\d+)\].* lid (\d+) lmc', line)
            if head:
                node = head[1]
            elif port and int(port[2]):
                found[node, int(port[1])] = int(port[2])
        return found

    def route(self, one, other):
        """The simulator's own word on the way between two LIDs."""
        return self.console('Route %d %d' % (one, other))


def _take(path):
    with open(path, 'rb') as file:
        data = file.read()
    os.unlink(path)
    return data

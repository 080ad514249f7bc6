# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An InfiniBand fabric without hardware, kernel module or privilege: ibsim, opensm, their clients.

Clients see the fabric through libumad2sim, which is preloaded into them. It differs from a real
fabric in these ways:

- The library reads 32 bytes past the end of a heap block in its read(). That is not the client's
  error, so AddressSanitizer suppresses the report. It does not free an answer that arrives too
  late for a client; LeakSanitizer suppresses that leak.
- At most 10 clients can be attached at a time, including the subnet manager. A client that was
  killed keeps its slot until Simulator.reap() frees it.
- A PM, vendor or SA datagram that the simulator cannot answer is handed to the client at its
  destination, and a client without an agent for the class crashes. opensm crashes when it is asked
  for PM attributes that the simulator does not have, so the subnet manager has a separate node, to
  which no such request may go.
- opensm hangs unless it ends before ibsim.
- A client that receives an answer while it exits hangs in the library; umadend.c prevents that.

All processes are in the process group of a keeper, which kills them when this program is gone.
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
SECONDS = 90  # time limit for anything that should take less than one second
LATE = b'Connection timed out'  # as the tools print it
CRASH = (-signal.SIGSEGV, 128 + signal.SIGSEGV)


class Failure(Exception):
    """The test bed itself does not work."""


def umad2sim():
    """Path of the preload library; its directory depends on multiarch."""
    for base in ('/usr/lib', '/usr/lib64', '/usr/local/lib'):
        for root in [base] + sorted(entry.path for entry in os.scandir(base) if entry.is_dir()):
            path = root + '/umad2sim/libumad2sim.so'
            if os.path.exists(path):
                return path
    raise Failure('libumad2sim.so is not installed')


def missing():
    """Programs that the bed needs and that are not installed."""
    path = os.environ.get('PATH', '') + ':/usr/sbin:/sbin'
    names = ('ibsim', 'opensm', 'smpquery', 'perfquery', 'saquery', 'sminfo', 'ibstat', 'ibroute',
             'dump_fts', 'ibnetdiscover')
    return [name for name in (*names, program.RDMACTL) if not shutil.which(name, path=path)]


class Bed:
    """A directory (in memory if possible), the keeper, and the libraries that clients preload."""

    def __init__(self):
        place = '/dev/shm' if os.access('/dev/shm', os.W_OK | os.X_OK) else None
        self.directory = tempfile.mkdtemp(prefix='rdmactl-sim-', dir=place)
        # The keeper sees end of file on its input when this program ends, however that happens.
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
        """Path of the library of latsim.c, rmpp.c or umadend.c, built when first needed."""
        path = self.path(name + '.so')
        if not os.path.exists(path):
            compiler = shlex.split(os.environ.get('CC', 'cc'))
            subprocess.run([*compiler, '-O2', '-shared', '-fPIC', '-D_GNU_SOURCE', '-std=gnu11',
                            '-o', path, '%s/%s.c' % (HERE, name)], check=True)
        return path

    def latsim(self):
        return self.library('latsim')

    def start(self, argv, **options):
        """Starts a process in the keeper's group."""
        return subprocess.Popen(argv, process_group=self.keeper.pid, **options)

    def close(self):
        self.keeper.stdin.close()
        self.keeper.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def end(process, seconds=5):
    """Terminates one of our processes, and kills it if that does not help."""
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
    """Whether a tool other than ours crashed, or timed out as a busy simulator answered late."""
    return result.argv[0] != program.RDMACTL and (
        result.status in CRASH or result.status and LATE in result.err)


def _may_be_late(result, options):
    """Whether our program got no answer within the timeout that it derived itself.

    With a simulator that answers at once, that timeout is short: a third of a second with all
    retries. A simulator that got no processor time for that long is not an error. Commands that
    change something are not repeated.
    """
    words = result.argv
    return (words[0] == program.RDMACTL and b'no answer' in result.out + result.err and
            not (options.get('latsim') or options.get('agent')) and
            not {'--timeout', '--retries', '--yes', '--reset', '--clear'} & set(words))


def _is_stopped(process):
    """Whether all threads have stopped: on a busy machine one may answer for a while longer."""
    tasks = '/proc/%d/task' % process.pid
    for task in os.listdir(tasks):
        with open('%s/%s/stat' % (tasks, task)) as file:
            if file.read().rpartition(')')[2].split()[0] != 'T':
                return False
    return True


def _activity(process):
    """A value that changes whenever the process runs; None while it is running."""
    with open('/proc/%d/status' % process.pid) as file:
        text = file.read()
    asleep = re.search(r'^State:\s*S', text, re.M)
    return asleep and tuple(re.findall(r'ctxt_switches:\s*(\d+)', text))


def _wait_idle(process, simulator, quiet=0.4):
    """Waits until both are idle, as they are between two readings, or the process has ended.

    Returns the process's _activity(), or None if it has ended.
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
        # Keep both ends open: the simulator spins when its console reaches end of file.
        pipe = self.console_pipe = os.open(self.path('console'), os.O_RDWR | os.O_CLOEXEC)
        limit = max(2048, 2 * len(self.net.nodes))
        words = ['ibsim', '-s', '-N', str(limit), '-S', str(limit), '-P', str(limit * 20),
                 self.file]
        environment = self.environment()
        del environment['LD_PRELOAD']
        # Separate files: console output ends with the prompt, and warnings come at any time.
        with open(self.path('ibsim.log'), 'wb') as log, open(self.path('ibsim.err'), 'wb') as err:
            self.ibsim = self.bed.start(words, stdin=pipe, stdout=log, stderr=err,
                                        env=environment, cwd=self.directory)
        try:
            wait_until('ibsim', lambda: 'simulator ready' in self.log(), self.ibsim)
        except Failure as failure:
            with open(self.path('ibsim.err'), errors='replace') as err:
                raise Failure('%s: %s' % (failure, err.read()[-500:])) from failure

    def console(self, line):
        """Runs a console command; returns the simulator's output."""
        begin = os.path.getsize(self.path('ibsim.log'))
        os.write(self.console_pipe, line.encode() + b'\n')
        wait_until('ibsim, ' + line, lambda: self.log(begin).endswith('sim> '), self.ibsim)
        return self.log(begin)[:-len('sim> ')]

    def stop(self):
        """Stops the subnet manager first: it hangs if the simulator ends before it."""
        self.stop_manager()
        end(self.ibsim)
        if self.console_pipe is not None:
            os.close(self.console_pipe)
        self.ibsim = self.console_pipe = None
        shutil.rmtree(self.directory, ignore_errors=True)

    # The subnet manager

    def start_manager(self, *options):
        """Starts opensm; waits until the fabric is configured. Only traps cause sweeps."""
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
        """How many times the manager's log has these words."""
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
        """{slot: (pid, node)} of the clients that the simulator believes are attached."""
        rows = re.findall(r'Client (\d+): pid (\d+) connected at "([^"]*)"',
                          self.console('Attached'))
        return {int(slot): (int(pid), node) for slot, pid, node in rows}

    def reap(self):
        """Frees the slots of clients that are gone, and removes their trees; returns how many."""
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
        """The Result of a client that has a pending SIGINT when it first looks for a signal."""
        def interrupt():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            signal.raise_signal(signal.SIGINT)

        argv = [program.RDMACTL, *words]
        process = self.client(argv, latsim=latsim, preexec_fn=interrupt)
        out, err = process.communicate(timeout=SECONDS)
        return Result(argv, process.returncode, out, err)

    def between(self, argv, change):
        """Calls change(True) between two readings of a client: its Result, and how long it took.

        If the client wakes up before the change is done, change(False) reverts it, and the next
        client leaves more time.
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
        raise Failure('the change took too long between the readings of %s' % argv)

    def run(self, argv, host=None, timeout=SECONDS, text=None, **options):
        """Runs a client to its end; `text` is its standard input.

        A tool other than ours that crashed, and any client that timed out, gets a second chance.
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
        """Runs the program, and checks the run against the rules for all runs."""
        result = self.run([program.RDMACTL, *words], **options)
        program.check(result)
        return result

    def document(self, schema, *words, **options):
        """Runs `rdmactl -j WORDS`; returns a program.Document with the rows of that schema."""
        return program.parse(schema, words, self.rdmactl('-j', *words, **options))

    def run_all(self, commands, host=None, workers=None):
        """Runs many clients, a few at a time: a list of Results, in order.

        A shell starts them, which is several times as fast as starting them from here.
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
        """Writes attributes with set_smp.py; returns a line for each error."""
        result = self.run([sys.executable, HERE + '/set_smp.py'],
                          text=''.join(line + '\n' for line in lines))
        return [] if result.status == 0 else result.describe() + result.text().splitlines()

    # The simulator's own view

    def lids(self):
        """{(node name, port): LID} from the simulator's own list, for ports that have a LID."""
        found, node = {}, None
        for line in self.console('Dump').splitlines():
            head = re.search(r'(?:Ca|Switch|Router) \d+ "([^"]*)"', line)
            port = re.match(r'[0-9a-f]+\s+\[(\d+)\].* lid (\d+) lmc', line)
            if head:
                node = head[1]
            elif port and int(port[2]):
                found[node, int(port[1])] = int(port[2])
        return found

    def tables(self):
        """{node GUID of a switch, in hex: {LID: port}}, as its list shows them; 255 is nowhere."""
        found, table = {}, None
        for line in self.console('Dump').splitlines():
            head = re.match(r'Switch .*"\s+nodeguid ([0-9a-f]+)', line)
            if head:
                table = found[head[1]] = {}
            elif line.startswith('#\tForwarding table'):
                table.update((int(lid), int(port, 16)) for lid, port in
                             re.findall(r'\[(\d+)\]([0-9A-F]+)', line))
        return found

    def route(self, one, other):
        """The route between two LIDs as the simulator reports it."""
        return self.console('Route %d %d' % (one, other))


def _take(path):
    with open(path, 'rb') as file:
        data = file.read()
    os.unlink(path)
    return data

# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The personality of ibaddr prints the same bytes as the tool and exits the same way."""

import os
import re

import bed
import differ
import program

NET = bed.NETS + '/net.2sw2path4hca2port'
TOOL = 'ibaddr'
CONFIG = '# what others are told\nCA=ibsim0\nPort=9 # no such port\ntimeout=70\nm_key=0x5\n\nodd\n'
# Argument lists for a fabric without a subnet manager.
BARE = ([], ['-l'], ['-L', '-g'], ['-D', '0,1'], ['-t', '50', '99'], ['-d', '-t', '60'])


def beside(sim, link, words, where):
    """Differences from the tool, except for the path of the program."""
    environment = {'RDMACTL_COMPAT': differ.environment()['RDMACTL_COMPAT']}
    results = []
    for path in (link, differ.real(TOOL)):
        done = sim.run([path, *words], env=environment)
        name = os.fsencode(path)
        results.append(differ.Result(done.status, done.out.replace(name, TOOL.encode()),
                                     done.err.replace(name, TOOL.encode())))
    return differ.judge(TOOL, words, where, *results)


def on_fabric(tap, sim, link):
    lids = sim.lids()
    first = next(lid for (name, port), lid in lids.items() if port == 0)
    other = next(lid for (name, port), lid in lids.items() if port and name != sim.host)
    told = sim.run(['smpquery', 'nodeinfo', '-D', '0']).text()
    guid = re.search(r'PortGuid:\.*(0x[0-9a-f]+)', told)[1]
    config = sim.path('config')
    with open(config, 'w') as file:
        file.write(CONFIG)
    places = {'LID': str(first), 'LID2': str(other), 'GUID': guid,
              'CONFIG': config, '--config=CONFIG': '--config=' + config}
    wrong, lists = [], differ.arguments(TOOL, (), places)
    for words in lists:
        wrong += beside(sim, link, words, 'a subnet')
    tap.test('compat: ibaddr equals the tool, %d runs' % len(lists), wrong)
    return guid


def play(tap, box):
    with bed.Simulator(box, NET) as sim:
        link = sim.path(TOOL)
        os.symlink(os.path.realpath(program.RDMACTL), link)
        wrong = []
        for words in BARE:
            wrong += beside(sim, link, words, 'no subnet manager')
        sim.start_manager()
        guid = on_fabric(tap, sim, link)
        sim.stop_manager()
    with bed.Simulator(box, NET) as sim:
        link = sim.path(TOOL)
        os.symlink(os.path.realpath(program.RDMACTL), link)
        for words in (['-G', guid], ['-e', '-G', guid]):
            wrong += beside(sim, link, words, 'no subnet manager')
        tap.test('compat: ibaddr equals the tool without a subnet manager', wrong)

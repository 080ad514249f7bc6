# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmactl events: each cause gives its events at once, with the values before and after."""

import socket
import time

import netlink
import peers
from events import LINKWATCH, Expected, Watch, cause, remove_vlan
from selftest import steady, until
from tap import unequal

LINK, DEVICE = None, None
ACTIVE = {'state_before': 'active', 'state': 'down', 'physical_state_before': 'link-up'}
# Carriers and link-local addresses follow later.
FOLLOW = ('netdev-up', 'address-added', 'address-removed')
# What the kernel tells the holders of a device that it removes, if the driver can take the device
# away from them: uverbs_async_event_destroy_uobj(), uverbs_std_types_async_fd.c. Linux 7.3 does so
# with rxe.
REVOKED = 'device-fatal'


def number(netdev):
    return socket.if_nametoindex(netdev)


def down(netdev, device):
    return [Expected(netdev, 'netdev-disabled', netdev_enabled_before=True, netdev_enabled=False),
            Expected(netdev, 'netdev-down', netdev_running_before=True, netdev_running=False,
                     operstate_before='up', operstate='down'),
            Expected(device + '/1', 'port-down', netdev=netdev, device=device, port=1, **ACTIVE)]


def up(netdev, device):
    return [Expected(netdev, 'netdev-enabled', netdev_enabled_before=False, netdev_enabled=True),
            Expected(netdev, 'netdev-up', soon=LINKWATCH, netdev_running_before=False,
                     netdev_running=True),
            Expected(device + '/1', 'port-active', netdev=netdev, state_before='down',
                     state='active')]


def carrier(netdev, device, gone):
    """The other end of the wire."""
    if gone:
        return [Expected(netdev, 'netdev-down', LINKWATCH, netdev_running_before=True,
                         operstate_before='up', netdev_enabled=True, netdev_running=False),
                Expected(device + '/1', 'port-down', LINKWATCH, **ACTIVE)]
    return [Expected(netdev, 'netdev-up', soon=LINKWATCH, netdev_running=True, operstate='up'),
            Expected(device + '/1', 'port-active', soon=LINKWATCH, state_before='down')]


def links(tap, watch):
    va, vb = number('va'), number('vb')
    for mine, other, netdev, device, far, far_device in (
            (va, vb, 'va', 'rxa', 'vb', 'rxb'), (vb, va, 'vb', 'rxb', 'va', 'rxa')):
        tap.test('events: %s down, and the other end loses its carrier' % netdev,
                 cause(watch, lambda: LINK.down(mine),
                       down(netdev, device) + carrier(far, far_device, True), FOLLOW))
        begin = len(watch.events)
        tap.test('events: %s up' % netdev,
                 cause(watch, lambda: LINK.up(mine),
                       up(netdev, device) + carrier(far, far_device, False), FOLLOW) +
                 ['no down_msec' for one in watch.find('port-active', begin=begin)
                  if not one['down_msec']])
    peers.shell('bed_rewire')
    watch.settle()


def addresses(tap, watch):
    va = number('va')
    used = {index for device, _, index in peers.sysfs_gids(16) if device == 'rxa'}
    free = min(set(range(16)) - used)
    for address, gid in (('10.9.0.55/24', '0000:0000:0000:0000:0000:ffff:0a09:0037'),
                         ('fd09::55/64', 'fd09:0000:0000:0000:0000:0000:0000:0055')):
        values = {'netdev': 'va', 'address': address.split('/')[0],
                  'prefix_length': int(address.split('/')[1])}
        entry = {'gid': gid, 'gid_before': None, 'gid_type': 'roce-v2', 'gid_netdev': 'va',
                 'gid_index': free}
        tap.test('events: address %s added' % address,
                 cause(watch, lambda: LINK.address(va, address),
                       [Expected('va', 'address-added', **values),
                        Expected('rxa/1', 'gid-added', **entry)]))
        entry = {'gid_before': gid, 'gid': None, 'gid_type_before': 'roce-v2',
                 'gid_netdev_before': 'va', 'gid_index': free}
        tap.test('events: address %s removed' % address,
                 cause(watch, lambda: LINK.address(va, address, False),
                       [Expected('va', 'address-removed', **values),
                        Expected('rxa/1', 'gid-removed', **entry)]))


def mtus(tap, watch):
    va = number('va')
    for before, after, port_before, port_after in ((1500, 4200, 1024, 4096),
                                                   (4200, 1500, 4096, 1024)):
        tap.test('events: MTU %d to %d' % (before, after),
                 cause(watch, lambda: LINK.mtu(va, after),
                       [Expected('va', 'netdev-mtu', netdev_mtu_bytes_before=before,
                                 netdev_mtu_bytes=after),
                        Expected('rxa/1', 'mtu-change', active_mtu_bytes_before=port_before,
                                 active_mtu_bytes=port_after)]))


def vlan(tap, watch):
    add = b'link add link va name va.5 type vlan id 5\nlink set va.5 up\naddr add 10.9.5.1/24 dev va.5\n'
    slow = 1  # `ip` has to start
    gid = '0000:0000:0000:0000:0000:ffff:0a09:0501'
    tap.test('events: a VLAN, with its address',
             cause(watch, lambda: peers.must('ip', '-b', '-', stdin=add),
                   [Expected('va.5', 'netdev-enabled', slow, device='rxa'),
                    Expected('va.5', 'netdev-up', slow),
                    Expected('va.5', 'address-added', slow, address='10.9.5.1'),
                    Expected('rxa/1', 'gid-added', slow, gid=gid, gid_netdev='va.5')],
                   ('gid-added', 'address-added')))
    tap.test('events: the VLAN is deleted',
             cause(watch, lambda: peers.must('ip', 'link', 'del', 'va.5'),
                   [Expected('rxa/1', 'gid-removed', slow, gid_before=gid),
                    Expected('va.5', 'netdev-disabled', slow),
                    Expected('va.5', 'netdev-down', slow),
                    Expected('va.5', 'address-removed', slow, address='10.9.5.1')],
                   ('gid-removed', 'address-removed')))


def names(tap, watch):
    index = DEVICE.index('rxa')
    for before, after in (('rxa', 'roce0'), ('roce0', 'rxa')):
        tap.test('events: device %s renamed to %s' % (before, after),
                 cause(watch, lambda: DEVICE.rename(index, after),
                       [Expected(after, 'device-renamed', name_before=before, device=after)]))
    va = number('va')
    LINK.down(va)
    watch.settle()
    for before, after in (('va', 'wire0'), ('wire0', 'va')):
        tap.test('events: netdev %s renamed to %s' % (before, after),
                 cause(watch, lambda: LINK.rename(va, after),
                       [Expected(after, 'netdev-renamed', name_before=before, device='rxa')],
                       FOLLOW))
    LINK.up(va)
    peers.shell('bed_rewire')
    watch.settle()


def come_and_go(tap, watch):
    """A device that appears is watched with its ports."""
    peers.must('ip', '-b', '-', stdin=b'link add dm0 address 02:00:00:00:44:01 type dummy\n'
                                      b'link set dm0 up\n')
    watch.settle()
    tap.test('events: rdma link add',
             cause(watch, lambda: DEVICE.add('rxd', 'dm0'),
                   [Expected('rxd', 'device-added', device='rxd'),
                    Expected('rxd/1', 'netdev-attached', port_netdev_before=None,
                             port_netdev='dm0'),
                    Expected('rxd/1', 'port-active', state='active'),
                    Expected('rxd/1', 'gid-added', gid_index=0)], ('gid-added',)))
    dm0 = number('dm0')
    tap.test('events: the new device goes down',
             cause(watch, lambda: LINK.down(dm0),
                   [Expected('dm0', 'netdev-disabled', device='rxd', port=1),
                    Expected('dm0', 'netdev-down'),
                    Expected('rxd/1', 'port-down', **ACTIVE)], FOLLOW))
    tap.test('events: and comes up again',
             cause(watch, lambda: LINK.up(dm0),
                   [Expected('dm0', 'netdev-enabled'), Expected('dm0', 'netdev-up'),
                    Expected('rxd/1', 'port-active', state_before='down')], FOLLOW))
    peers.must('ip', 'link', 'add', 'bd0', 'type', 'bond')
    tap.test('events: its netdev joins a bond',
             cause(watch, lambda: peers.must('ip', 'link', 'set', 'dm0', 'down', 'master', 'bd0'),
                   [Expected('dm0', 'netdev-master', 1, netdev_master_before=None,
                             netdev_master='bd0')],
                   FOLLOW + ('netdev-disabled', 'netdev-down', 'netdev-enabled', 'port-down',
                             'port-active', 'gid-added', 'gid-removed', 'gid-changed')))
    tap.test('events: its netdev leaves the bond',
             cause(watch, lambda: peers.must('ip', 'link', 'set', 'dm0', 'nomaster'),
                   [Expected('dm0', 'netdev-master', 1, netdev_master_before='bd0',
                             netdev_master=None)],
                   FOLLOW + ('netdev-disabled', 'netdev-down', 'netdev-enabled', 'port-down',
                             'port-active', 'gid-added', 'gid-removed', 'gid-changed')))
    LINK.up(dm0)
    watch.settle()
    index = DEVICE.index('rxd')
    begin = time.monotonic()
    # The kernel waits until nobody holds the device open.
    tap.test('events: rdma link del, which the watching does not delay',
             cause(watch, lambda: DEVICE.delete(index),
                   [Expected('rxd', 'device-removed', 1, device='rxd'),
                    Expected('rxd/1', 'port-down', 1, state_before='active', state=None),
                    Expected('rxd/1', 'netdev-detached', 1, port_netdev_before='dm0',
                             port_netdev=None)], ('gid-removed',)) +
             (['took %.1f s' % (time.monotonic() - begin)]
              if time.monotonic() - begin > 60 else []))
    before = len(watch.events)
    for _ in range(3):
        DEVICE.add('rxd', 'dm0')
        DEVICE.delete(DEVICE.index('rxd'))
    until(lambda: len(watch.find('device-removed', begin=before)) == 3)
    tap.test('events: three devices that come and go at once',
             unequal('added, removed', [len(watch.find(word, 'rxd', before))
                                        for word in ('device-added', 'device-removed')], [3, 3]))
    DEVICE.add('rxd', 'dm0')
    watch.wait('device-added', 'rxd')
    watch.settle()
    tap.test('events: the netdev of a device is deleted',
             cause(watch, lambda: peers.must('ip', 'link', 'del', 'dm0'),
                   [Expected('rxd', 'device-removed', 2)],
                   FOLLOW + ('netdev-disabled', 'netdev-down', 'port-down', 'gid-removed',
                             'netdev-detached', REVOKED)))
    peers.must('ip', 'link', 'del', 'bd0')


def namespace(tap, watch):
    """The netdev moves to another network namespace: a software device cannot follow."""
    peers.must('ip', 'netns', 'add', 'blue')
    slow = 6  # `ip` has to start, and the kernel removes the device in its own time
    tap.test('events: vb moves to another network namespace',
             cause(watch, lambda: peers.must('ip', 'link', 'set', 'vb', 'netns', 'blue'),
                   [Expected('rxb', 'device-removed', slow),
                    Expected('rxb/1', 'port-down', slow, state_before='active'),
                    Expected('vb', 'netdev-down', slow),
                    Expected('va', 'netdev-down', slow, operstate_before='up')],
                   FOLLOW + ('netdev-disabled', 'gid-removed', 'gid-changed', 'netdev-detached',
                             'port-down', REVOKED)))
    peers.must('ip', '-n', 'blue', 'link', 'set', 'vb', 'netns', '1')
    peers.must('ip', '-b', '-', stdin=b'link set vb up\naddr replace 10.9.0.2/24 dev vb\n'
                                      b'addr replace fd09::2/64 dev vb\n')
    DEVICE.add('rxb', 'vb')
    tap.test('events: and comes back, with a new device',
             [] if watch.wait('device-added', 'rxb') else ['no device-added'])
    peers.must('ip', 'netns', 'del', 'blue')
    peers.shell('bed_rewire')
    watch.settle()


def play(tap):
    global LINK, DEVICE
    LINK, DEVICE = netlink.Links(), netlink.Devices()
    peers.shell('bed_wire')
    remove_vlan()
    steady(seconds=LINKWATCH)
    watch = Watch()
    links(tap, watch)
    addresses(tap, watch)
    mtus(tap, watch)
    vlan(tap, watch)
    names(tap, watch)
    come_and_go(tap, watch)
    namespace(tap, watch)
    result = watch.end()
    tap.test('events: SIGINT ends it with 0; each line was complete, and follows the schema',
             watch.wrong(result) + unequal('gaps', watch.find('gap'), []))
    tap.say('%d events' % len(watch.events))

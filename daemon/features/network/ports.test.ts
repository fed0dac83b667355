import { expect, test } from 'bun:test';
import type { NetDevice } from '../../appliance/net/port.ts';
import { assign } from './ports.ts';

const device = (hardware: string, name: string): NetDevice => ({
  ...{ hardware, name, mac: '', driver: '', state: 'connected', hasLink: true, speed: 0, addresses: [] },
  ...{ gateway: '', dns: [], config: null },
});
const [a, b, c] = [device('path:a', 'eth0'), device('path:b', 'eth1'), device('path:c', 'eth2')];

test('at first, the ports are the interfaces in their order', () => {
  expect(assign([a, b, c], {})).toEqual({ eth1: a, eth2: b });
  expect(assign([a], {})).toEqual({ eth1: a });
});

test('a port keeps its interface when the kernel names or orders them differently', () => {
  const stored = { eth1: 'path:b', eth2: 'path:a' };
  expect(assign([a, b], stored)).toEqual({ eth1: b, eth2: a });
  const [renamedA, renamedB] = [device('path:a', 'eth1'), device('path:b', 'eth0')];
  expect(assign([renamedB, renamedA], stored)).toEqual({ eth1: renamedB, eth2: renamedA });
});

test('a port whose interface was replaced gets the new one, and one whose interface is gone has none', () => {
  expect(assign([a, c], { eth1: 'path:a', eth2: 'path:b' })).toEqual({ eth1: a, eth2: c });
  expect(assign([b], { eth1: 'path:a', eth2: 'path:b' })).toEqual({ eth2: b });
});

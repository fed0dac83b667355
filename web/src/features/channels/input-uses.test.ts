import { expect, test } from 'bun:test';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { usesOfInputs } from './input-uses.ts';

interface Role {
  readonly id: number;
  readonly kbps: number;
}

function channel(name: string, main: Role, options: { backup?: Role; state?: Channel['state'] } = {}): Channel {
  const { backup, state = 'live' } = options;
  const input = { ...main, role: 'main' };
  const failover = backup && { main: input, backup: { ...backup, role: 'backup' } };
  return { name, state, config: { enable: true }, input, ...(failover && { failover }) } as unknown as Channel;
}

const nameOf = (uses: ReturnType<typeof usesOfInputs>, id: number) => uses.get(id)?.channel.name;

test('an input is found as main and as backup input, the push key is not an input', () => {
  const uses = usesOfInputs([
    channel('Roof', { id: 1, kbps: 800 }, { backup: { id: 2, kbps: 0 } }),
    channel('Hall', { id: 0, kbps: 500 }),
  ]);
  expect([...uses.keys()]).toEqual([1, 2]);
  expect(uses.get(1)?.isOnAir).toBe(true);
  expect(uses.get(2)?.isOnAir).toBe(false);
});

test('of several uses, the one on air is shown', () => {
  const waiting = channel('Waits', { id: 1, kbps: 0 }, { state: 'waiting' });
  const onAir = channel('On air', { id: 1, kbps: 800 });
  expect(nameOf(usesOfInputs([waiting, onAir]), 1)).toBe('On air');
  expect(nameOf(usesOfInputs([onAir, waiting]), 1)).toBe('On air');
});

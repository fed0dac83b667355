import { expect, test } from 'bun:test';
import type { DesiredBackup, DesiredChannel } from '../../media/protocol/desired.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { type Owners, planChannels } from './input-sharing.ts';

const none: Owners = new Map();
const source = (port: number): FetchSource => ({
  ...{ protocol: 'udp', host: '0.0.0.0', port, ttl: 16, interface: '', source: '' },
});

function channel(id: number, inputId: number, rest: Partial<DesiredChannel> = {}): DesiredChannel {
  return {
    ...{ id, name: `c${id}`, enabled: true, pushKey: `push${id}`, playKey: `play${id}` },
    ...{ allow: { rtmp: true, srt: true }, takeover: false, outputs: [] },
    inputId,
    input: inputId === 0 ? { protocol: 'push' } : source(inputId),
    ...rest,
  };
}

const backup = (inputId: number, standby: 'hot' | 'cold' = 'hot'): DesiredBackup => ({
  inputId,
  input: source(inputId),
  failover: {
    ...{ standby, 'no-data-ms': 300, 'no-video-ms': 1000, 'no-audio-ms': 0, back: 'stable', 'stable-s': 10 },
    slate: { kind: 'none' },
  },
});

const inputsOf = (channels: ReturnType<typeof planChannels>['channels']) => channels.map(({ input }) => input);

test('an input of one channel is opened by that channel', () => {
  const { channels, sourceChannels } = planChannels([channel(1, 0), channel(2, 5)], none);
  expect(inputsOf(channels)).toEqual([{ protocol: 'push' }, source(5)]);
  expect(sourceChannels).toEqual([]);
});

test('other channels share the input from the channel that opened it', () => {
  const alone = planChannels([channel(2, 5)], none);
  const { channels, owners } = planChannels([channel(1, 5), channel(2, 5)], alone.owners);
  expect(inputsOf(channels)).toEqual([{ protocol: 'shared', sourceChannel: 2 }, source(5)]);
  expect(channels.map(({ feedsOthers }) => feedsOthers ?? false)).toEqual([false, true]);
  // When that channel is switched off, the input continues for the other one only.
  const off = planChannels([channel(1, 5), channel(2, 5, { enabled: false })], owners);
  expect(off.channels[1]).toMatchObject({ enabled: false, feedsOthers: true, input: source(5) });
  expect(planChannels([channel(1, 5, { enabled: false }), channel(2, 5)], owners).channels[1]?.feedsOthers).toBe(false);
});

test('the input of a deleted channel continues for the other channels', () => {
  const both = planChannels([channel(1, 5), channel(2, 5)], none);
  const { channels, sourceChannels, owners } = planChannels([channel(2, 5)], both.owners);
  expect(inputsOf(channels)).toEqual([{ protocol: 'shared', sourceChannel: 1 }]);
  expect(sourceChannels).toMatchObject([
    { id: 1, enabled: false, feedsOthers: true, outputs: [], playKey: '', pushKey: '' },
  ]);
  expect(planChannels([], owners).sourceChannels).toEqual([]);
});

test('a channel that changes its input moves the old one to a source channel', () => {
  const both = planChannels([channel(1, 5), channel(2, 5)], none);
  const { channels, sourceChannels } = planChannels([channel(1, 6), channel(2, 5)], both.owners);
  const [sourceChannel] = sourceChannels;
  expect(sourceChannel).toMatchObject({ input: source(5), feedsOthers: true });
  expect(inputsOf(channels)).toEqual([source(6), { protocol: 'shared', sourceChannel: sourceChannel!.id }]);
});

test('both inputs of a channel with a backup have source channels', () => {
  const one = channel(1, 5, { backup: backup(6) });
  const { channels, sourceChannels } = planChannels([one], none);
  expect(sourceChannels.map(({ input, feedsOthers }) => [input, feedsOthers])).toEqual([
    [source(5), true],
    [source(6), true],
  ]);
  const [main, spare] = sourceChannels.map(({ id }) => id);
  expect(channels[0]?.input).toMatchObject({ protocol: 'failover', main, backup: spare });
  expect('backup' in channels[0]!).toBe(false);
});

test('a cold backup stays closed until it is needed', () => {
  const { sourceChannels } = planChannels([channel(1, 5, { backup: backup(6, 'cold') })], none);
  expect(sourceChannels.map(({ feedsOthers }) => feedsOthers)).toEqual([true, false]);
});

test('a publisher of a channel with a backup connects to its source channel', () => {
  const { channels, sourceChannels } = planChannels([channel(1, 0, { backup: backup(6) })], none);
  expect(channels[0]).toMatchObject({ pushKey: '', playKey: 'play1' });
  expect(sourceChannels.at(-1)).toMatchObject({ pushKey: 'push1', playKey: '', input: { protocol: 'push' } });
});

test('a backup may be the input of another channel', () => {
  const { channels, sourceChannels } = planChannels([channel(1, 0, { backup: backup(6) }), channel(2, 6)], none);
  expect(channels[1]).toMatchObject({ input: source(6), feedsOthers: true });
  expect(channels[0]?.input).toMatchObject({ protocol: 'failover', backup: 2 });
  expect(sourceChannels).toHaveLength(1);
});

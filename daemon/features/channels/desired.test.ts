import { expect, test } from 'bun:test';
import { privateAllowed } from '../../../tests/support/outgoing.ts';
import { defaultFailover } from '../../contract/failover.ts';
import { defaultChannelNdi } from '../../contract/ndi.ts';
import type { EngineSettings } from '../../media/protocol/desired.ts';
import type { StreamAddress } from '../../sources/stream-address.ts';
import type { ConfiguredChannel } from './configuration.ts';
import { desiredState } from './desired.ts';

const settings: EngineSettings = {
  bind: '0.0.0.0',
  rtmpPort: 1935,
  trustedProxies: [],
  hlsPort: 8080,
  srt: { port: 8000, latencyMs: 120, keyLength: 0, passphrase: '' },
  outgoing: privateAllowed,
};
const srt: StreamAddress = {
  protocol: 'srt',
  mode: 'listener',
  host: '0.0.0.0',
  port: 9000,
  latencyMs: 200,
  overheadPercent: 30,
  streamId: 'id',
  keyLength: 32,
  passphrase: 'correct horse',
  maxConnections: 30,
};
const rtmp: StreamAddress = {
  protocol: 'rtmp',
  url: 'rtmp://live.example/app',
  key: 'key',
  username: 'me',
  password: 'word',
};
const udp: StreamAddress = {
  protocol: 'udp',
  host: '239.1.2.3',
  port: 5000,
  ttl: 4,
  interface: '192.0.2.7',
  source: '',
};
const channel: ConfiguredChannel = {
  id: 7,
  name: 'Studio',
  revision: 1,
  enabled: true,
  playKey: 'play',
  pushKey: 'push',
  allowRtmp: true,
  allowSrt: false,
  allowNdiHx: false,
  preferredProtocol: 2,
  takeover: false,
  input: undefined,
  backup: undefined,
  failover: defaultFailover,
  slate: undefined,
  ndi: defaultChannelNdi,
  outputs: [],
};

test('a channel accepts publishers, or has its input, and lists the allowed protocols', () => {
  const fetched = { ...channel, input: { id: 1001, name: 'Camera', address: srt } };
  const [pushed, pulled] = desiredState(settings, [channel, fetched], '/data/slates').channels;
  expect(pushed).toEqual({
    id: 7,
    name: 'Studio',
    enabled: true,
    pushKey: 'push',
    playKey: 'play',
    allow: { rtmp: true, srt: false },
    takeover: false,
    inputId: 0,
    input: { protocol: 'push' },
    outputs: [],
  });
  expect(pulled).toMatchObject({
    inputId: 1001,
    input: {
      protocol: 'srt',
      mode: 'listener',
      host: '0.0.0.0',
      port: 9000,
      latencyMs: 200,
      overheadPercent: 30,
      streamId: 'id',
      keyLength: 32,
      passphrase: 'correct horse',
      maxConnections: 1,
    },
  });
});

test('the selected program is sent with its input', () => {
  const ts = { program: 22, audioTrack: 1 };
  for (const address of [
    { ...udp, ts },
    { ...srt, ts },
  ] as StreamAddress[]) {
    const input = { id: 5, name: 'Rack', address };
    expect(desiredState(settings, [{ ...channel, input }], '/data/slates').channels[0]?.input).toMatchObject({ ts });
  }
});

test('an output that listens accepts the configured number of clients', () => {
  const outputs = [{ id: 1, name: 'Gate', enabled: true, address: srt }];
  const [desired] = desiredState(settings, [{ ...channel, outputs }], '/data/slates').channels;
  expect(desired?.outputs[0]?.target).toMatchObject({ mode: 'listener', maxConnections: 30 });
});

test('an RTSP server is sent to the engine as one', () => {
  const login = { username: 'me', password: 'word' };
  const address: StreamAddress = { protocol: 'rtsp', port: 8554, key: 'stage', maxClients: 3, ...login };
  const outputs = [{ id: 1, name: 'Stage', enabled: true, address }];
  const [desired] = desiredState(settings, [{ ...channel, outputs }], '/slates').channels;
  expect(desired?.outputs[0]?.target).toEqual({ protocol: 'rtsp', port: 8554, key: 'stage', maxClients: 3, ...login });
});

test('outputs are sent to the engine with the secrets that it needs', () => {
  const outputs = [rtmp, udp].map((address, at) => ({ id: at, name: `${at}`, enabled: at === 0, address }));
  expect(desiredState(settings, [{ ...channel, outputs }], '/data/slates').channels[0]?.outputs).toEqual([
    {
      id: 0,
      enabled: true,
      target: { protocol: 'rtmp', url: 'rtmp://live.example/app', key: 'key', username: 'me', password: 'word' },
    },
    {
      id: 1,
      enabled: false,
      target: { protocol: 'udp', host: '239.1.2.3', port: 5000, ttl: 4, interface: '192.0.2.7', source: '' },
    },
  ]);
});

test('a backup is sent with its rule, and the slate with the file of its picture', () => {
  const backed: ConfiguredChannel = {
    ...channel,
    backup: { id: 1002, name: 'Spare', address: srt },
    failover: { ...defaultFailover, standby: 'cold', 'no-audio-ms': 5000, back: 'hand', slate: 'picture' },
    slate: '7-0123456789abcdef.png',
  };
  const [desired, bare] = desiredState(settings, [backed, { ...backed, slate: undefined }], '/data/slates').channels;
  expect(desired?.backup).toMatchObject({
    inputId: 1002,
    input: { protocol: 'srt', mode: 'listener', maxConnections: 1, passphrase: 'correct horse' },
    failover: {
      ...{ standby: 'cold', 'no-data-ms': 300, 'no-video-ms': 1000, 'no-audio-ms': 5000, back: 'hand', 'stable-s': 10 },
      slate: { kind: 'picture', path: '/data/slates/7-0123456789abcdef.png' },
    },
  });
  expect(bare?.backup?.failover.slate).toEqual({ kind: 'bars' });
});

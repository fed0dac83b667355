import { describe, expect, test } from 'bun:test';
import { recorded } from '../../../tests/sim/devices/recorded.ts';
import { replayTransport } from '../../../tests/sim/devices/replay.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { UsapiDevice, type UsapiOptions } from '../../../tests/sim/devices/usapi.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { StreamTarget, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { createUsapiDriver } from './driver.ts';

const driver = createUsapiDriver(quickTimes);
const password = { user: 'Admin', password: 'Admin' };
const open = (transport: Transport, credentials = password) => driver.open(transport, credentials);
const serve = simulatedDevices();

const encoder = { kind: 'encode', sn: 'B313240506011', name: 'Hall Encoder' } as const;
const streamer = { kind: 'stream', sn: 'A302210611019', name: 'Chapel Stream' } as const;
const simulate = (options: Partial<UsapiOptions> = {}) => serve(new UsapiDevice({ ...encoder, ...options }));

type State = 'idle' | 'live-recording' | 'updating';
const replay = (state: State) =>
  replayTransport('result', {
    'get-info': recorded('usapi/encode.get-info'),
    'get-settings': recorded('usapi/encode.get-settings'),
    'get-status': recorded(`usapi/encode.get-status-${state}`),
  });
const simulateState = (state: State): Transport => {
  const { device, transport } = simulate();
  device.asRecorded({ live: state === 'live-recording', recording: state === 'live-recording' });
  if (state === 'updating') device.updatePercent = 47;
  return transport;
};
const replayStream = () =>
  replayTransport('result', {
    'get-info': recorded('usapi/stream.get-info'),
    'get-settings': recorded('usapi/stream.get-settings'),
    'get-status': recorded('usapi/stream.get-status'),
  });
const simulateStream = () => simulate(streamer).transport;

async function pollOf(transport: Transport): Promise<DeviceFacts> {
  const facts = await open(transport).poll(unaborted);
  expect(DeviceFacts.safeParse(facts).error).toBeUndefined();
  return facts;
}

async function problemOf(work: Promise<unknown>): Promise<DeviceProblem> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeviceProblem);
  return error as DeviceProblem;
}

describe.each([
  ['the recorded answers', replay, replayStream],
  ['the simulator', simulateState, simulateStream],
])('with %s', (_, encode, stream) => {
  test('a device is recognized without a login and identified', async () => {
    const transport = encode('idle');
    expect(await driver.recognizes(transport, unaborted)).toBe(true);
    expect(await open(transport).identify(unaborted)).toEqual({
      sn: 'B313240506011',
      name: 'Hall Encoder',
      api: 'usapi',
      'product-id': 787,
      model: 'Ultra Encode AIO',
      'hardware-ver': 'B',
      'firmware-ver': '2.4.288',
    });
  });

  test('an idle encoder has all facts in the units of the hub, and its servers are off', async () => {
    const facts = await pollOf(encode('idle'));
    expect(facts).toMatchObject({
      ethernet: {
        address: '10.20.30.81',
        mask: '255.255.255.0',
        gateway: '10.20.30.1',
        dns: ['10.20.30.2'],
        mac: 'd0:c8:57:81:20:0f',
        dhcp: false,
        up: true,
        'link-mbps': 1000,
        'rx-kbps': 98,
        'tx-kbps': 9702,
      },
      usb: { address: '192.168.66.1', up: false },
      cpu: 23,
      memory: 44.22,
      temperature: 61.4,
      signal: { state: 'present', width: 1920, height: 1080, interlaced: false, fps: 50, 'sample-rate': 48_000 },
      main: { codec: 'H.264', width: 1920, height: 1080, fps: 50, kbps: 8192, 'cur-kbps': 8310 },
      sub: { width: 640, height: 360, fps: 25, kbps: 512 },
      audio: { channels: 2, 'sample-rate': 48_000, kbps: 128 },
      recording: false,
      living: false,
      warnings: [],
      tasks: [],
    });
    expect(facts.wifi).toBeUndefined();
    expect(facts['uptime-s']).toBeGreaterThanOrEqual(7215);
    expect(facts['cur-status']! & 0x6).toBe(0);
    expect(facts.streams.map(({ name, protocol, address, state }) => [name, protocol, address, state])).toEqual([
      ['Main SRT', 'SRT caller', 'srt://10.20.40.9:9000', 'off'],
      ['Town RTMP', 'RTMP', 'rtmp://10.20.40.10/live', 'off'],
      ['Monitor', 'SRT listener', undefined, 'off'],
      ['LAN TS', 'TS over UDP', '239.1.1.10:5004', 'off'],
    ]);
    expect(facts.disks).toEqual([
      { kind: 'usb', state: 'missing' },
      {
        kind: 'sd',
        state: 'ready',
        'total-bytes': 125_050_290_176,
        'free-bytes': 124_316_286_976,
        'free-s': 98_120,
      },
    ]);
  });

  test('an encoder that is live and records says so, with the state of each server in use', async () => {
    const facts = await pollOf(encode('live-recording'));
    expect(facts).toMatchObject({ recording: true, living: true });
    const [srt, rtmp, ...others] = facts.streams;
    expect(srt).toMatchObject({ name: 'Main SRT', state: 'running', 'rtt-ms': 18, kbps: 8421 });
    expect(srt!['run-s']).toBeGreaterThanOrEqual(652);
    expect(rtmp!.state).toBe(encode === replay ? 'connecting' : 'running');
    expect(others.map(({ state }) => state)).toEqual(['off', 'off']);
  });

  test('a firmware update is a task with its progress', async () => {
    expect(await pollOf(encode('updating'))).toMatchObject({
      tasks: ['updating'],
      upgrade: { step: 'step 2', percent: 47 },
    });
  });

  test('an Ultra Stream has the state of its two servers outside a list', async () => {
    const transport = stream();
    const session = open(transport);
    const { identity } = await session.poll(unaborted);
    expect(identity).toMatchObject({ sn: 'A302210611019', 'product-id': 770, model: 'Ultra Stream SDI' });
    if (stream === simulateStream) return;
    expect((await pollOf(transport)).streams).toEqual([
      {
        id: '0',
        name: 'Parish',
        protocol: 'RTMP',
        address: 'rtmp://10.20.40.10/live',
        state: 'running',
        kbps: 4120,
        'run-s': 301,
      },
      { id: '1', name: 'YouTube', protocol: 'YouTube', state: 'off' },
    ]);
  });

  test('no key, password or passphrase is in the facts', async () => {
    const text = JSON.stringify([await pollOf(encode('live-recording')), await pollOf(stream())]);
    expect(text).not.toMatch(/EXAMPLE|hall1|passwd/);
  });
});

test('any object may be missing from the state, and the rest is still read', async () => {
  const { device, transport } = simulate();
  device.asRecorded({ live: true });
  const session = open(transport);
  const parts = Object.keys(recorded('usapi/encode.get-status-idle')).filter((name) => name !== 'result');
  for (const part of parts) {
    device.faults = { missing: [part] };
    const facts = await session.poll(unaborted);
    expect([part, DeviceFacts.safeParse(facts).error]).toEqual([part, undefined]);
  }
  device.faults = { missing: [...parts, 'stream-server'] };
  expect(await session.poll(unaborted)).toMatchObject({ streams: [], disks: [], tasks: [], warnings: [] });
});

test('codes may be text, and keys may be spelled with underscores', async () => {
  const { device, transport } = simulate();
  device.faults = { codesAsText: true };
  expect((await pollOf(transport)).identity.sn).toBe(encoder.sn);
  const replayed = replayTransport('result', {
    'get-info': { result: '0', product: { sn: 'X', module_name: 'Ultra Encode SDI', productId: '789' } },
    'get-status': { result: 0, cur_status: 4, box_name: 'Underscored' },
  });
  expect(await pollOf(replayed)).toMatchObject({
    identity: { name: 'Underscored', 'product-id': 789, model: 'Ultra Encode SDI' },
    living: true,
  });
});

test('what a device lacks is a problem or a warning, not an error of the driver', async () => {
  const noSerial = replayTransport('result', { 'get-info': { result: 0 } });
  expect(await problemOf(open(noSerial).identify(unaborted))).toMatchObject({ word: 'invalidAnswer' });
  const { device, transport } = simulate();
  device.hasSignal = false;
  expect(await pollOf(transport)).toMatchObject({ signal: { state: 'none' }, warnings: ['noSignal'] });
});

describe('the session', () => {
  test('one that has ended is renewed once, and the call is repeated', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.poll(unaborted);
    device.expireSessions();
    device.calls.length = 0;
    await session.setRecording!(true, unaborted);
    expect(device.calls.slice(0, 3)).toEqual(['start-rec', 'login', 'start-rec']);
    expect((await session.poll(unaborted)).recording).toBe(true);
  });

  test('a device that forgets every session is asked twice, not forever', async () => {
    const { device, transport } = simulate();
    device.faults = { forgetsSessions: true };
    const session = open(transport);
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'refused', code: -17 });
    expect(device.calls).toEqual(['login', 'get-status']);
  });

  test('a wrong password is final: the device is not asked again', async () => {
    const { device, transport } = simulate();
    const session = open(transport, { user: 'Admin', password: 'wrong' });
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword', code: -1 });
    expect(await problemOf(session.reboot!(unaborted))).toMatchObject({ word: 'wrongPassword' });
    expect(device.calls).toEqual(['login']);
  });

  test('requests of one session never overlap', async () => {
    const { device, transport } = simulate();
    let [atOnce, most] = [0, 0];
    const counted: Transport = {
      async request(request, signal) {
        most = Math.max(most, ++atOnce);
        return transport.request(request, signal).finally(() => atOnce--);
      },
    };
    const session = open(counted);
    device.faults = { delayMs: 5 };
    await Promise.all([session.poll(unaborted), session.identify(unaborted), session.snapshot!(unaborted)]);
    expect(most).toBe(1);
    expect(device.calls.filter((method) => method === 'login')).toHaveLength(1);
  });

  test('closing signs out, and does not fail if the device is gone', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.poll(unaborted);
    await session.close();
    expect(device.calls.at(-1)).toBe('logout');
    await session.poll(unaborted);
    device.faults = { isSilent: true };
    await session.close();
  });

  test('neither password, digest nor cookie is in any error', async () => {
    const credentials = { user: 'someone', password: 'hunter2' };
    const { device, transport } = serve(new UsapiDevice({ ...encoder, credentials }));
    const digest = new Bun.CryptoHasher('md5').update(credentials.password).digest('hex');
    const faults = [{ status: 500 }, { answer: 'broken' }, { codes: { login: -18 } }, { isSilent: true }] as const;
    for (const fault of faults) {
      device.faults = fault;
      const problem = await problemOf(driver.open(transport, credentials).poll(unaborted));
      expect(Bun.inspect(problem)).not.toMatch(new RegExp(`someone|hunter2|${digest}|sid`));
    }
  });
});

describe('acts', () => {
  test('a rename waits until the device shows the name', async () => {
    const { device, transport } = simulate({ showNameMs: 100 });
    const session = open(transport);
    expect(await session.rename!('Hall (2)', unaborted)).toEqual({ silentMs: 0 });
    expect((await session.poll(unaborted)).identity.name).toBe('Hall (2)');
    expect(device.calls.filter((method) => method === 'set-name')).toHaveLength(1);
    expect(await problemOf(session.rename!('Küche', unaborted))).toMatchObject({ word: 'refused' });
  });

  test('recording starts and stops, and starting twice is not an error', async () => {
    const { transport } = simulate();
    const session = open(transport);
    for (const on of [true, true, false, false]) {
      await session.setRecording!(on, unaborted);
      expect((await session.poll(unaborted)).recording).toBe(on);
    }
  });

  test('a refusal has the code of the device and its meaning', async () => {
    const { device, transport } = simulate();
    device.hasDisk = false;
    const problem = await problemOf(open(transport).setRecording!(true, unaborted));
    expect(problem).toMatchObject({ word: 'refused', code: -5, message: 'start-rec: no disk, or a disk error' });
    device.faults = { codes: { 'stop-rec': -9, reboot: -26 } };
    expect(await problemOf(open(transport).setRecording!(false, unaborted))).toMatchObject({ word: 'busy' });
    expect(await problemOf(open(transport).reboot!(unaborted))).toMatchObject({ word: 'noPermission' });
  });

  test('a write without an answer is sent once and read back', async () => {
    const { device, transport } = simulate();
    const session = driver.open(transport, password);
    await session.poll(unaborted);
    device.faults = { unanswered: ['start-rec', 'set-name'] };
    await session.setRecording!(true, unaborted);
    await session.rename!('Renamed', unaborted);
    expect(device.calls.filter((method) => method === 'start-rec' || method === 'set-name')).toEqual([
      'start-rec',
      'set-name',
    ]);
    device.faults = { answer: 'broken' };
    expect(await problemOf(session.setRecording!(false, unaborted))).toMatchObject({ word: 'invalidAnswer' });
  });

  test('a reboot silences the device; its session and uptime begin again', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.poll(unaborted);
    expect(await session.reboot!(unaborted)).toEqual({ silentMs: quickTimes.rebootMs });
    const impatient = createUsapiDriver({ ...quickTimes, answerMs: 50 }).open(transport, password);
    expect(await problemOf(impatient.poll(unaborted))).toMatchObject({ word: 'timeout' });
    device.answerAgain();
    device.calls.length = 0;
    expect((await session.poll(unaborted))['uptime-s']).toBeLessThan(10);
    expect(device.calls).toEqual(['get-status', 'login', 'get-status', 'get-info', 'get-settings']);
  });

  test('the preview is a JPEG that changes', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    const picture = await session.snapshot!(unaborted);
    expect([picture[0], picture[1]]).toEqual([0xff, 0xd8]);
    device.expireSessions();
    expect((await session.snapshot!(unaborted)).length).toBeGreaterThan(1000);
    const { transport: without } = simulate(streamer);
    expect(await problemOf(open(without).snapshot!(unaborted))).toMatchObject({ word: 'unsupported' });
  });
});

describe('sending to the hub', () => {
  const rtmp: StreamTarget = {
    name: 'Signalbox',
    protocol: 'rtmp',
    host: '10.20.40.1',
    port: 1935,
    app: 'live',
    key: 'k&y 1',
    stream: 'main',
  };
  const srt: StreamTarget = { ...rtmp, protocol: 'srt', port: 8890, latencyMs: 200, passphrase: 'open sesame 12' };
  const sent = (device: UsapiDevice) => device.servers.filter(({ name }) => name === 'Signalbox');

  test('an RTMP server is added, enabled and started', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.sendTo!(rtmp, unaborted);
    expect(sent(device)).toMatchObject([
      { type: 0, url: 'rtmp://10.20.40.1:1935/live', key: 'k&y 1', 'stream-index': 0, 'is-use': 1 },
    ]);
    const { living, streams } = await session.poll(unaborted);
    expect(living).toBe(true);
    expect(streams).toMatchObject([{ name: 'Signalbox', state: 'running', address: 'rtmp://10.20.40.1:1935/live' }]);
  });

  test('the same target again changes nothing', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.sendTo!(srt, unaborted);
    device.calls.length = 0;
    await session.sendTo!(srt, unaborted);
    expect(device.calls.filter((method) => !method.startsWith('get-'))).toEqual([]);
  });

  test('a server of this name is replaced, also by one of another protocol, and others stay', async () => {
    const { device, transport } = simulate();
    device.asRecorded({ live: true });
    const session = open(transport);
    await session.sendTo!(rtmp, unaborted);
    await session.sendTo!({ ...rtmp, key: 'other' }, unaborted);
    expect(sent(device)).toMatchObject([{ type: 0, key: 'other', 'is-use': 1 }]);
    await session.sendTo!(srt, unaborted);
    expect(sent(device)).toMatchObject([
      { type: 120, url: '10.20.40.1', port: 8890, 'stream-id': 'k&y 1', latency: 200, aes: 16, 'is-use': 1 },
    ]);
    expect(device.servers).toHaveLength(5);
    expect(device.servers.filter((server) => server['is-use'] === 1)).toHaveLength(3);
  });

  test('a server of this destination with another name is taken over, because a second one is refused', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.sendTo!({ ...rtmp, name: 'Old name' }, unaborted);
    await session.sendTo!(rtmp, unaborted);
    expect(device.servers).toMatchObject([{ name: 'Signalbox', 'is-use': 1 }]);
  });

  test('an addition without an answer is not repeated', async () => {
    const { device, transport } = simulate();
    device.faults = { unanswered: ['add-server', 'enable-server', 'start-live'] };
    await open(transport).sendTo!(srt, unaborted);
    expect(sent(device)).toMatchObject([{ 'is-use': 1 }]);
    expect(device.calls.filter((method) => !/^get-|login/.test(method))).toEqual([
      'add-server',
      'enable-server',
      'start-live',
    ]);
  });

  test('stopping disables the server, and ends the live stream only if no other server is in use', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.sendTo!(rtmp, unaborted);
    await session.sendTo!({ ...srt, name: 'Second' }, unaborted);
    await session.stopSendingTo!('Signalbox', unaborted);
    expect((await session.poll(unaborted)).living).toBe(true);
    await session.stopSendingTo!('Second', unaborted);
    expect((await session.poll(unaborted)).living).toBe(false);
    expect(device.servers.map((server) => server['is-use'])).toEqual([0, 0]);
    await session.stopSendingTo!('unknown', unaborted);
  });

  test('an Ultra Stream sends RTMP, but not SRT', async () => {
    const { device, transport } = simulate(streamer);
    const session = open(transport);
    await session.sendTo!(rtmp, unaborted);
    expect((await session.poll(unaborted)).streams).toMatchObject([{ name: 'Signalbox', state: 'running' }]);
    expect(await problemOf(session.sendTo!(srt, unaborted))).toMatchObject({ word: 'unsupported' });
    expect(device.servers).toHaveLength(1);
  });
});

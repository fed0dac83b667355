import { describe, expect, test } from 'bun:test';
import { MwapiDevice, type MwapiOptions } from '../../../tests/sim/devices/mwapi.ts';
import { recorded } from '../../../tests/sim/devices/recorded.ts';
import { replayTransport } from '../../../tests/sim/devices/replay.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { createMwapiDriver } from './driver.ts';

const driver = createMwapiDriver(quickTimes);
const password = { user: 'Admin', password: 'Admin' };
const open = (transport: Transport, credentials = password) => driver.open(transport, credentials);
const serve = simulatedDevices();

const encoder = { kind: 'encoder', sn: 'B401230417008', name: 'Stage Left Cam' } as const;
const decoder = { kind: 'decoder', sn: 'A421240212014', name: 'Lobby Screen' } as const;
const simulate = (options: Partial<MwapiOptions> = {}) => serve(new MwapiDevice({ ...encoder, ...options }));
const simulateDecoder = (options: Partial<MwapiOptions> = {}) => simulate({ ...decoder, ...options });

type Kind = MwapiOptions['kind'];
type Change = { readonly signal?: false; readonly updating?: true };
const replay = (kind: Kind, { signal, updating }: Change = {}) =>
  replayTransport('status', {
    'get-summary-info': recorded(`mwapi/${kind}.get-summary-info${signal === false ? '-no-signal' : ''}`),
    'get-update-state': recorded(
      `mwapi/${updating ? kind : 'encoder'}.get-update-state-${updating ? 'updating' : 'idle'}`,
    ),
    'list-channels': recorded('mwapi/decoder.list-channels'),
  });
const simulateState = (kind: Kind, { signal, updating }: Change = {}): Transport => {
  const { device, transport } = kind === 'encoder' ? simulate() : simulateDecoder();
  device.hasSignal = signal ?? true;
  if (updating) device.updatePercent = kind === 'encoder' ? 61 : 12;
  return transport;
};

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
  ['the recorded answers', replay],
  ['the simulator', simulateState],
])('with %s', (_, transportOf) => {
  test('a device is recognized without a login and identified', async () => {
    const transport = transportOf('encoder');
    expect(await driver.recognizes(transport, unaborted)).toBe(true);
    expect(await open(transport).identify(unaborted)).toEqual({
      sn: 'B401230417008',
      name: 'Stage Left Cam',
      api: 'mwapi',
      'product-id': 1025,
      model: 'HDMI 4K Plus',
      'hardware-ver': 'B',
      'firmware-ver': '1.3.24',
    });
  });

  test('an encoder has the facts of its input and of its NDI stream', async () => {
    const facts = await pollOf(transportOf('encoder'));
    expect(facts).toMatchObject({
      ethernet: {
        address: '10.20.30.41',
        mask: '255.255.255.0',
        gateway: '10.20.30.1',
        dns: ['10.20.30.2'],
        mac: 'D0:C8:57:80:1A:2B',
        up: true,
        'link-mbps': 1000,
        'rx-kbps': 96,
        'tx-kbps': 128_412,
      },
      usb: { address: '192.168.66.1', up: false },
      cpu: 21.5,
      memory: 44.1,
      temperature: 58.2,
      signal: { state: 'present', text: '1920x1080p60', width: 1920, height: 1080, interlaced: false, fps: 60 },
      main: { width: 1920, height: 1080, interlaced: false, fps: 60, 'cur-kbps': 126_804 },
      audio: { channels: 2, 'sample-rate': 48_000, 'cur-kbps': 3072 },
      streams: [{ id: 'ndi', name: 'STAGE-LEFT (Cam 1)', protocol: 'NDI', state: 'running', clients: 2 }],
      ndi: { name: 'STAGE-LEFT (Cam 1)', enabled: true, clients: 2, 'on-preview': false, 'on-program': true },
      warnings: [],
      tasks: [],
    });
    expect([facts.recording, facts.living, facts.screen, facts.source]).toEqual(Array(4).fill(undefined));
  });

  test('an encoder without a signal says so', async () => {
    const facts = await pollOf(transportOf('encoder', { signal: false }));
    expect(facts).toMatchObject({ signal: { state: 'none' }, warnings: ['noSignal'] });
    expect(facts.main).toBeUndefined();
  });

  test('a decoder has the facts of its source and its screen', async () => {
    const facts = await pollOf(transportOf('decoder'));
    expect(facts).toMatchObject({
      identity: { 'product-id': 1057, model: 'NDI to AIO' },
      signal: { state: 'present', width: 1920, height: 1080, fps: 60 },
      screen: true,
      source: { name: 'STAGE-LEFT (Cam 1)', address: '10.20.30.41:5961', connected: true },
      streams: [{ id: 'source', protocol: 'NDI', state: 'running', kbps: 125_990 }],
    });
    expect(facts.ndi).toBeUndefined();
  });

  test.each([
    ['encoder', 'Writing image (3 of 4)', 61],
    ['decoder', 'Erasing image (2 of 4)', 12],
  ] as const)('a firmware update of an %s is a task with its progress', async (kind, step, percent) => {
    expect(await pollOf(transportOf(kind, { updating: true }))).toMatchObject({
      tasks: ['updating'],
      upgrade: { step, percent },
    });
  });
});

test('any object may be missing from the summary, and the rest is still read', async () => {
  for (const { device, transport } of [simulate(), simulateDecoder()]) {
    for (const part of ['ethernet', 'rndis', 'ndi']) {
      device.faults = { missing: [part] };
      expect((await pollOf(transport)).identity.sn).toBe(device.sn);
    }
    device.faults = { missing: ['device'] };
    expect(await problemOf(open(transport).poll(unaborted))).toMatchObject({ word: 'invalidAnswer' });
  }
});

test('an older firmware states no product: it is read from the serial number', async () => {
  const summary = { status: 0, device: { 'serial-no': 'B401180706020', 'input-state': '1280x720i59.94' } };
  const facts = await pollOf(replayTransport('status', { 'get-summary-info': summary }));
  expect(facts).toMatchObject({
    identity: { name: 'B401180706020', 'product-id': 1025, 'hardware-ver': 'B' },
    signal: { width: 1280, height: 720, interlaced: true, fps: 29.97 },
  });
});

test('a user who may not ask for updates still gets the state', async () => {
  const { device, transport } = simulate();
  device.faults = { codes: { 'get-update-state': 31 } };
  expect(await pollOf(transport)).toMatchObject({ cpu: 21.5, tasks: [] });
});

test('the state of updates is asked for rarely, and with each poll while one runs', async () => {
  const { device, transport } = simulate();
  const session = createMwapiDriver({ ...quickTimes, updateMs: 60_000 }).open(transport, password);
  const asked = () => device.calls.filter((method) => method === 'get-update-state').length;
  for (let poll = 0; poll < 3; poll++) await session.poll(unaborted);
  expect(asked()).toBe(1);
  device.updatePercent = 5;
  const updating = createMwapiDriver({ ...quickTimes, updateMs: 60_000 }).open(transport, password);
  for (let poll = 0; poll < 3; poll++) await updating.poll(unaborted);
  expect(asked()).toBe(4);
});

test('keys may be spelled with underscores or in camel case', async () => {
  const summary = { status: '0', device: { serial_no: 'X1', upTime: '7', input_state: 'locking', productId: 1026 } };
  expect(await pollOf(replayTransport('status', { 'get-summary-info': summary }))).toMatchObject({
    identity: { sn: 'X1', 'product-id': 1026 },
    'uptime-s': 7,
    signal: { state: 'locking' },
  });
});

describe('the session', () => {
  test.each([
    ['code 37', (device: MwapiDevice) => device.expireSessions()],
    ['code 36', (device: MwapiDevice) => (device.faults = { codes: { 'get-summary-info': 36 } })],
  ])('after %s, the device gets one login', async (_, end) => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.identify(unaborted);
    end(device);
    device.calls.length = 0;
    await session.identify(unaborted).catch(() => {});
    expect(device.calls).toEqual(['get-summary-info', 'login', 'get-summary-info']);
  });

  test('after HTTP status 401, the device gets one login', async () => {
    const { transport } = simulate();
    let refusals = 0;
    const strict: Transport = {
      async request(request, signal) {
        const response = await transport.request(request, signal);
        if (!request.path.includes('summary') || refusals++ !== 1) return response;
        return { ...response, status: 401 };
      },
    };
    const session = open(strict);
    await session.identify(unaborted);
    expect((await session.identify(unaborted)).sn).toBe(encoder.sn);
    expect(refusals).toBe(3);
  });

  test('a wrong password is final: the device is not asked again', async () => {
    const { device, transport } = simulate();
    const session = open(transport, { user: 'Admin', password: 'wrong' });
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword', code: 36 });
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword' });
    expect(device.calls).toEqual(['login']);
  });
});

describe('acts', () => {
  const device = (kind: Kind) => (kind === 'encoder' ? simulate() : simulateDecoder());

  test.each([
    ['encoder', quickTimes.encoderRenameMs],
    ['decoder', quickTimes.decoderRenameMs],
  ] as const)('an %s is silent after a rename, and has the name then', async (kind, silentMs) => {
    const { device: renamed, transport } = device(kind);
    const session = open(transport);
    expect(await session.rename!('Bühne & Foyer 50%', unaborted)).toEqual({ silentMs });
    expect(renamed.calls.filter((method) => method === 'set-eth-config')).toHaveLength(1);
    renamed.answerAgain();
    expect((await session.identify(unaborted)).name).toBe('Bühne & Foyer 50%');
  });

  test('a rename whose answer is lost in the silence counts as done, and one that was not done does not', async () => {
    const { device: renamed, transport } = simulate();
    const session = open(transport);
    renamed.faults = { unanswered: ['set-eth-config'] };
    expect(await session.rename!('New name', unaborted)).toEqual({ silentMs: quickTimes.encoderRenameMs });
    renamed.answerAgain();
    const broken: Transport = {
      request: (request, signal) =>
        request.path.includes('set-eth-config')
          ? Promise.reject(new DeviceProblem('timeout', 'lost'))
          : transport.request(request, signal),
    };
    expect(await problemOf(open(broken).rename!('Another', unaborted))).toMatchObject({ word: 'timeout' });
  });

  test('a reboot silences the device, and its uptime begins again', async () => {
    const { device: rebooted, transport } = simulate();
    const session = open(transport);
    expect(await session.reboot!(unaborted)).toEqual({ silentMs: quickTimes.rebootMs });
    rebooted.answerAgain();
    expect((await session.poll(unaborted))['uptime-s']).toBeLessThan(10);
  });

  test('a refusal has the code of the device and its meaning', async () => {
    const { device: refusing, transport } = simulate();
    refusing.faults = { codes: { reboot: 11, 'set-eth-config': 7 } };
    const session = open(transport);
    expect(await problemOf(session.reboot!(unaborted))).toMatchObject({ word: 'busy', code: 11 });
    expect(await problemOf(session.rename!('x', unaborted))).toMatchObject({
      word: 'refused',
      fault: 'invalidValue',
      message: 'set-eth-config: invalid argument',
    });
  });

  test('an encoder has no live stream and no recording of its own', () => {
    const { transport } = simulate();
    expect(open(transport)).not.toHaveProperty('setLive');
    expect(open(transport)).not.toHaveProperty('setRecording');
    expect(open(transport)).not.toHaveProperty('snapshot');
  });
});

describe('playing', () => {
  const rtmp = { name: 'Hub: Studio 1', url: 'rtmp://10.0.0.1:1935/live/key%201', bufferMs: 80 };
  const srtOptions = 'streamid=%23!%3A%3Ar%3Dstudio&passphrase=open%20sesame%2012&latency=10';
  const srt = { name: 'Hub: Studio 1', url: `srt://10.0.0.1:8890?${srtOptions}` };

  test('a preset is added and shown, once the decoder has switched', async () => {
    const { device, transport } = simulateDecoder({ switchMs: 60 });
    const session = open(transport);
    await session.play!(rtmp, unaborted);
    expect(device.channels.at(-1)).toEqual({
      name: 'Hub: Studio 1',
      url: 'rtmp://10.0.0.1:1935/live/key%201?mw-buffer-duration=80',
    });
    const { source, streams } = await session.poll(unaborted);
    expect(source).toEqual({ name: 'Hub: Studio 1', address: 'rtmp://10.0.0.1:1935/live', connected: true });
    expect(streams).toMatchObject([{ protocol: 'RTMP', state: 'running' }]);
  });

  test('a preset of this name is replaced; its secrets are not in the facts', async () => {
    const { device, transport } = simulateDecoder();
    const session = open(transport);
    await session.play!(rtmp, unaborted);
    const before = device.channels.length;
    await session.play!(srt, unaborted);
    expect(device.channels).toHaveLength(before);
    expect(device.channels.at(-1)!.url).toBe(
      'srt://10.0.0.1:8890?mode=caller&latency=20&streamid=%23!%3A%3Ar%3Dstudio&passphrase=open%20sesame%2012',
    );
    const facts = await session.poll(unaborted);
    expect(facts.source?.address).toBe('srt://10.0.0.1:8890');
    expect(JSON.stringify(facts)).not.toMatch(/sesame|r%3Dstudio|r=studio/);
  });

  test('the same preset again only selects it', async () => {
    const { device, transport } = simulateDecoder();
    const session = open(transport);
    await session.play!(srt, unaborted);
    device.calls.length = 0;
    await session.play!(srt, unaborted);
    expect(device.calls.filter((method) => !/^(get|list)-/.test(method))).toEqual(['set-channel']);
  });

  test('a preset is removed, and no longer shown', async () => {
    const { device, transport } = simulateDecoder({ switchMs: 60 });
    const session = open(transport);
    const before = [...device.channels];
    await session.play!(rtmp, unaborted);
    await session.stopPlaying!(rtmp.name, unaborted);
    expect(device.channels).toEqual(before);
    expect((await session.poll(unaborted)).source?.name).not.toBe(rtmp.name);
    // Another source that was selected on the device stays.
    device.calls.length = 0;
    await session.stopPlaying!(rtmp.name, unaborted);
    expect(device.calls.filter((method) => !/^(get|list)-/.test(method))).toEqual([]);
  });

  test('writes without an answer are sent once and read back', async () => {
    const { device, transport } = simulateDecoder();
    device.faults = { unanswered: ['add-channel', 'set-channel'] };
    await open(transport).play!(srt, unaborted);
    expect(device.calls.filter((method) => /^(add|set|modify)-/.test(method))).toEqual(['add-channel', 'set-channel']);
  });

  test('a source that stops is not connected', async () => {
    const { device, transport } = simulateDecoder();
    device.hasSignal = false;
    expect(await pollOf(transport)).toMatchObject({
      source: { connected: false },
      signal: { state: 'none' },
      streams: [{ state: 'connecting' }],
      warnings: ['noSignal'],
    });
  });

  test('an encoder plays nothing, and a decoder nothing but RTMP and SRT', async () => {
    expect(await problemOf(open(simulate().transport).play!(rtmp, unaborted))).toMatchObject({ word: 'unsupported' });
    const session = open(simulateDecoder().transport);
    for (const url of ['http://10.0.0.1/live.m3u8', 'not a URL', 'srt://10.0.0.1']) {
      expect(await problemOf(session.play!({ name: 'x', url }, unaborted))).toMatchObject({ word: 'unsupported' });
    }
  });
});

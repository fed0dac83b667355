import { describe, expect, test } from 'bun:test';
import { ApiPathDevice, type ApiPathOptions } from '../../../tests/sim/devices/api-path.ts';
import { recorded } from '../../../tests/sim/devices/recorded.ts';
import { replayTransport } from '../../../tests/sim/devices/replay.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { DeviceRequest, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { createApiPathDriver } from './driver.ts';

const driver = createApiPathDriver(quickTimes);
const password = { user: 'Admin', password: 'Admin' };
const open = (transport: Transport, credentials = password) => driver.open(transport, credentials);
const serve = simulatedDevices();

const kinds = {
  decoder: { kind: 'decoder', sn: 'A442250318007', name: 'Room 12 Decoder' },
  audio: { kind: 'audio', sn: 'A424250318011', name: 'Amp Room' },
} as const;
type Kind = keyof typeof kinds;
const simulate = (kind: Kind = 'decoder', options: Partial<ApiPathOptions> = {}) =>
  serve(new ApiPathDevice({ ...kinds[kind], ...options }));

const replay = (kind: Kind, isUpdating = false) =>
  replayTransport('status', {
    '/api/system/summary': recorded(`apiPath/${kind}.summary`),
    '/api/upgrade/state': recorded(`apiPath/upgrade-state-${isUpdating ? 'updating' : 'idle'}`),
    '/api/ndi/receiver-info': recorded('apiPath/audio.receiver-info'),
  });
const simulateState = (kind: Kind, isUpdating = false): Transport => {
  const { device, transport } = simulate(kind);
  if (isUpdating) device.updatePercent = 34;
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
  test.each([
    ['decoder', 1090, 'Pro Convert IP to HDMI', '1.2.18'],
    ['audio', 1060, 'Pro Convert AES67', '1.1.40'],
  ] as const)('a device of the kind %s is recognized without a login and identified', async (kind, id, model, ver) => {
    const transport = transportOf(kind);
    expect(await driver.recognizes(transport, unaborted)).toBe(true);
    expect(await open(transport).identify(unaborted)).toEqual({
      sn: kinds[kind].sn,
      name: kinds[kind].name,
      api: 'apiPath',
      'product-id': id,
      model,
      'hardware-ver': 'A',
      'firmware-ver': ver,
    });
  });

  test('a decoder has the facts of its source', async () => {
    const facts = await pollOf(transportOf('decoder'));
    expect(facts).toMatchObject({
      temperature: 55.1,
      signal: { state: 'present' },
      source: { name: 'STAGE-LEFT (Cam 1)', connected: true },
      streams: [{ id: 'source-0', name: 'STAGE-LEFT (Cam 1)', state: 'running', kbps: 125_900 }],
      warnings: [],
      tasks: [],
    });
    expect(facts['uptime-s']).toBeGreaterThan(0);
    expect([facts.cpu, facts.memory, facts.screen, facts.ethernet, facts.upgrade]).toEqual(Array(5).fill(undefined));
  });

  test('an audio converter has the facts of its receivers', async () => {
    const facts = await pollOf(transportOf('audio'));
    expect(facts).toMatchObject({
      audio: { channels: 2, 'sample-rate': 48_000 },
      streams: [
        {
          ...{ id: 'ndi-1', name: 'Stage mix', protocol: 'NDI', address: '10.20.30.77:5961' },
          ...{ state: 'running', kbps: 3072, 'run-s': 904 },
        },
      ],
    });
    expect(facts.signal).toBeUndefined();
  });

  test('a firmware update is a task with its progress', async () => {
    expect(await pollOf(transportOf('decoder', true))).toMatchObject({
      tasks: ['updating'],
      upgrade: { step: 'Erasing image (2 of 4)', percent: 34 },
    });
  });
});

test('the state of an update may be a word, and a download has a progress of its own', async () => {
  const update = { status: 0, state: 'Downloading', 'download-percent': 63.5 };
  const transport = replayTransport('status', {
    '/api/system/summary': recorded('apiPath/decoder.summary'),
    '/api/upgrade/state': update,
  });
  expect(await pollOf(transport)).toMatchObject({ tasks: ['updating'], upgrade: { step: '', percent: 63.5 } });
});

test('a decoder whose source sends nothing has no signal', async () => {
  const { device, transport } = simulate();
  device.hasSignal = false;
  expect(await pollOf(transport)).toMatchObject({
    signal: { state: 'none' },
    source: { connected: false },
    streams: [{ state: 'connecting' }],
    warnings: ['noSignal'],
  });
});

test('what a product or a user may not read is left out, and asked for again rarely', async () => {
  const { device, transport } = simulate('audio');
  device.faults = { codes: { 'ndi/receiver-info': 31, 'upgrade/state': 9 } };
  const session = createApiPathDriver({ ...quickTimes, settingsMs: 60_000, updateMs: 60_000 }).open(
    transport,
    password,
  );
  for (let poll = 0; poll < 3; poll++) expect(await session.poll(unaborted)).toMatchObject({ streams: [], tasks: [] });
  for (const method of ['ndi/receiver-info', 'upgrade/state']) {
    expect(device.calls.filter((called) => called === method)).toHaveLength(1);
  }
});

test('an answer without a serial number is an error', async () => {
  const { device, transport } = simulate();
  device.faults = { missing: ['serial-number'] };
  expect(await problemOf(open(transport).poll(unaborted))).toMatchObject({ word: 'invalidAnswer' });
});

describe('the session', () => {
  const recording = (transport: Transport) => {
    const requests: DeviceRequest[] = [];
    const recorder: Transport = {
      request(request, signal) {
        requests.push(request);
        return transport.request(request, signal);
      },
    };
    return { requests, recorder };
  };

  test('reads are GET requests; the password is sent as its SHA-256, in the body', async () => {
    const { requests, recorder } = recording(simulate().transport);
    await open(recorder).identify(unaborted);
    expect(requests.map(({ method = 'GET', path }) => `${method} ${path}`)).toEqual([
      'POST /api/user/login',
      'GET /api/system/summary',
    ]);
    expect(JSON.parse(`${requests[0]!.body}`)).toEqual({
      username: 'Admin',
      password: 'c1c224b03cd9bc7b6a86d77f5dace40191766c485cd55dc48caf9ac873335d6f',
    });
    expect(requests[1]!.headers?.cookie).toMatch(/sid-A442250318007=\w+/);
  });

  test('a device that takes POST requests only is asked by GET once', async () => {
    const { requests, recorder } = recording(simulate('audio').transport);
    const session = open(recorder);
    await session.identify(unaborted);
    await session.identify(unaborted);
    expect(requests.slice(1).map(({ method = 'GET' }) => method)).toEqual(['GET', 'POST', 'POST']);
  });

  test('after code 37, the device gets one login', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.identify(unaborted);
    device.expireSessions();
    device.calls.length = 0;
    await session.identify(unaborted);
    expect(device.calls).toEqual(['system/summary', 'user/login', 'system/summary']);
  });

  test.each([
    ['a wrong password', { user: 'Admin', password: 'wrong' }, 36],
    ['an unknown user', { user: 'nobody', password: 'Admin' }, 16],
  ])('%s is final: the device is not asked again', async (_, credentials, code) => {
    const { device, transport } = simulate();
    const session = open(transport, credentials);
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword', code });
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword' });
    expect(device.calls).toEqual(['user/login']);
  });
});

describe('acts', () => {
  const rtmp = { name: 'Hub: Studio 1', url: 'rtmp://10.0.0.1:1935/live/key%201', bufferMs: 80 };
  const srt = { name: 'Hub: Studio 1', url: 'srt://10.0.0.1:8890?streamid=studio&passphrase=open%20sesame&latency=10' };

  test('a source is added and shown, once the decoder has switched', async () => {
    const { device, transport } = simulate('decoder', { switchMs: 60 });
    const session = open(transport);
    await session.play!(rtmp, unaborted);
    expect(device.sources).toMatchObject([
      { protocol: 'rtmp', type: 'url', data: { url: 'rtmp://10.0.0.1:1935/live/key%201', 'buffer-ms': 80 } },
    ]);
    const [source] = device.sources;
    expect(source!.name).toMatch(/^Hub: Studio 1 [0-9a-f]{6}$/);
    expect((await session.poll(unaborted)).source?.name).toBe(source!.name);
  });

  test('the same source again is only selected; another address is another source', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.play!(srt, unaborted);
    device.calls.length = 0;
    await session.play!(srt, unaborted);
    expect(device.calls).not.toContain('source/add');
    await session.play!(rtmp, unaborted);
    expect(device.sources.map(({ protocol, data }) => [protocol, data.url])).toEqual([
      ['ts-srt', 'srt://10.0.0.1:8890?mode=caller&latency=20&streamid=studio&passphrase=open%20sesame'],
      ['rtmp', 'rtmp://10.0.0.1:1935/live/key%201'],
    ]);
    expect((await session.poll(unaborted)).source?.name).toBe(device.sources[1]!.name);
  });

  test('a decoder shows nothing any more, unless it shows another source meanwhile', async () => {
    const { device, transport } = simulate('decoder', { switchMs: 60 });
    const session = open(transport);
    await session.play!(rtmp, unaborted);
    await session.stopPlaying!('Another hub', unaborted);
    expect((await session.poll(unaborted)).source).toBeDefined();
    await session.stopPlaying!(rtmp.name, unaborted);
    expect((await session.poll(unaborted)).source).toBeUndefined();
    device.calls.length = 0;
    await session.stopPlaying!(rtmp.name, unaborted);
    expect(device.calls).not.toContain('source/select');
  });

  test('writes without an answer are sent once and read back', async () => {
    const { device, transport } = simulate();
    device.faults = { unanswered: ['source/add', 'source/select'] };
    await open(transport).play!(srt, unaborted);
    expect(device.calls.filter((method) => /add|select/.test(method))).toEqual(['source/add', 'source/select']);
  });

  test('an audio converter plays nothing, and a decoder nothing but RTMP and SRT', async () => {
    const audio = open(simulate('audio').transport);
    expect(await problemOf(audio.play!(rtmp, unaborted))).toMatchObject({ word: 'unsupported' });
    const decoder = open(simulate().transport);
    const http = { name: 'x', url: 'http://10.0.0.1/live.m3u8' };
    expect(await problemOf(decoder.play!(http, unaborted))).toMatchObject({ word: 'unsupported' });
  });

  test('a reboot silences the device, and its uptime begins again', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    expect(await session.reboot!(unaborted)).toEqual({ silentMs: quickTimes.rebootMs });
    device.answerAgain();
    expect((await session.poll(unaborted))['uptime-s']).toBeLessThan(10);
  });

  test('a refusal has the code of the device and its meaning', async () => {
    const { device, transport } = simulate();
    device.faults = { codes: { reboot: 11 } };
    const problem = await problemOf(open(transport).reboot!(unaborted));
    expect(problem).toMatchObject({ word: 'busy', code: 11, message: 'reboot: the device is busy' });
  });

  test('what the API has no published call for is not offered', () => {
    const session = open(simulate().transport);
    for (const act of ['rename', 'snapshot', 'setLive', 'setRecording', 'sendTo'])
      expect(session).not.toHaveProperty(act);
  });
});

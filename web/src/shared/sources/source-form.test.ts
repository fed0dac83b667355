import { describe, expect, test } from 'bun:test';
import { checkSource, configOf, fieldOfPath, previewOf, valuesOf } from './source-form.ts';
import { noSource, type SourceValues } from './source-values.ts';

const nothingKnown = { hasPassphrase: false, hasPassword: false };
const srt: SourceValues = { ...noSource, name: 'Partner', srtHost: 'peer.example', srtPort: '9000' };
const udp: SourceValues = { ...noSource, name: 'Rack', protocol: 'udp', udpHost: '239.1.2.3', udpPort: '5004' };
const rtmp: SourceValues = {
  ...noSource,
  name: 'CDN',
  protocol: 'rtmp',
  rtmpUrl: 'rtmp://cdn.example/app',
  rtmpKey: 'k',
};

describe('an SRT source', () => {
  test('is sent with its defaults', () => {
    expect(checkSource(srt, nothingKnown)).toEqual({});
    expect(configOf(srt)).toEqual({
      type: 1,
      srt: {
        mode: 'caller',
        host: 'peer.example',
        port: 9000,
        latency: 120,
        'bandwidth-overhead': 0,
        'stream-id': '',
        'pb-key-len': 0,
      },
    });
  });

  test('names each invalid field', () => {
    const faults = checkSource({ ...srt, name: '', srtHost: '300.1.1.1', srtPort: 'x', srtLatency: '5' }, nothingKnown);
    expect(faults).toEqual({ name: 'required', srtHost: 'host', srtPort: 'number', srtLatency: 'atLeast:20' });
  });

  test('that listens accepts several receivers, at any address of the hub', () => {
    const listener: SourceValues = { ...srt, srtMode: 'listener', srtHost: '', srtMaxConnections: '4' };
    expect(checkSource(listener, nothingKnown)).toEqual({});
    expect(configOf(listener)).toMatchObject({ srt: { mode: 'listener', host: '0.0.0.0', 'max-connections': 4 } });
    expect(checkSource({ ...listener, srtMaxConnections: '65' }, nothingKnown)).toEqual({
      srtMaxConnections: 'atMost:64',
    });
    expect(configOf(srt).srt).not.toHaveProperty('max-connections');
  });

  test('with encryption requires a passphrase, unless one is stored', () => {
    const encrypted = { ...srt, srtKeyLength: '16' };
    expect(checkSource(encrypted, nothingKnown)).toEqual({ srtPassphrase: 'passphraseNeeded' });
    expect(checkSource(encrypted, { ...nothingKnown, hasPassphrase: true })).toEqual({});
    expect(checkSource({ ...encrypted, srtPassphrase: 'short' }, nothingKnown)).toEqual({
      srtPassphrase: 'tooShort?min=10',
    });
  });

  test('without encryption sends no passphrase that was typed before', () => {
    expect(JSON.stringify(configOf({ ...srt, srtPassphrase: 'left over from before' }))).not.toContain('left over');
  });
});

describe('a part of a transport stream', () => {
  const part: SourceValues = { ...udp, udpHost: '10.0.0.9', tsProgram: '22', tsAudioTrack: '' };

  test('is sent for an input, as 0 where the field is empty', () => {
    expect(configOf(part, true)).toMatchObject({ program: 22, 'audio-track': 0 });
    expect(configOf({ ...part, tsProgram: ' ' }, true)).toMatchObject({ program: 0, 'audio-track': 0 });
    expect(configOf(part)).not.toHaveProperty('program');
    expect(configOf({ ...part, ...rtmp }, true)).not.toHaveProperty('program');
  });

  test('has ranges, and finds its fields by their names in the API', () => {
    const faults = checkSource({ ...part, tsProgram: '65536', tsAudioTrack: 'x' }, nothingKnown);
    expect(faults).toEqual({ tsProgram: 'atMost:65535', tsAudioTrack: 'number' });
    for (const protocol of ['udp', 'rtp', 'srt', 'http'] as const) {
      expect(fieldOfPath('config.program', protocol)).toBe('tsProgram');
      expect(fieldOfPath('config.audio-track', protocol)).toBe('tsAudioTrack');
    }
  });

  test('survives the round trip, with an empty field for 0', () => {
    const config = { url: 'udp://10.0.0.9:5004', udp: { host: '10.0.0.9', port: 5004 } };
    const stored = { name: 'Rack', protocol: 4, config: { ...config, program: 22, 'audio-track': 0 } };
    expect(valuesOf(stored)).toMatchObject({ tsProgram: '22', tsAudioTrack: '' });
    expect(valuesOf({ ...stored, config })).toMatchObject({ tsProgram: '', tsAudioTrack: '' });
  });
});

describe('a UDP source', () => {
  test('has a time to live only for multicast', () => {
    expect(configOf(udp)).toEqual({ type: 1, udp: { host: '239.1.2.3', port: 5004, ttl: 16 } });
    expect(configOf({ ...udp, udpHost: '10.0.0.9' })).toEqual({ type: 1, udp: { host: '10.0.0.9', port: 5004 } });
  });
});

describe('an RTMP source', () => {
  test('needs user name and password only with authentication', () => {
    expect(checkSource(rtmp, nothingKnown)).toEqual({});
    expect(checkSource({ ...rtmp, rtmpAuth: true }, nothingKnown)).toEqual({
      rtmpUser: 'required',
      rtmpPassword: 'required',
    });
  });

  test('refuses an invalid address', () => {
    expect(checkSource({ ...rtmp, rtmpUrl: 'http://cdn.example/app' }, nothingKnown)).toEqual({ rtmpUrl: 'rtmpUrl' });
  });
});

test('keeps a stored key that is not shown when its field is left empty', () => {
  const url = 'rtmp://cdn.example/app';
  const kept = valuesOf({ name: 'Made', protocol: 1, config: { url, 'enable-auth': false, 'key-set': true } });
  expect(checkSource(kept, { hasPassphrase: false, hasPassword: false })).toEqual({});
  expect(configOf(kept)).toEqual({ url, 'enable-auth': false });
  expect(configOf({ ...kept, rtmpKey: 'typed' })).toMatchObject({ key: 'typed' });
  const called = { mode: 'caller', host: 'a.example', port: 9000, latency: 120, 'passphrase-set': false } as const;
  const shown = { url: 'srt://a.example:9000', srt: { ...called, 'stream-id-set': true } };
  const id = valuesOf({ name: 'Made', protocol: 2, config: shown });
  expect(configOf(id).srt).not.toHaveProperty('stream-id');
  expect(configOf({ ...id, srtStreamId: 'typed' }).srt).toMatchObject({ 'stream-id': 'typed' });
});

test('separates the whole URL of an RTMP input into server and key', () => {
  const config = { type: 1, url: 'rtmp://cdn.example/app/inst/key1?mw-buffer-duration=80' } as const;
  const read = valuesOf({ name: 'Pulled', protocol: 1, config: { ...config, 'buffer-duration': 80 } });
  const written = { url: 'rtmp://cdn.example/app/inst', key: 'key1', 'enable-auth': false, 'buffer-duration': 80 };
  expect(configOf(read, true)).toEqual(written);
});

test('a preview shows no secret', () => {
  expect(previewOf(rtmp, 'hub', false)).toBe('rtmp://cdn.example/app/••••••');
  expect(previewOf({ ...srt, srtKeyLength: '16', srtPassphrase: 'very secret one' }, 'hub', false)).toBe(
    'srt://peer.example:9000?mode=caller&latency=120&pbkeylen=16&passphrase=••••••',
  );
  expect(previewOf(udp, 'hub', false)).toBe('udp://239.1.2.3:5004?ttl=16');
  expect(previewOf(noSource, 'hub', false)).toBeUndefined();
});

test('a fault from the hub is shown at its field', () => {
  expect(fieldOfPath('config.srt.stream-id', 'srt')).toBe('srtStreamId');
  expect(fieldOfPath('config.udp.host', 'udp')).toBe('udpHost');
  expect(fieldOfPath('config.key', 'rtmp')).toBe('rtmpKey');
  expect(fieldOfPath('name', 'srt')).toBe('name');
});

test('a stored source fills the form without its secrets', () => {
  const values = valuesOf({
    name: 'Partner',
    protocol: 2,
    config: {
      url: 'srt://peer.example:9000',
      srt: { mode: 'caller', host: 'peer.example', port: 9000, latency: 200, 'pb-key-len': 16, 'passphrase-set': true },
    },
  });
  expect(values).toMatchObject({ protocol: 'srt', srtLatency: '200', srtKeyLength: '16', srtPassphrase: '' });
});

describe('an RTP source', () => {
  const rtp: SourceValues = { ...udp, protocol: 'rtp', udpSource: '192.0.2.9' };

  test('is a UDP source with its own name', () => {
    expect(checkSource(rtp, nothingKnown)).toEqual({});
    const sent = { host: '239.1.2.3', port: 5004, ttl: 16, source: '192.0.2.9' };
    expect(configOf(rtp)).toEqual({ type: 1, rtp: sent });
    expect(previewOf(rtp, 'hub', true)).toBe('rtp://239.1.2.3:5004?source=192.0.2.9');
    const shown = { type: 1, url: 'rtp://239.1.2.3:5004', rtp: sent } as const;
    expect(valuesOf({ name: 'Rack', protocol: 8, config: shown })).toEqual(rtp);
  });

  test('may name its sender also without multicast', () => {
    const unicast: SourceValues = { ...rtp, udpHost: '0.0.0.0' };
    const sent = { host: '0.0.0.0', port: 5004, source: '192.0.2.9' };
    expect(configOf(unicast)).toEqual({ type: 1, rtp: sent });
    expect(previewOf(unicast, 'hub', true)).toBe('rtp://0.0.0.0:5004?source=192.0.2.9');
  });

  test('shows which field the hub refused', () => {
    expect(fieldOfPath('config.rtp.source', 'rtp')).toBe('udpSource');
    expect(checkSource({ ...rtp, udpSource: 'camera' }, nothingKnown)).toEqual({ udpSource: 'ip' });
  });
});

describe('a pulled source', () => {
  const rtsp: SourceValues = { ...noSource, name: 'Camera', protocol: 'rtsp', pullUrl: 'rtsp://camera.example/1' };

  test('is its URL with a few options', () => {
    expect(checkSource(rtsp, nothingKnown)).toEqual({});
    const sent = { url: 'rtsp://camera.example/1', 'buffer-duration': 200, 'enable-auth': false, 'tcp-first': true };
    expect(configOf(rtsp)).toEqual({ type: 1, ...sent });
    expect(valuesOf({ name: 'Camera', protocol: 16, config: { type: 1, ...sent } })).toEqual(rtsp);
    expect(previewOf(rtsp, 'hub', false)).toBe('rtsp://camera.example/1');
    const http: SourceValues = { ...rtsp, protocol: 'http', pullUrl: 'https://origin.example/live/index.m3u8?x=1' };
    expect(checkSource(http, nothingKnown)).toEqual({});
    expect(configOf(http)).not.toHaveProperty('tcp-first');
  });

  test('names each invalid field', () => {
    expect(checkSource({ ...rtsp, pullUrl: 'http://camera.example', pullBuffer: '0' }, nothingKnown)).toEqual({
      pullUrl: 'rtspUrl',
      pullBuffer: 'atLeast:1',
    });
    expect(checkSource({ ...rtsp, protocol: 'http' }, nothingKnown)).toEqual({ pullUrl: 'httpUrl' });
    const locked = { ...rtsp, pullAuth: true };
    expect(checkSource(locked, nothingKnown)).toEqual({ pullUser: 'required', pullPassword: 'required' });
    expect(checkSource({ ...locked, pullUser: 'me' }, { ...nothingKnown, hasPassword: true })).toEqual({});
    expect(fieldOfPath('config.url', 'rtsp')).toBe('pullUrl');
  });
});

describe('an RTSP server', () => {
  const server: SourceValues = { ...noSource, name: 'Stage', protocol: 'rtspServer', servedKey: 'stage' };

  test('is a port and a path, and shows where players find it', () => {
    expect(checkSource(server, nothingKnown)).toEqual({});
    const sent = { type: 0, port: 8554, key: 'stage', 'max-client-num': 30, 'enable-auth': false } as const;
    expect(configOf(server)).toEqual(sent);
    expect(previewOf(server, '192.0.2.1', false)).toBe('rtsp://192.0.2.1:8554/stage');
    expect(previewOf({ ...server, servedKey: '' }, 'hub', false)).toBeUndefined();
    const shown = { ...sent, url: 'rtsp://0.0.0.0:8554/stage' };
    expect(valuesOf({ name: 'Stage', protocol: 16, config: shown })).toEqual(server);
  });

  test('names each invalid field', () => {
    const wrong = { ...server, servedKey: 'a/b', servedPort: '0', servedMaxClients: '65', servedAuth: true };
    expect(checkSource(wrong, nothingKnown)).toEqual({
      ...{
        servedKey: expect.stringContaining('characters?value=%2F&'),
        servedPort: 'atLeast:1',
        servedMaxClients: 'atMost:64',
      },
      ...{ servedUser: 'required', servedPassword: 'required' },
    });
    expect(
      checkSource({ ...server, servedAuth: true, servedUser: 'me' }, { ...nothingKnown, hasPassword: true }),
    ).toEqual({});
    expect(fieldOfPath('config.key', 'rtspServer')).toBe('servedKey');
    expect(fieldOfPath('config.max-client-num', 'rtspServer')).toBe('servedMaxClients');
  });
});

describe('an NDI source', () => {
  const ndi: SourceValues = { ...noSource, name: 'Cam 1', protocol: 'ndi', ndiName: 'STUDIO (Cam 1)' };

  test('survives the round trip as it was typed', () => {
    const full = { ...ndi, ndiGroups: 'News', ndiExtraIps: '192.0.2.4', ndiLowBandwidth: true };
    expect(checkSource(full, nothingKnown)).toEqual({});
    const config = configOf(full);
    expect(config).toMatchObject({
      type: 1,
      ndi: { name: 'STUDIO (Cam 1)', groups: 'News', 'extra-ips': '192.0.2.4', 'low-bandwidth': true },
    });
    const shown = { type: 1, url: 'ndi://x', ndi: config.ndi } as const;
    expect(valuesOf({ name: 'Cam 1', protocol: 64, config: shown })).toEqual(full);
    expect(previewOf(full, 'hub', false)).toBe('ndi://STUDIO (Cam 1)');
  });

  test('names each invalid field', () => {
    const faults = checkSource({ ...ndi, ndiName: '', ndiExtraIps: '300.1.1.1' }, nothingKnown);
    expect(faults).toEqual({ ndiName: 'required', ndiExtraIps: 'ipv4' });
    expect(fieldOfPath('config.ndi.name', 'ndi')).toBe('ndiName');
  });
});

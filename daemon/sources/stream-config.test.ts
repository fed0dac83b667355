import { describe, expect, test } from 'bun:test';
import { InputConfig } from '../contract/inputs.ts';
import { OutputConfig } from '../contract/outputs.ts';
import { HubError } from '../lib/hub-error.ts';
import type { RtmpStream, SrtStream, StreamAddress } from './stream-address.ts';
import { readStreamConfig, showStreamConfig } from './stream-config.ts';
import type { StreamRole } from './stream-options.ts';

const rtmp: RtmpStream = {
  protocol: 'rtmp',
  url: 'rtmp://live.example.net/app',
  key: 'stream-key',
  username: 'me',
  password: 'hidden-word',
};
const srt: SrtStream = {
  protocol: 'srt',
  mode: 'caller',
  host: 'ingest.example.net',
  port: 9000,
  latencyMs: 200,
  overheadPercent: 30,
  streamId: 'studio',
  keyLength: 24,
  passphrase: 'hidden-phrase',
  maxConnections: 30,
};
const udp: StreamAddress = {
  protocol: 'udp',
  host: '239.1.2.3',
  port: 5000,
  ttl: 4,
  interface: '192.0.2.7',
  source: '',
};
const typedSrt = { mode: 'caller', host: 'ingest.example.net', port: 9000, latency: 200 } as const;

/** The wire form passes the contract first, as in a request. */
function read(config: object, role: StreamRole = 'output', kept?: StreamAddress): StreamAddress {
  return readStreamConfig((role === 'input' ? InputConfig : OutputConfig).parse(config), role, kept);
}

function refusal(config: object, role: StreamRole = 'output', kept?: StreamAddress) {
  try {
    read(config, role, kept);
  } catch (error) {
    if (error instanceof HubError)
      return { result: error.result, path: error.fields?.[0]?.path, rule: error.fields?.[0]?.rule };
    throw error;
  }
  return 'accepted';
}

describe('one address from every form', () => {
  test('RTMP members', () => {
    const config = { url: rtmp.url, key: 'stream-key', 'enable-auth': true, username: 'me', password: 'hidden-word' };
    expect(read(config)).toEqual(rtmp);
  });

  test('an RTMP input, with the stream at the end of the URL or beside it', () => {
    const pulled = { protocol: 'rtmp', url: 'rtmp://a.example/live/x', key: 'k?token=1' } as const;
    const open = { ...pulled, username: '', password: '' };
    expect(read({ type: 1, url: 'rtmp://a.example/live/x/k?token=1' }, 'input')).toEqual(open);
    expect(read({ url: 'rtmp://a.example/live/x', key: 'k?token=1' }, 'input')).toEqual(open);
    expect(refusal({ url: 'rtmp://a.example/live' }, 'input')).toMatchObject({ path: 'config.key', rule: 'required' });
  });

  test('an RTSP server, as members or as a URL, shown completely without its password', () => {
    const open = {
      protocol: 'rtsp',
      port: 8554,
      key: 'stage',
      maxClients: 30,
      username: '',
      password: '',
    } as const;
    expect(read({ type: 0, port: 8554, key: 'stage' })).toEqual(open);
    expect(read({ url: 'rtsp://0.0.0.0:8554/stage' })).toEqual(open);
    expect(read({ url: 'rtsp://0.0.0.0/stage' })).toMatchObject({ port: 554 });
    const login = { 'enable-auth': true, username: 'me' };
    const locked = read({ port: 8554, key: 'stage', 'max-client-num': 2, ...login, password: 'hidden-word' });
    expect<StreamAddress>(locked).toEqual({
      ...open,
      maxClients: 2,
      username: 'me',
      password: 'hidden-word',
    });
    const shown = showStreamConfig(locked, 'output');
    expect(shown).toEqual({
      ...{ type: 0, url: 'rtsp://0.0.0.0:8554/stage', port: 8554, key: 'stage', 'max-client-num': 2 },
      ...{ ...login, 'password-set': true },
    });
    expect(read(shown, 'output', locked)).toEqual(locked);
    expect(read({ ...shown, port: 8555 }, 'output', locked)).toMatchObject({ port: 8555, password: 'hidden-word' });
  });

  test('what an input fetches over HTTP, with a name and password apart', () => {
    const open = { protocol: 'http', url: 'http://a.example/live.m3u8?x=1', bufferMs: 200 } as const;
    expect(read({ url: 'http://a.example/live.m3u8?x=1' }, 'input')).toEqual({ ...open, username: '', password: '' });
    const locked = { ...open, bufferMs: 500, username: 'me', password: 'p:w' };
    const url = 'http://me:p%3Aw@a.example/live.m3u8?x=1&mw-buffer-duration=500';
    expect(read({ url }, 'input')).toEqual(locked);
    const login = { 'enable-auth': true, username: 'me', password: 'p:w' };
    expect(read({ url: open.url, 'buffer-duration': 500, ...login }, 'input')).toEqual(locked);
    const shown = showStreamConfig(locked, 'input');
    expect(shown).toEqual({
      type: 1,
      url: `${open.url}&mw-buffer-duration=500`,
      'buffer-duration': 500,
      'enable-auth': true,
      username: 'me',
      'password-set': true,
    });
    expect(JSON.stringify(shown)).not.toContain('p:w');
    // Sending a response back keeps the password.
    expect(read({ url: open.url, 'enable-auth': true, username: 'me' }, 'input', locked)).toMatchObject({
      password: 'p:w',
    });
    expect(refusal({ url: open.url }, 'output')).toMatchObject({ result: 'unsupported' });
    expect(read({ url: 'http://%zz:p@a.example/x' }, 'input')).toMatchObject({ username: '%zz', password: 'p' });
    expect(refusal({ url: 'http://a b/x' }, 'input')).toMatchObject({ path: 'config.url', rule: 'httpUrl' });
  });

  test('a program and an audio track of a transport stream, as members or in the URL', () => {
    const whole = { ...udp, ttl: 16, interface: '' };
    const ts = { program: 22, audioTrack: 2 };
    const typed = { host: '239.1.2.3', port: 5000 };
    const chosen = { ...whole, ts };
    expect(read({ udp: typed, program: 22, 'audio-track': 2 }, 'input')).toEqual(chosen);
    expect(read({ url: 'udp://239.1.2.3:5000?mw-program=22&mw-audio-track=2&ttl=16' }, 'input')).toEqual(chosen);
    expect(read({ udp: typed, program: 0, 'audio-track': 0 }, 'input')).toEqual(whole);
    const shown = showStreamConfig(chosen, 'input');
    const shownUrl = 'udp://239.1.2.3:5000?ttl=16&mw-program=22&mw-audio-track=2';
    expect(shown).toMatchObject({ program: 22, 'audio-track': 2, url: shownUrl });
    // Sending a response back changes nothing, also with one form changed; 0 removes the choice.
    expect(read(shown, 'input', chosen)).toEqual(chosen);
    const third = shownUrl.replace('program=22', 'program=33');
    expect(read({ ...shown, url: third }, 'input', chosen)).toEqual({ ...chosen, ts: { ...ts, program: 33 } });
    // The URL alone is complete: an option that it omits is gone.
    expect(read({ type: 1, url: 'udp://239.1.2.3:5000' }, 'input', chosen)).toEqual(whole);
    expect(read({ ...shown, url: 'udp://239.1.2.4:5000' }, 'input', chosen)).toEqual({ ...chosen, host: '239.1.2.4' });
    expect(read({ ...shown, program: 0 }, 'input', chosen)).toEqual({ ...whole, ts: { ...ts, program: 0 } });
    expect(read({ ...shown, program: 0, 'audio-track': 0 }, 'input', chosen)).toEqual(whole);
    const url = 'http://a.example/live.ts?sign=a%2Bb';
    expect(read({ url, program: 3 }, 'input')).toMatchObject({ url, ts: { program: 3, audioTrack: 0 } });
    expect(read({ url: 'http://a.example/1.ts?mw-program=3#top' }, 'input')).toMatchObject({
      ...{ url: 'http://a.example/1.ts', ts: { program: 3, audioTrack: 0 } },
    });
    const refused = { path: 'config.url', rule: 'range' };
    expect(refusal({ url: 'udp://0.0.0.0:5000?mw-program=65536' }, 'input')).toMatchObject(refused);
    expect(refusal({ url: 'http://a.example/1.ts?mw-audio-track=33' }, 'input')).toMatchObject(refused);
    expect(refusal({ url: 'rtmp://a.example/app/key', program: 3 }, 'input')).toMatchObject({
      ...{ path: 'config.program', rule: 'unsupported' },
    });
    expect(refusal({ url: 'udp://10.0.0.1:5000?mw-audio-track=1' }, 'output')).toMatchObject({
      ...{ path: 'config.audio-track', rule: 'unsupported' },
    });
    expect(InputConfig.safeParse({ udp: typed, program: 65_536 }).success).toBe(false);
  });

  test('the buffer of an input by UDP, RTP or RTMP, as a member or in the URL', () => {
    const typed = { host: '239.1.2.3', port: 5000 };
    const open = { ...udp, ttl: 16, interface: '' };
    const held = { ...open, bufferMs: 300 };
    expect(read({ udp: typed }, 'input')).toEqual(open);
    expect(read({ udp: typed, 'buffer-duration': 300 }, 'input')).toEqual(held);
    expect(read({ url: 'udp://239.1.2.3:5000?mw-buffer-duration=300' }, 'input')).toEqual(held);
    expect(read({ rtp: typed, 'buffer-duration': 300 }, 'input')).toEqual({ ...held, protocol: 'rtp' });
    const shown = showStreamConfig(held, 'input');
    expect(shown).toMatchObject({
      ...{ 'buffer-duration': 300, url: 'udp://239.1.2.3:5000?ttl=16&mw-buffer-duration=300' },
    });
    // Like any option: kept when omitted, until the protocol changes; 0 removes it.
    expect(read(shown, 'input', held)).toEqual(held);
    expect(read({ udp: typed }, 'input', held)).toEqual(held);
    expect(read({ rtp: typed }, 'input', held)).toEqual({ ...open, protocol: 'rtp' });
    expect(read({ ...shown, 'buffer-duration': 0 }, 'input', held)).toEqual(open);
    const url = 'rtmp://a.example/live/x/k?token=1';
    const pulled = { protocol: 'rtmp', url: 'rtmp://a.example/live/x', key: 'k?token=1', bufferMs: 80 };
    expect(read({ url, 'buffer-duration': 80 }, 'input')).toMatchObject(pulled);
    expect(read({ url: `${url}&mw-buffer-duration=80` }, 'input')).toMatchObject(pulled);
    expect(read({ url: 'rtmp://a.example/live/k?mw-buffer-duration=80' }, 'input')).toMatchObject({ key: 'k' });
    expect(read({ url }, 'input')).not.toHaveProperty('bufferMs');
  });

  test('an invalid buffer is refused with its field', () => {
    const typed = { host: '239.1.2.3', port: 5000 };
    const inUrl = { path: 'config.url', rule: 'range' };
    const member = { path: 'config.buffer-duration' };
    expect(refusal({ url: 'udp://239.1.2.3:5000?mw-buffer-duration=2001' }, 'input')).toMatchObject(inUrl);
    expect(refusal({ url: 'rtmp://a.example/l/k?mw-buffer-duration=2001' }, 'input')).toMatchObject(inUrl);
    expect(refusal({ url: 'http://a.example/1.ts?mw-buffer-duration=0' }, 'input')).toMatchObject(inUrl);
    const none = { 'buffer-duration': 0 };
    expect(refusal({ url: 'rtsp://a.example/1', ...none }, 'input')).toMatchObject({ ...member, rule: 'range' });
    const unsupported = { ...member, rule: 'unsupported' };
    expect(refusal({ srt: typedSrt, 'buffer-duration': 100 }, 'input')).toMatchObject(unsupported);
    expect(refusal({ url: 'udp://10.0.0.1:5000?mw-buffer-duration=9' }, 'output')).toMatchObject(unsupported);
    for (const [duration, isGood] of [
      ...[[0, true] as const, [1, true] as const, [2000, true] as const],
      ...[[-1, false] as const, [2001, false] as const, [0.5, false] as const],
    ]) {
      expect(InputConfig.safeParse({ udp: typed, 'buffer-duration': duration }).success).toBe(isGood);
    }
  });

  test('what an input fetches over RTSP, with its wishes in the URL as published', () => {
    const open = { username: '', password: '' } as const;
    const camera = {
      protocol: 'rtsp',
      url: 'rtsp://camera.example/1?channel=2',
      bufferMs: 200,
      tcpFirst: false,
      ...open,
    } as const;
    expect(read({ url: 'rtsp://camera.example/1?channel=2&mw-tcp-first=0' }, 'input')).toEqual(camera);
    expect(read({ url: camera.url, 'tcp-first': false }, 'input')).toEqual(camera);
    expect(read({ url: camera.url }, 'input')).toEqual(camera);
    const overTcp = { ...camera, tcpFirst: true };
    expect(read({ url: `${camera.url}&mw-tcp-first=1` }, 'input')).toEqual(overTcp);
    expect(read({ url: camera.url }, 'input', overTcp)).toEqual(camera);
    expect(refusal({ url: 'rtsp://camera.example/1?mw-tcp-first=yes' }, 'input')).toMatchObject({ rule: 'choice' });
    expect(refusal({ url: 'rtsp://a b/1' }, 'input')).toMatchObject({ rule: 'rtspUrl' });
  });

  test('RTP, as URL and as members, and in a response', () => {
    const rtp = { ...udp, protocol: 'rtp', interface: '', source: '192.0.2.9' } as const;
    expect(read({ url: 'rtp://239.1.2.3:5000?ttl=4&source=192.0.2.9' }, 'input')).toEqual(rtp);
    const typed = { host: '239.1.2.3', port: 5000, ttl: 4, source: '192.0.2.9' };
    expect(read({ rtp: typed }, 'input')).toEqual(rtp);
    expect(showStreamConfig(rtp, 'input')).toEqual({
      type: 1,
      url: 'rtp://239.1.2.3:5000?ttl=4&source=192.0.2.9',
      rtp: typed,
    });
  });

  test('without enable-auth neither user name nor password is kept', () => {
    expect(read({ url: rtmp.url, key: 'k', username: 'me', password: 'hidden-word' })).toEqual({
      ...rtmp,
      key: 'k',
      username: '',
      password: '',
    });
  });

  test('members and URL of SRT and UDP are equivalent', () => {
    const typed = read({ type: 1, srt: { ...typedSrt, 'stream-id': 'a' } });
    expect(read({ type: 1, url: 'srt://ingest.example.net:9000?latency=200&streamid=a' })).toEqual(typed);
    const group = read({ type: 1, udp: { host: '239.1.2.3', port: 5000, ttl: 4 } });
    expect(read({ type: 1, url: 'udp://239.1.2.3:5000?ttl=4' })).toEqual(group);
  });

  test('an SRT listener binds to an address of the machine and accepts 30 clients, an output as many as given', () => {
    const listener: SrtStream = { ...srt, mode: 'listener', host: '0.0.0.0', streamId: 'a' };
    const url =
      'srt://0.0.0.0:9000?mode=listener&latency=200&oheadbw=30&streamid=a&pbkeylen=24&passphrase=hidden-phrase';
    expect(read({ url }, 'input')).toEqual(listener);
    expect(read({ url: `${url}&maxconn=4` }, 'output')).toEqual({ ...listener, maxConnections: 4 });
    const openness = (address: SrtStream) => showStreamConfig(address, 'input').srt?.open;
    const without = { ...listener, streamId: '', passphrase: '' };
    expect([
      openness(listener),
      openness({ ...without, streamId: 'a' }),
      openness({ ...without, passphrase: 'p' }),
    ]).toEqual(Array(3).fill(undefined));
    expect([openness(without), openness({ ...without, mode: 'caller' })]).toEqual([true, undefined]);
    const typed = { ...typedSrt, mode: 'listener', host: '::', 'max-connections': 64 };
    expect(read({ srt: typed })).toMatchObject({ mode: 'listener', host: '::', maxConnections: 64 });
    expect(showStreamConfig(listener, 'input').srt).not.toHaveProperty('max-connections');
    const four = { ...listener, maxConnections: 4 };
    const shown = showStreamConfig(four, 'output');
    expect(shown.srt).toMatchObject({ mode: 'listener', 'max-connections': 4 });
    expect(read(shown, 'output', four)).toEqual(four);
    const called = { ...typedSrt, 'stream-id': 'b', passphrase: 'other-phrase' };
    expect(read({ srt: called }, 'output', four)).toMatchObject({ mode: 'caller', maxConnections: 30 });
  });

  test('a passphrase switches encryption on', () => {
    expect(read({ srt: { ...typedSrt, passphrase: 'hidden-phrase' } })).toMatchObject({
      keyLength: 16,
      passphrase: 'hidden-phrase',
    });
  });
});

describe('a change', () => {
  test.each([rtmp, srt, udp])('of nothing: sending a response back leaves %o unchanged', (kept) => {
    expect(read(showStreamConfig(kept, 'output'), 'output', kept)).toEqual(kept);
  });

  test('of the URL in a response that is sent back counts', () => {
    const echo = {
      ...showStreamConfig(srt, 'output'),
      url: 'srt://other.example.net:9001?latency=50&passphrase=other-phrase',
    };
    expect(read(echo, 'output', srt)).toEqual({
      ...srt,
      host: 'other.example.net',
      port: 9001,
      latencyMs: 50,
      overheadPercent: 0,
      streamId: '',
      passphrase: 'other-phrase',
    });
  });

  test('of a member in a response that is sent back counts', () => {
    const { srt: typed, ...rest } = showStreamConfig(srt, 'output');
    expect(read({ ...rest, srt: { ...typed, latency: 999 } }, 'output', srt)).toEqual({ ...srt, latencyMs: 999 });
  });

  test('keeps the secrets that it leaves out', () => {
    expect(read({ srt: { ...typedSrt, latency: 20 } }, 'output', srt)).toEqual({ ...srt, latencyMs: 20 });
    const url = 'rtmp://LIVE.example.net:1935/other';
    expect(read({ url }, 'output', rtmp)).toEqual({ ...rtmp, url });
    const listener: SrtStream = { ...srt, mode: 'listener', host: '0.0.0.0' };
    const other = { ...typedSrt, mode: 'listener', host: '127.0.0.1', port: 9001 };
    expect(read({ srt: other }, 'output', listener)).toMatchObject({ streamId: 'studio', passphrase: 'hidden-phrase' });
  });

  const http: StreamAddress = {
    ...{ protocol: 'http', url: 'http://origin.example.net/live.ts' },
    ...{ username: 'me', password: 'hidden-word', bufferMs: 200 },
  };
  const rtsp: StreamAddress = { ...http, protocol: 'rtsp', url: 'rtsp://camera.example.net/1', tcpFirst: true };
  const { key: _, ...keyed } = showStreamConfig(rtmp, 'output');
  test.each<[string, object, StreamRole, StreamAddress]>([
    ['config.srt.passphrase', { srt: { ...typedSrt, host: 'other.example.net', 'stream-id': 'a' } }, 'output', srt],
    ['config.srt.passphrase', { srt: { ...typedSrt, port: 9001, 'stream-id': 'a' } }, 'input', srt],
    ['config.srt.stream-id', { srt: { ...typedSrt, port: 9001, passphrase: 'other-phrase' } }, 'output', srt],
    [
      'config.srt.passphrase',
      { srt: { ...typedSrt, mode: 'listener', host: '0.0.0.0', 'stream-id': '' } },
      'input',
      srt,
    ],
    ['config.url', { url: 'srt://other.example.net:9000?streamid=a' }, 'output', srt],
    [
      'config.url',
      { ...showStreamConfig(srt, 'output'), url: 'srt://other.example.net:9000?streamid=a' },
      'output',
      srt,
    ],
    ['config.key', { ...keyed, url: 'rtmp://other.example.net/app', password: 'typed' }, 'output', rtmp],
    ['config.key', { ...keyed, url: 'rtmp://live.example.net:1936/app', password: 'typed' }, 'output', rtmp],
    ['config.key', { ...keyed, url: 'rtmps://live.example.net/app', password: 'typed' }, 'output', rtmp],
    ['config.password', { url: 'rtmp://other.example.net/app', key: 'typed' }, 'output', rtmp],
    ['config.password', { url: 'rtmp://other.example.net/app/typed' }, 'input', rtmp],
    ['config.password', { url: 'http://other.example.net/live.ts' }, 'input', http],
    ['config.password', { url: 'https://origin.example.net/live.ts' }, 'input', http],
    ['config.password', { url: 'rtsp://camera.example.net:8554/1' }, 'input', rtsp],
  ])('to another server without the secrets is refused at %s: %j', (path, config, role, kept) => {
    expect(refusal(config, role, kept)).toMatchObject({ path, rule: 'secretAgain' });
  });

  test('to another server is accepted with the secrets', () => {
    const url = 'rtmp://other.example.net/app';
    expect(read({ url, key: 'a', password: 'b' }, 'output', rtmp)).toEqual({ ...rtmp, url, key: 'a', password: 'b' });
    expect(read({ url, key: 'a', 'enable-auth': false }, 'output', rtmp)).toMatchObject({ key: 'a', password: '' });
    const elsewhere = { ...typedSrt, host: 'other.example.net', 'stream-id': '' };
    expect(read({ srt: { ...elsewhere, passphrase: 'other-phrase' } }, 'output', srt)).toMatchObject({ streamId: '' });
    expect(read({ srt: { ...elsewhere, 'pb-key-len': 0 } }, 'output', srt)).toMatchObject({ passphrase: '' });
    const signed = 'http://me:typed@other.example.net/live.ts';
    expect(read({ url: signed }, 'input', http)).toMatchObject({ username: 'me', password: 'typed' });
  });

  test('to no encryption deletes the passphrase, to no sign-in the password', () => {
    expect(read({ srt: { ...typedSrt, 'pb-key-len': 0 } }, 'output', srt)).toMatchObject({
      keyLength: 0,
      passphrase: '',
    });
    expect(read({ url: rtmp.url, 'enable-auth': false }, 'output', rtmp)).toMatchObject({ username: '', password: '' });
  });

  test('of the protocol deletes the secrets of the old one', () => {
    expect(read({ url: 'udp://239.1.2.3:5000?ttl=4&localaddr=192.0.2.7' }, 'output', srt)).toEqual(udp);
    expect(read({ srt: typedSrt }, 'output', rtmp)).toMatchObject({ passphrase: '', keyLength: 0 });
  });
});

describe('a refusal names the field and the rule', () => {
  const cases: [config: object, role: StreamRole, path: string, rule: string][] = [
    [{ url: 'rtmp://live.example.net/app' }, 'output', 'config.key', 'required'],
    [{ url: 'rtmp://live.example.net', key: 'k' }, 'output', 'config.url', 'rtmpUrl'],
    [{ url: 'rtmp://999.0.0.1/app', key: 'k' }, 'output', 'config.url', 'host'],
    [{ url: 'rtmp://user:word@live.example.net/app', key: 'k' }, 'output', 'config.url', 'rtmpUrl'],
    [{ url: rtmp.url, key: 'k', 'enable-auth': true }, 'output', 'config.username', 'required'],
    [{ url: rtmp.url, key: 'k', 'enable-auth': true, username: 'me' }, 'output', 'config.password', 'required'],
    [{ url: 'ftp://host/x' }, 'output', 'config.url', 'scheme'],
    [{ url: 'udp://239.1.2.3:5000?fifo_size=1' }, 'output', 'config.url', 'unknownOption'],
    [{ url: 'udp://0.0.0.0:5000' }, 'output', 'config.url', 'host'],
    [{ udp: { host: '0.0.0.0', port: 5000 } }, 'output', 'config.udp.host', 'host'],
    [{ udp: { host: '239.1.2.3', port: 5000, interface: '::1' } }, 'output', 'config.udp.interface', 'sameFamily'],
    [{ udp: { host: '::', port: 5000, source: '192.0.2.1' } }, 'input', 'config.udp.source', 'sameFamily'],
    [{ udp: { host: '192.0.2.3', port: 5000, source: '192.0.2.9' } }, 'output', 'config.udp.source', 'sourceOfInput'],
    [{ url: 'udp://0.0.0.0:5000?source=camera' }, 'input', 'config.url', 'ip'],
    [{ url: 'rtp://239.1.2.3:5004?source=192.0.2.9' }, 'output', 'config.url', 'sourceOfInput'],
    [{ rtp: { host: '0.0.0.0', port: 5004 } }, 'output', 'config.rtp.host', 'host'],
    [{ rtp: { host: 'a', port: 1 }, udp: { host: 'a', port: 1 } }, 'output', 'config.rtp', 'conflict'],
    [{ srt: { ...typedSrt, host: '0.0.0.0' } }, 'input', 'config.srt.host', 'host'],
    [{ srt: { ...typedSrt, mode: 'listener' } }, 'input', 'config.srt.host', 'host'],
    [{ url: 'srt://239.1.2.3:9000?mode=listener' }, 'output', 'config.url', 'host'],
    [{ srt: { ...typedSrt, 'max-connections': 2 } }, 'output', 'config.srt.max-connections', 'range'],
    [{ url: 'srt://0.0.0.0:9000?mode=listener&maxconn=2' }, 'input', 'config.url', 'range'],
    [{ url: 'srt://0.0.0.0:9000?mode=listener&maxconn=65' }, 'output', 'config.url', 'range'],
    [{ srt: { ...typedSrt, 'stream-id': 'a\nb' } }, 'output', 'config.srt.stream-id', 'characters'],
    [{ srt: { ...typedSrt, 'pb-key-len': 32 } }, 'output', 'config.srt.passphrase', 'passphraseNeeded'],
    [{ srt: typedSrt, udp: { host: '239.1.2.3', port: 1 } }, 'output', 'config.udp', 'conflict'],
    [{ srt: typedSrt, url: 'udp://239.1.2.3:5000' }, 'output', 'config.url', 'conflict'],
    [{ port: 8554 }, 'output', 'config.key', 'required'],
    [{ port: 8554, key: 'a/b' }, 'output', 'config.key', 'characters'],
    [
      { port: 8554, key: 'stage', 'enable-auth': true, username: 'a:b', password: 'c' },
      'output',
      'config.username',
      'characters',
    ],
    [{ port: 8554, key: 'stage', 'enable-auth': true, username: 'me' }, 'output', 'config.password', 'required'],
    [{ port: 8554, key: 'stage', udp: { host: '239.1.2.3', port: 1 } }, 'output', 'config.port', 'conflict'],
    [{ port: 8554, key: 'stage', url: 'rtsp://0.0.0.0:8555/stage' }, 'output', 'config.url', 'conflict'],
    [{ url: 'rtsp://camera.example.net/1' }, 'output', 'config.url', 'host'],
    [{ url: 'rtsp://0.0.0.0:70000/stage' }, 'output', 'config.port', 'range'],
  ];
  test.each(cases)('%o as %s', (config, role, path, rule) => {
    expect(refusal(config, role)).toEqual({ result: 'invalidArgument', path, rule });
  });

  test('features of later versions are unsupported, not invalid', () => {
    const unsupported = { result: 'unsupported', path: 'config.url', rule: 'unsupported' } as const;
    expect(refusal({ url: 'http://origin.example.net/1.ts' }, 'output')).toEqual(unsupported);
    expect(refusal({ url: 'rtsps://camera.example.net/1' }, 'input')).toEqual(unsupported);
  });

  test('and never repeats a secret that was sent', () => {
    const wrong = [
      { srt: { ...typedSrt, host: '0.0.0.0', passphrase: 'hidden-phrase' } },
      { url: 'srt://h.example:9000?passphrase=hidden-phrase&unknown=hidden' },
      { url: 'srt://h.example:9000?passphrase=hidden' },
      { url: 'rtmp://me:hidden@h.example/app', key: 'hidden' },
    ];
    for (const config of wrong) {
      let error: unknown;
      try {
        read(config);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(HubError);
      expect(JSON.stringify((error as HubError).body())).not.toContain('hidden');
    }
  });
});

test('a response has flags in place of secrets, and the published RTMP key', () => {
  const shown = JSON.stringify([srt, rtmp].map((address) => showStreamConfig(address, 'output')));
  expect(shown).not.toContain('hidden');
  expect(showStreamConfig(rtmp, 'output')).toEqual({
    url: rtmp.url,
    key: 'stream-key',
    'enable-auth': true,
    username: 'me',
    'password-set': true,
  });
  expect(showStreamConfig(srt, 'output').srt?.['passphrase-set']).toBe(true);
});

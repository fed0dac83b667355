import { describe, expect, test } from 'bun:test';
import { InputConfig } from '../contract/inputs.ts';
import type { StreamAddress } from './stream-address.ts';
import { readStreamConfig, showStreamConfig } from './stream-config.ts';

/** The wire form passes the contract first, as in a request. */
const read = (config: object, kept?: StreamAddress) => readStreamConfig(InputConfig.parse(config), 'input', kept);

describe('the published members of an input in a response', () => {
  const stored = (url: string) => read({ type: 1, url });
  test.each([
    'rtmp://h.example/app/key1',
    'rtmp://h.example/app/inst/key1',
    'rtmps://h.example/app/key?token=/a/b&c=1&mw-buffer-duration=80',
    'rtmp://h.example/live/live/live',
    'RTMP://h.example/app/key1',
    'rtsp://h.example/1',
    'rtsp://h.example/1?mw-tcp-first=1&mw-buffer-duration=500',
    'http://h.example/1.ts?sign=a%2Bb&x=a%20b&mw-program=3&mw-audio-track=2',
    'https://h.example/live.m3u8?mw-buffer-duration=1',
    'udp://239.1.2.3:5000?mw-program=22&mw-audio-track=2&mw-buffer-duration=300',
    'srt://h.example:9000?mode=caller&latency=125&streamid=a%26b&mw-program=2',
    'SRT://0.0.0.0:9000?mode=listener&latency=125&streamid=a',
    'ndi://STUDIO%20(Cam%201)?transport=rudp&mw-buffer-duration=80',
  ])('are its whole address: %s', (url) => {
    const kept = stored(url);
    const { type, url: shown } = showStreamConfig(kept, 'input');
    expect(type).toBe(1);
    expect(stored(shown)).toEqual(kept);
    expect(read({ type, url: shown }, kept)).toEqual(kept);
    expect(read(showStreamConfig(kept, 'input'))).toEqual(kept);
  });

  test('show RTMP as it was given, and a key that no URL could hold as a member', () => {
    const whole = 'rtmp://h.example/app/inst/key1';
    expect(showStreamConfig(stored(whole), 'input')).toEqual({ type: 1, url: whole, 'enable-auth': false });
    const apart = read({ url: 'rtmp://h.example/app', key: 'mp4:a/b' });
    const shown = showStreamConfig(apart, 'input');
    expect(shown).toEqual({ type: 1, url: 'rtmp://h.example/app', key: 'mp4:a/b', 'enable-auth': false });
    expect(read(shown)).toEqual(apart);
    expect(read({ type: 1, url: shown.url }, apart)).toEqual(apart);
    const twice = read({ url: 'rtmp://h.example/app/inst', key: 'mp4:a/b' });
    expect(read({ type: 1, url: 'rtmp://h.example/app/inst' }, twice)).toEqual(twice);
  });

  test('keep secrets, which they do not contain', () => {
    const kept = stored('srt://h.example:9000?mode=caller&latency=125&passphrase=hidden-phrase');
    const { url } = showStreamConfig(kept, 'input');
    expect(url).not.toContain('hidden');
    expect(read({ type: 1, url }, kept)).toEqual(kept);
    const camera = stored('rtsp://me:hidden-word@h.example/1?mw-tcp-first=1');
    expect(read({ type: 1, url: showStreamConfig(camera, 'input').url }, camera)).toEqual(camera);
  });
});

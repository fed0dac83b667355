import { expect, test } from 'bun:test';
import { addressParts, shownAddress } from './shown-address.ts';

const srt = { mode: 'caller', host: 'a', port: 1, latency: 120, 'passphrase-set': false } as const;

test('a list shows bullets in place of a stream id and of a query', () => {
  const called = { url: 'srt://a:1?mode=caller&latency=120&streamid=hidden&pbkeylen=16', srt };
  expect(shownAddress(called)).toBe('srt://a:1?mode=caller&latency=120&streamid=••••••&pbkeylen=16');
  expect(shownAddress({ url: 'https://a/live.ts?token=hidden&x=1' })).toBe('https://a/live.ts?••••••');
  expect(shownAddress({ url: 'rtsp://a/stage?token=hidden' })).toBe('rtsp://a/stage?••••••');
});

test('an address without a secret is shown unchanged', () => {
  for (const url of ['udp://239.1.2.3:5000?ttl=1', 'rtmp://a/live', 'rtsp://0.0.0.0:8554/stage', 'http://a/live.ts']) {
    expect(shownAddress({ url })).toBe(url);
  }
  expect(shownAddress({ url: 'srt://a:1?mode=caller&latency=120', srt })).toBe('srt://a:1?mode=caller&latency=120');
});

test('the name of an NDI source is shown as people write it', () => {
  const url = 'ndi://STUDIO-A%20(Camera%201)?bandwidth=low';
  expect(shownAddress({ url })).toBe('ndi://STUDIO-A (Camera 1)?bandwidth=low');
  expect(shownAddress({ url: 'ndi://100%' })).toBe('ndi://100%');
});

test('an address is shown without the key of an RTMP input and without options that have fields of their own', () => {
  const whole = { type: 1, url: 'rtmp://a/live/inst/hidden?token=/hidden&mw-buffer-duration=80' } as const;
  expect(shownAddress(whole)).toBe('rtmp://a/live/inst');
  expect(addressParts(whole)).toEqual({ url: 'rtmp://a/live/inst', key: 'hidden?token=/hidden' });
  const apart = { type: 1, url: 'rtmp://a/live/inst', key: 'x/y' } as const;
  expect(addressParts(apart)).toEqual({ url: 'rtmp://a/live/inst', key: 'x/y' });
  expect(addressParts({ url: apart.url, 'key-set': true })).toEqual({ url: apart.url, key: '' });
  expect(shownAddress({ type: 1, url: 'udp://239.1.2.3:5000?ttl=1&mw-program=3' })).toBe('udp://239.1.2.3:5000?ttl=1');
  expect(shownAddress({ type: 1, url: 'rtsp://a/stage?mw-tcp-first=1' })).toBe('rtsp://a/stage');
});

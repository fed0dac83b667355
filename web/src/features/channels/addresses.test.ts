import { expect, test } from 'bun:test';
import { masked, rtmpAddress, srtAddress, webAddresses } from './addresses.ts';

const hub = { host: 'hub.example', rtmpPort: 1935, srtPort: 8000, hlsPort: 8080 };

test('the default RTMP port is omitted from the address', () => {
  expect(rtmpAddress(hub, 'PUSH-1').url).toBe('rtmp://hub.example/live/PUSH-1');
  expect(rtmpAddress({ ...hub, rtmpPort: 2935 }, 'PUSH-1').server).toBe('rtmp://hub.example:2935/live');
});

test('an SRT address contains the key as stream id', () => {
  expect(srtAddress(hub, 'PULL-1').url).toBe('srt://hub.example:8000?streamid=PULL-1');
  expect(srtAddress(hub, 'a+b').url).toBe('srt://hub.example:8000?streamid=a%2Bb');
});

test('browsers and devices without RTMP get a web address', () => {
  expect(webAddresses(hub, 'PULL-1').hls).toBe('http://hub.example:8080/live/PULL-1/index.m3u8');
  expect(webAddresses(hub, 'a+b').lowLatency).toBe('http://hub.example:8080/live/a%2Bb/low.m3u8');
  expect(webAddresses(hub, 'a+b').ts).toBe('http://hub.example:8080/live/a%2Bb.ts');
});

test('a masked address shows neither the key nor its length', () => {
  expect(masked(rtmpAddress(hub, 'secret').url, 'secret')).toBe('rtmp://hub.example/live/••••••••');
  expect(masked(srtAddress(hub, 'a+b').url, 'a+b')).toBe('srt://hub.example:8000?streamid=••••••••');
});

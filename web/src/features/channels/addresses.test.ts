import { expect, test } from 'bun:test';
import { masked, rtmpAddress, srtAddress } from './addresses.ts';

const hub = { host: 'hub.example', rtmpPort: 1935, srtPort: 8000 };

test('the usual RTMP port is left out of the address', () => {
  expect(rtmpAddress(hub, 'PUSH-1').url).toBe('rtmp://hub.example/live/PUSH-1');
  expect(rtmpAddress({ ...hub, rtmpPort: 2935 }, 'PUSH-1').server).toBe('rtmp://hub.example:2935/live');
});

test('an SRT address carries the key as stream id', () => {
  expect(srtAddress(hub, 'PULL-1').url).toBe('srt://hub.example:8000?streamid=PULL-1');
  expect(srtAddress(hub, 'a+b').url).toBe('srt://hub.example:8000?streamid=a%2Bb');
});

test('a masked address shows neither the key nor its length', () => {
  expect(masked(rtmpAddress(hub, 'secret').url, 'secret')).toBe('rtmp://hub.example/live/••••••••');
  expect(masked(srtAddress(hub, 'a+b').url, 'a+b')).toBe('srt://hub.example:8000?streamid=••••••••');
});

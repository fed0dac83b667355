import { expect, test } from 'bun:test';
import { RtmpTarget } from '../../../../daemon/contract/stream-fields.ts';
import { liveServices, serviceOf } from './services.ts';

test('every service has a page for its key, a name in both languages, and servers that an output accepts', () => {
  for (const { id, name, keyPage, servers } of liveServices) {
    expect(URL.parse(keyPage)?.protocol, id).toBe('https:');
    for (const named of [{ name }, ...servers]) expect(named.name.en !== '' && named.name.zh !== '', id).toBe(true);
    for (const { url } of servers) {
      expect(RtmpTarget.safeParse({ url, key: 'k' }).success, url).toBe(true);
      expect(serviceOf(url)?.id).toBe(id);
    }
  }
  expect(new Set(liveServices.map(({ id }) => id)).size).toBe(liveServices.length);
});

test('a server is recognized with and without a slash at its end; another one belongs to no service', () => {
  expect(serviceOf('rtmps://live-api-s.facebook.com:443/rtmp')?.id).toBe('facebook');
  expect(serviceOf('rtmp://a.rtmp.youtube.com/live2/')?.id).toBe('youtube');
  expect(serviceOf('rtmp://live.example/app')).toBeUndefined();
  expect(serviceOf('')).toBeUndefined();
});

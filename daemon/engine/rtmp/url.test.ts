import { describe, expect, test } from 'bun:test';
import { parseRtmpUrl, type RtmpTarget, tcUrl } from './url.ts';

const parsed = (url: string, key = ''): RtmpTarget => {
  const target = parseRtmpUrl(url, key);
  if (!target) throw new Error(`not parsed: ${url}`);
  return target;
};

describe('an RTMP address', () => {
  test('with a separate key keeps its whole path as application', () => {
    expect(parsed('rtmp://a.example.org/app/instance', 'secret')).toEqual({
      isSecure: false,
      host: 'a.example.org',
      port: 1935,
      app: 'app/instance',
      key: 'secret',
      username: '',
      password: '',
    });
  });

  test('without a key uses the last segment, with its query', () => {
    expect(parsed('rtmps://a.example.org:1444/live/abc?sign=1')).toMatchObject({
      isSecure: true,
      port: 1444,
      app: 'live',
      key: 'abc?sign=1',
    });
    expect(parsed('rtmps://a.example.org/live/', 'k').port).toBe(443);
  });

  test('with a query and a separate key leaves the query to the application', () => {
    expect(parsed('rtmp://host/live?vhost=x', 'k').app).toBe('live?vhost=x');
  });

  test('may contain user and password', () => {
    expect(parsed('rtmp://us%40er:p%3Aw@host/live', 'k')).toMatchObject({ username: 'us@er', password: 'p:w' });
  });

  test('may contain an IPv6 address', () => {
    const target = parsed('rtmp://[2001:db8::1]:1936/live', 'k');
    expect(target.host).toBe('2001:db8::1');
    expect(tcUrl(target, { withCredentials: false })).toBe('rtmp://[2001:db8::1]:1936/live');
  });

  test('with another scheme is refused', () => {
    for (const url of ['', 'nonsense', 'http://host/live', 'rtmp://', 'rtmp:///live', 'rtmp://host', 'rtmp://host/']) {
      expect(parseRtmpUrl(url, 'k')).toBeUndefined();
    }
    expect(parseRtmpUrl('rtmp://host/live', '')).toBeUndefined();
  });
});

test('the tcUrl has no default port, and credentials only on request', () => {
  const target = parsed('rtmp://user:p%2Fw@host:1935/live', 'k');
  expect(tcUrl(target, { withCredentials: false })).toBe('rtmp://host/live');
  expect(tcUrl(target, { withCredentials: true })).toBe('rtmp://user:p%2Fw@host/live');
});

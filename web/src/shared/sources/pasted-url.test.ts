import { expect, test } from 'bun:test';
import { readPastedUrl } from './pasted-url.ts';

const inputs = ['srt', 'rtmp', 'rtsp', 'http', 'udp', 'rtp'] as const;
const read = (text: string) => readPastedUrl(text, inputs);

test('an SRT URL fills in host, port, stream ID, latency and passphrase', () => {
  expect(read('srt://10.0.0.5:9000?streamid=abc%2Fd&latency=200')).toEqual({
    ...{ protocol: 'srt', srtMode: 'caller', srtHost: '10.0.0.5', srtPort: '9000' },
    ...{ srtStreamId: 'abc/d', srtLatency: '200' },
  });
  // As FFmpeg and OBS write it.
  expect(read('srt://hub.example:9000?latency=120000')).toMatchObject({ srtLatency: '120' });
  expect(read('srt://[2001:db8::5]:80?passphrase=long+enough&pbkeylen=32')).toMatchObject({
    ...{ srtHost: '2001:db8::5', srtPort: '80', srtPassphrase: 'long enough', srtKeyLength: '32' },
  });
  expect(read('srt://0.0.0.0:9000?mode=listener')).toMatchObject({ srtMode: 'listener' });
});

test('an RTMP URL is split into server and key', () => {
  expect(read('rtmp://a.example/live2/key-1?backup=1')).toEqual({
    ...{ protocol: 'rtmp', rtmpUrl: 'rtmp://a.example/live2', rtmpKey: 'key-1?backup=1' },
  });
  expect(read('rtmps://live.example:443/rtmp/')).toEqual({
    protocol: 'rtmp',
    rtmpUrl: 'rtmps://live.example:443/rtmp/',
  });
  expect(read('rtmp://ann:p%40ss@a.example/app/key')).toMatchObject({
    ...{ rtmpUrl: 'rtmp://a.example/app', rtmpAuth: true, rtmpUser: 'ann', rtmpPassword: 'p@ss' },
  });
});

test('datagrams, cameras and web streams are recognized', () => {
  expect(read('udp://@239.1.1.1:5000?ttl=4')).toEqual({
    ...{ protocol: 'udp', udpHost: '239.1.1.1', udpPort: '5000', udpTtl: '4' },
  });
  expect(read('rtp://239.1.1.1:5004')).toEqual({ protocol: 'rtp', udpHost: '239.1.1.1', udpPort: '5004' });
  expect(read('rtsp://admin:secret@10.0.0.9/stream1')).toEqual({
    ...{ protocol: 'rtsp', pullUrl: 'rtsp://10.0.0.9/stream1' },
    ...{ pullAuth: true, pullUser: 'admin', pullPassword: 'secret' },
  });
  expect(read('https://origin.example/live/index.m3u8?t=1')).toEqual({
    ...{ protocol: 'http', pullUrl: 'https://origin.example/live/index.m3u8?t=1' },
  });
});

test('other text, and a protocol that the form does not offer, is pasted as it is', () => {
  for (const text of ['10.0.0.5', 'ftp://a.example', 'srt://', 'srt://a b:1', 'see srt://a:1']) {
    expect(read(text), text).toBeUndefined();
  }
  expect(readPastedUrl('rtsp://camera.example/1', ['rtmp', 'srt'])).toBeUndefined();
});

import { expect, test } from 'bun:test';
import { RtspError } from './message.ts';
import { parseSdp } from './sdp.ts';

const text = [
  'v=0',
  'o=- 1 1 IN IP4 10.0.0.9',
  's=Camera',
  'c=IN IP4 0.0.0.0',
  'a=control:*',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  'a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0I=,aM4=',
  'a=control:trackID=1',
  'm=audio 0 RTP/AVP 8 97',
  'a=control:rtsp://other/audio',
  'm=application 0 RTP/AVP 107',
  'a=rtpmap:107 vnd.onvif.metadata/90000',
  'm=video 0 RTP/AVP 33',
].join('\r\n');

test('a description lists its media, their codecs and their control addresses', () => {
  const sdp = parseSdp(text, 'rtsp://cam/stream?channel=1');
  expect(sdp.control).toBe('rtsp://cam/stream?channel=1');
  expect(sdp.media.map(({ kind, encoding, clockRate, control }) => [kind, encoding, clockRate, control])).toEqual([
    ['video', 'H264', 90_000, 'rtsp://cam/stream?channel=1/trackID=1'],
    ['audio', '', 0, 'rtsp://other/audio'],
    ['video', 'MP2T', 90_000, 'rtsp://cam/stream?channel=1'],
  ]);
  const sound = 'm=audio 0 RTP/AVP 97\na=rtpmap:97 MPEG4-GENERIC/48000/2\nm=audio 0 RTP/AVP 98\na=rtpmap:98 L16/many';
  expect(parseSdp(sound, 'rtsp://cam/').media.map(({ clockRate }) => clockRate)).toEqual([48_000, 0]);
});

test('a base that ends with a slash gets no second one', () => {
  expect(parseSdp(text, 'rtsp://cam/stream/').media[0]?.control).toBe('rtsp://cam/stream/trackID=1');
});

test('a description lists payload type and parameters, whose values may contain equals signs', () => {
  const [video] = parseSdp(text, 'rtsp://cam/').media;
  expect(video?.payloadType).toBe(96);
  expect([...(video?.parameters ?? [])]).toEqual([
    ['packetization-mode', '1'],
    ['sprop-parameter-sets', 'Z0I=,aM4='],
  ]);
});

test('a control character, which other parsers may take for the end of a line, is refused', () => {
  for (const hidden of ['\r', '\0', '\v', '\f', '\u007f']) {
    const line = `a=x:1${hidden}a=control:rtsp://10.0.0.1/hidden`;
    expect(() => parseSdp(`v=0\r\n${line}\r\nm=video 0 RTP/AVP 33\r\n`, 'rtsp://cam/')).toThrow(RtspError);
  }
  expect(parseSdp('v=0\r\ns=a\tb\r\nm=video 0 RTP/AVP 33\n', 'rtsp://cam/').media).toHaveLength(1);
});

test('an invalid description has no media', () => {
  expect(parseSdp('', 'rtsp://x').media).toEqual([]);
  expect(parseSdp('m=video\r\nm=audio x RTP/AVP', 'rtsp://x').media).toEqual([]);
});

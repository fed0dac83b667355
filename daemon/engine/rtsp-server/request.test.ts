import { describe, expect, test } from 'bun:test';
import { RtspError, type RtspMessage, RtspReader } from '../rtsp/message.ts';
import { readRequest, readTransport } from './request.ts';

function message(startLine: string, headers: Record<string, string> = {}): RtspMessage {
  return { startLine, headers: new Map(Object.entries(headers)), body: Buffer.alloc(0) };
}
const read = (uri: string, headers?: Record<string, string>) => readRequest(message(`SETUP ${uri} RTSP/1.0`, headers));

describe('a request', () => {
  test.each([
    ['rtsp://hub/key', 'key', undefined],
    ['rtsp://hub:8554/key/', 'key', undefined],
    ['rtsp://[::1]:554/key/trackID=1', 'key', 1],
    ['RTSP://hub/key/trackID=0/', 'key', 0],
    ['rtsp://me:secret@hub/a%5Bb%5D?x=1#y', 'a[b]', undefined],
    ['rtsp://hub', '', undefined],
    ['rtsp://hub/%zz', undefined, undefined],
    ['*', undefined, undefined],
    ['/key', undefined, undefined],
  ])('to %s', (uri, path, track) => {
    expect(read(uri)).toMatchObject({ method: 'SETUP', uri });
    expect(read(uri)?.path).toBe(path);
    expect(read(uri)?.track).toBe(track);
  });

  test('identifies its session without the timeout', () => {
    expect(read('*', { session: 'abc;timeout=60' })?.session).toBe('abc');
    expect(read('*')?.session).toBeUndefined();
  });

  test('is refused when it is malformed', () => {
    for (const line of [
      'RTSP/1.0 200 OK',
      'PLAY',
      'PLAY * HTTP/1.1',
      'play * RTSP/1.0',
      `PLAY ${'a'.repeat(1025)} RTSP/1.0`,
    ]) {
      expect(readRequest(message(line))).toBeUndefined();
    }
  });
});

describe('a transport', () => {
  test.each([
    ['RTP/AVP/TCP;unicast;interleaved=2-3', { kind: 'tcp', channel: 2 }],
    ['RTP/AVP/TCP', { kind: 'tcp', channel: undefined }],
    ['RTP/AVP;unicast;client_port=5000-5001;mode="PLAY"', { kind: 'udp', port: 5000 }],
    ['rtp/avp/udp; Unicast; Client_Port=5000', { kind: 'udp', port: 5000 }],
    ['RTP/AVP;multicast, RTP/SAVP;client_port=1-2, RTP/AVP/TCP;interleaved=0-1', { kind: 'tcp', channel: 0 }],
  ] as const)('%s is accepted', (header, transport) => {
    expect(readTransport(header)).toEqual(transport);
  });

  test.each([
    '',
    'RTP/AVP',
    'RTP/AVP;multicast;client_port=5000-5001',
    'RTP/AVP;client_port=0-1',
    'RTP/AVP;client_port=65535-65536',
    'RTP/AVP;client_port=5000-5003',
    'RTP/AVP;client_port=five',
    'RTP/AVP/TCP;interleaved=255-256',
    'RTP/AVP/TCP;interleaved=x',
    'RTP/AVP;client_port=5000-5001;mode=record',
    `${'RTP/SAVP,'.repeat(8)}RTP/AVP/TCP`,
  ])('%p is refused', (header) => {
    expect(readTransport(header)).toBeUndefined();
  });
});

/** Park and Miller's generator: the same bytes in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test('any input is read or refused, and buffers stay small', () => {
  const next = seeded(7);
  const good = [
    'SETUP rtsp://hub/key/trackID=0 RTSP/1.0\r\nCSeq: 3\r\nTransport: RTP/AVP;client_port=5000-5001\r\n\r\n',
    'SET_PARAMETER * RTSP/1.0\r\nCSeq: 4\r\nContent-Length: 5\r\n\r\nabcde',
    '$\u0001\u0000\u0004abcd',
  ].join('');
  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(good.repeat(3), 'latin1');
    for (let i = next(6); i > 0; i--) bytes[next(bytes.length)] = next(256);
    let heard = 0;
    const reader = new RtspReader({
      message(one) {
        heard += one.startLine.length + one.body.length;
        const request = readRequest(one);
        if (request) readTransport(request.header('transport') ?? '');
      },
      packet: (_, payload) => {
        heard += payload.length;
      },
    });
    try {
      for (let at = 0; at < bytes.length; ) {
        const until = at + 1 + next(90);
        reader.feed(bytes.subarray(at, until));
        at = until;
      }
    } catch (error) {
      expect(error).toBeInstanceOf(RtspError);
    }
    expect(heard).toBeLessThanOrEqual(bytes.length);
  }
});

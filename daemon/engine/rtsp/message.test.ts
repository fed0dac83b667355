import { describe, expect, test } from 'bun:test';
import { encodeMessage, encodePacket, RtspError, type RtspMessage, RtspReader } from './message.ts';

function reader(maxStray = 0) {
  const messages: RtspMessage[] = [];
  const packets: { channel: number; text: string }[] = [];
  const rtsp = new RtspReader(
    {
      message: (message) => messages.push(message),
      packet: (channel, payload) => packets.push({ channel, text: Buffer.from(payload).toString() }),
    },
    maxStray,
  );
  return { rtsp, messages, packets };
}

describe('a reader', () => {
  const wire = Buffer.concat([
    encodeMessage('RTSP/1.0 200 OK', { CSeq: '2' }, 'v=0\r\n'),
    encodePacket(3, Buffer.from('packet')),
    Buffer.from('\r\n'),
    encodeMessage('OPTIONS rtsp://a/ RTSP/1.0', { CSeq: '1' }),
    encodePacket(0, Buffer.alloc(0)),
  ]);

  test('finds messages and packets, however the bytes are cut', () => {
    for (const size of [1, 3, 17, wire.length]) {
      const { rtsp, messages, packets } = reader();
      for (let at = 0; at < wire.length; at += size) rtsp.feed(wire.subarray(at, at + size));
      expect(messages.map(({ startLine, body }) => [startLine, body.toString()])).toEqual([
        ['RTSP/1.0 200 OK', 'v=0\r\n'],
        ['OPTIONS rtsp://a/ RTSP/1.0', ''],
      ]);
      expect(packets).toEqual([
        { channel: 3, text: 'packet' },
        { channel: 0, text: '' },
      ]);
    }
  });

  test('skips a given number of bytes between messages and packets, however they are cut', () => {
    const stray = Buffer.from('\u0000xX9Z$'.slice(0, 5), 'latin1');
    const padded = Buffer.concat([
      encodePacket(3, Buffer.from('one')),
      stray,
      encodePacket(3, Buffer.from('two')),
      stray,
      wire,
    ]);
    for (const size of [1, 3, padded.length]) {
      const { rtsp, messages, packets } = reader(10);
      for (let at = 0; at < padded.length; at += size) rtsp.feed(padded.subarray(at, at + size));
      expect(packets.map(({ text }) => text)).toEqual(['one', 'two', 'packet', '']);
      expect(messages).toHaveLength(2);
    }
    expect(() =>
      reader(4).rtsp.feed(Buffer.concat([encodePacket(0, Buffer.alloc(0)), stray, Buffer.from('\r\n\r\n')])),
    ).toThrow(RtspError);
  });

  test('reads header names in any case, and joins repeated headers', () => {
    const { rtsp, messages } = reader();
    rtsp.feed(Buffer.from('RTSP/1.0 401 No\r\nwww-authenticate: Basic\r\nWWW-Authenticate:Digest\r\n\r\n'));
    expect(messages[0]?.headers.get('www-authenticate')).toBe('Basic, Digest');
  });

  test('refuses control characters in a header, which other parsers may take for the end of a line', () => {
    for (const hidden of ['\r', '\n', '\0']) {
      const text = `RTSP/1.0 200 OK\r\nRTP-Info: url=x;seq=1${hidden}Location: rtsp://10.0.0.1/\r\n\r\n`;
      expect(() => reader().rtsp.feed(Buffer.from(text))).toThrow('control characters');
    }
  });

  test('refuses data that is not RTSP, and messages without an end', () => {
    expect(() => reader().rtsp.feed(Buffer.from('HTTP/1.1 400 Bad\r\n\r\n'))).toThrow(RtspError);
    expect(() => reader().rtsp.feed(Buffer.alloc(20_000, 'a'))).toThrow('without an end');
    expect(() => reader().rtsp.feed(Buffer.from('RTSP/1.0 200 OK\r\nContent-Length: 9999999\r\n\r\n'))).toThrow(
      'too large',
    );
    for (const length of ['-1', '1.5', '0x10', '1e3', '']) {
      const text = `RTSP/1.0 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
      expect(() => reader().rtsp.feed(Buffer.from(text))).toThrow(RtspError);
    }
  });
});

/** RTSP messages, session descriptions, requests and RTP packets, from players and from servers that the hub pulls. */

import { encodePacket, RtspReader } from '../../../daemon/engine/rtsp/message.ts';
import { Reception } from '../../../daemon/engine/rtsp/reception.ts';
import { parseSdp } from '../../../daemon/engine/rtsp/sdp.ts';
import { readRequest, readTransport } from '../../../daemon/engine/rtsp-server/request.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
/** The largest socket read. */
const readBytes = 64 << 10;
const headerBytes = 16 << 10;
const bodyBytes = 64 << 10;

function message(input: string, chunks: () => readonly Uint8Array[]): WorstCase {
  return {
    parser: 'RTSP message',
    input,
    prepare() {
      const reader = new RtspReader({ message: (one) => readRequest(one), packet: () => {} });
      const all = chunks();
      const last = all.at(-1) ?? Buffer.alloc(0);
      // Earlier chunks are not part of the measured step.
      for (const chunk of all.slice(0, -1)) reader.feed(chunk);
      return tolerant(() => reader.feed(last));
    },
  };
}

const request = (uri: string) => ({
  startLine: `SETUP ${uri} RTSP/1.0`,
  headers: new Map<string, string>(),
  body: Buffer.alloc(0),
});
const uriCase = (input: string, uri: string): WorstCase => ({
  parser: 'RTSP address',
  input,
  prepare: () => () => readRequest(request(uri)),
});
const sdpCase = (input: string, text: string): WorstCase => ({
  parser: 'SDP',
  input,
  prepare: () => tolerant(() => parseSdp(text, 'rtsp://198.51.100.7/stream')),
});

/** RTP packets of 16 bytes whose sequence numbers increase by `step`. */
function reception(input: string, step: number, count: number): WorstCase {
  return {
    parser: 'RTP reception',
    input,
    prepare() {
      const received = new Reception([90_000], 200);
      const packets = Array.from({ length: count }, (_, i) => {
        const packet = Buffer.alloc(16);
        packet[0] = 0x80;
        packet.writeUInt16BE((i * step) & 0xffff, 2);
        return packet;
      });
      return () => {
        for (const packet of packets) received.packet(0, packet, 0);
        return received.report(1000);
      };
    },
  };
}

const head = (bytes: number, rest: string) => Buffer.from(`OPTIONS * RTSP/1.0\r\n${fill(rest, bytes - 24)}\r\n\r\n`);
const bare = (text: string) => Buffer.from(text);

export const rtspCases: readonly WorstCase[] = [
  message('a header without an end', () => [bare(`OPTIONS * RTSP/1.0\r\n${fill('a', readBytes)}`)]),
  message('one name many times', () => [head(headerBytes, 'a:b\r\n')]),
  message('many names', () => [head(headerBytes, 'ab:\r\n')]),
  message('a read of small requests', () => [bare(fill('OPTIONS * RTSP/1.0\r\n\r\n', readBytes))]),
  message('a read of empty lines', () => [bare(fill('\r\n', readBytes))]),
  message('a read of empty packets', () => [bare(fill('$\0\0\0', readBytes))]),
  message('a read of small packets', () => [Buffer.concat(Array(readBytes >> 3).fill(encodePacket(0, Buffer.of(1))))]),
  message('the last byte of a body', () => [
    Buffer.from(`OPTIONS * RTSP/1.0\r\ncontent-length: ${bodyBytes}\r\n${fill('a:b\r\n', 12_000)}\r\n`),
    Buffer.alloc(bodyBytes - 1, 'x'),
    Buffer.of(1),
  ]),
  message('spaces in the request line', () => [bare(`OPTIONS ${fill(' ', headerBytes - 20)}\r\n\r\n`)]),
  message('a long method', () => [bare(`${fill('A', headerBytes - 20)}\r\n\r\n`)]),
  message('a long address', () => [bare(`OPTIONS ${fill('a', headerBytes - 20)} RTSX\r\n\r\n`)]),
  uriCase('slashes', `rtsp://h/${fill('/', 1000)}a`),
  uriCase('tracks', `rtsp://h/${fill('/trackID=1', 1000)}a`),
  uriCase('percent escapes', `rtsp://h/${fill('%41', 1000)}`),
  {
    parser: 'RTSP Transport header',
    input: 'semicolons and commas',
    prepare: () => () => [readTransport(fill(';', headerBytes)), readTransport(fill(',', headerBytes))],
  },
  sdpCase('media', fill('m=video 0 RTP/AVP 96\r\n', bodyBytes)),
  sdpCase('attribute lines of one medium', `m=video 0 RTP/AVP 96\r\n${fill('a=rtpmap:97 X\r\n', bodyBytes)}`),
  sdpCase('digits', fill(`m=video ${'1'.repeat(60_000)}/`, bodyBytes)),
  sdpCase('spaces', `m=video 0 RTP/AVP 9${fill(' ', bodyBytes)}x`),
  sdpCase('carriage returns', fill('\r', bodyBytes)),
  sdpCase('line ends', fill('\n', bodyBytes)),
  // An interleaved packet has at least 4 bytes of framing and 12 of RTP.
  reception('sequence jumps of 2999', 2999, readBytes / 16),
  reception('sequence jumps of 3001', 3001, readBytes / 16),
  reception('every other packet', 2, readBytes / 16),
  reception('descending sequence numbers', 0xffff, readBytes / 16),
];

import { afterEach, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { encodeMessage, encodePacket, RtspReader } from './message.ts';
import { pullRtsp } from './pull.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const sdp = 'v=0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:v\r\n';
const answers: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string]>> = {
  OPTIONS: [{}, ''],
  DESCRIBE: [{}, sdp],
  SETUP: [{ Session: 'a', Transport: 'RTP/AVP/TCP;interleaved=0-1' }, ''],
};
/** A fragment from the middle of a picture, with its own sequence number. */
const pieceOf = (sequence: number) =>
  encodePacket(0, Buffer.concat([Buffer.from([0x80, 96, sequence >> 8, sequence & 0xff]), Buffer.alloc(8), middle]));
const middle = Buffer.concat([Buffer.from([0x7c, 0x05]), Buffer.alloc(1386)]);
/** 64 MB, all of one picture: far more than the limit of a picture. */
const maxPackets = 48_000;

/** Sends media as fast as the client reads it when PLAY arrives, and never answers PLAY. */
function serveWithoutEnd() {
  let sent = 0;
  let rest: Buffer = Buffer.alloc(0);
  const flood = (socket: Socket<RtspReader>) => {
    for (;;) {
      const written = Math.max(0, socket.write(rest));
      rest = rest.subarray(written);
      if (rest.length > 0 || sent >= maxPackets) return;
      rest = pieceOf(sent++ & 0xffff);
    }
  };
  const listener = Bun.listen<RtspReader>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = new RtspReader({
          packet: () => {},
          message({ startLine, headers }) {
            const [method = ''] = startLine.split(' ');
            const [more, body] = answers[method] ?? [];
            if (more)
              socket.write(encodeMessage('RTSP/1.0 200 OK', { CSeq: headers.get('cseq') ?? '', ...more }, body));
            if (method === 'PLAY') flood(socket);
          },
        });
      },
      data: (socket, bytes) => socket.data.feed(bytes),
      drain: flood,
      error: () => {},
    },
  });
  cleanups.push(() => listener.stop(true));
  return `rtsp://127.0.0.1:${listener.port}/cam`;
}

test('a server that keeps sending and never answers PLAY ends the pull in time', async () => {
  const pulling = pullRtsp({
    outgoing: toLoopback,
    ...{ url: serveWithoutEnd(), username: '', password: '', tcpFirst: true, bufferMs: 200 },
    signal: new AbortController().signal,
    onConnected: () => expect.unreachable(),
    onBytes: () => expect.unreachable(),
  });
  await expect(pulling).rejects.toThrow('no answer to PLAY in 5 s');
}, 20_000);

import { describe, expect, test } from 'bun:test';
import { createHmac, randomBytes } from 'node:crypto';
import { ClientHandshake, findDigest, ServerHandshake } from './handshake.ts';
import { ProtocolError } from './protocol.ts';

const packetBytes = 1536;
const playerKey = Buffer.from('Genuine Adobe Flash Player 001');
const serverKey = Buffer.from('Genuine Adobe Flash Media Server 001');

/** C1 of a client that signs it, in one of the two layouts. */
function signedHello(layout: number): Buffer {
  const packet = randomBytes(packetBytes);
  packet.writeUInt32BE(0, 0);
  packet.writeUInt32BE(0x09007c02, 4);
  const sum = [...packet.subarray(layout, layout + 4)].reduce((total, byte) => total + byte, 0);
  const at = (sum % 728) + layout + 4;
  const rest = Buffer.concat([packet.subarray(0, at), packet.subarray(at + 32)]);
  createHmac('sha256', playerKey).update(rest).digest().copy(packet, at);
  return Buffer.concat([Buffer.of(3), packet]);
}

describe('a server', () => {
  test('completes the handshake with a client, however the bytes are cut', () => {
    for (const cut of [1, 700, 1536, 1537, 5000]) {
      const server = new ServerHandshake();
      const client = new ClientHandshake();
      let toServer = Buffer.from(client.hello());
      let toClient = Buffer.alloc(0);
      let isServerDone = false;
      let isClientDone = false;
      while (toServer.length > 0 || toClient.length > 0) {
        const up = server.feed(toServer.subarray(0, cut));
        toServer = toServer.subarray(Math.min(cut, toServer.length));
        toClient = Buffer.concat([toClient, up.reply ?? Buffer.alloc(0)]);
        const down = client.feed(toClient.subarray(0, cut));
        toClient = toClient.subarray(Math.min(cut, toClient.length));
        toServer = Buffer.concat([toServer, down.reply ?? Buffer.alloc(0)]);
        isServerDone ||= up.isDone;
        isClientDone ||= down.isDone;
      }
      expect([isServerDone, isClientDone]).toEqual([true, true]);
    }
  });

  test('leaves the data after the handshake unread', () => {
    const server = new ServerHandshake();
    const client = new ClientHandshake();
    const { reply = new Uint8Array(0) } = server.feed(client.hello());
    const { reply: echo = new Uint8Array(0) } = client.feed(reply);
    expect(server.feed(Buffer.concat([echo, Buffer.from('more')]))).toEqual({ used: packetBytes, isDone: true });
  });

  test('echoes a plain client', () => {
    const hello = new ClientHandshake().hello();
    const { reply = new Uint8Array(0) } = new ServerHandshake().feed(hello);
    expect(Buffer.from(reply.subarray(1 + packetBytes))).toEqual(Buffer.from(hello.subarray(1)));
    expect(Buffer.from(reply.subarray(5, 9))).toEqual(Buffer.alloc(4));
  });

  test.each([772, 8])('signs its answer for a client that signs in layout %p', (layout) => {
    const hello = signedHello(layout);
    const clientDigest = findDigest(hello.subarray(1), playerKey)?.digest ?? Buffer.alloc(0);
    const reply = Buffer.from(new ServerHandshake().feed(hello).reply ?? new Uint8Array(0));
    const [s1, s2] = [reply.subarray(1, 1 + packetBytes), reply.subarray(1 + packetBytes)];
    expect(findDigest(s1, serverKey)).toMatchObject({ layout });
    const shared = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex');
    const key = createHmac('sha256', Buffer.concat([serverKey, shared]))
      .update(clientDigest)
      .digest();
    const signature = createHmac('sha256', key).update(s2.subarray(0, -32)).digest();
    expect(s2.subarray(-32)).toEqual(signature);
  });

  test('treats a client with a version but no valid digest as a plain one', () => {
    const hello = signedHello(8);
    hello[900] = (hello[900] ?? 0) ^ 1;
    const { reply = new Uint8Array(0) } = new ServerHandshake().feed(hello);
    expect(Buffer.from(reply.subarray(1 + packetBytes))).toEqual(Buffer.from(hello.subarray(1)));
  });

  test('reports other protocols on its port, at the first byte', () => {
    const first = (byte: number) => () => new ServerHandshake().feed(Uint8Array.of(byte));
    expect(first(0x47)).toThrow('not RTMP: HTTP or other text');
    expect(first(0x16)).toThrow('not RTMP: TLS');
    expect(first(0x06)).toThrow('RTMPE');
    expect(first(0xff)).toThrow('first byte 0xff');
    expect(first(0xff)).toThrow(ProtocolError);
  });
});

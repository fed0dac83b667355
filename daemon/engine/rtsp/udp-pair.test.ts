import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { until } from '../../../tests/support/until.ts';
import { openUdpPair } from './udp-pair.ts';

test('packets are accepted from the server and from another address that it named, and from no other sender', async () => {
  const pair = (await openUdpPair('127.0.0.1', '127.0.0.1'))!;
  const heard: string[] = [];
  pair.onPacket = (_, payload) => heard.push(Buffer.from(payload).toString());
  pair.allow('127.0.0.3');
  const sockets = ['127.0.0.2', '127.0.0.3', '127.0.0.1'].map((from) => {
    const socket = createSocket('udp4');
    socket.bind(0, from, () => socket.send(`of ${from}`, pair.rtpPort, '127.0.0.1'));
    return socket;
  });
  try {
    await until(() => heard.length === 2, 5000, 'both are heard');
    expect(heard.toSorted()).toEqual(['of 127.0.0.1', 'of 127.0.0.3']);
  } finally {
    for (const socket of [...sockets, pair]) socket.close();
  }
});

test('the ports of a session are open only on the address that the server answers to', async () => {
  const pair = await openUdpPair('127.0.0.1', '127.0.0.1');
  const elsewhere = createSocket('udp4');
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    elsewhere.once('error', reject);
    elsewhere.bind(pair?.rtpPort, '127.0.0.2', resolve);
    await promise;
    expect(elsewhere.address().address).toBe('127.0.0.2');
  } finally {
    elsewhere.close();
    pair?.close();
  }
});

import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { openUdpPair } from './udp-pair.ts';

test('the ports of a session are open on the address that the server answers to alone', async () => {
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

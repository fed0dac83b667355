import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { addressRanges } from '../lib/address-ranges.ts';
import { listen } from './listener.ts';

/** Sends the requests at once; resolves to what arrives until the server ends the connection, or has answered them all. */
async function pipelined(port: number, count: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let seen = '';
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (data) => {
    seen += data;
    if (answersIn(seen) === count) socket.end();
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(seen));
  socket.write('GET / HTTP/1.1\r\nHost: hub\r\n\r\n'.repeat(count));
  return promise;
}
const answersIn = (text: string) => text.split('HTTP/1.1 200').length - 1;

test('a connection that sends many requests without waiting is ended before they are handled', async () => {
  let handled = 0;
  const answer = async () => {
    handled++;
    return new Response('hello');
  };
  const listener = listen({ host: '127.0.0.1', port: 0, tls: null, trustedProxies: addressRanges([]), answer });
  expect(answersIn(await pipelined(listener.port, 15))).toBe(15);
  expect(answersIn(await pipelined(listener.port, 5000))).toBe(16);
  expect(handled).toBe(31);
  for (let count = 0; count < 40; count++) {
    const response = await fetch(`http://127.0.0.1:${listener.port}/`);
    expect([await response.text(), response.headers.get('connection')]).toEqual(['hello', null]);
  }
  await listener.close(0);
});

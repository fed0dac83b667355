import { expect, test } from 'bun:test';
import { parseCpu, parseMemory, parseNetwork } from './proc.ts';

test('busy time is everything except idle and waiting for a disk', () => {
  const stat = 'cpu  100 5 50 800 40 2 3 1 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nintr 5\n';
  expect(parseCpu(stat)).toEqual({ busy: 161, total: 1001 });
});

test('used memory is the memory that programs cannot get', () => {
  const meminfo = 'MemTotal:        8000 kB\nMemFree:  100 kB\nMemAvailable:    6000 kB\n';
  expect(parseMemory(meminfo)).toEqual({ totalBytes: 8000 * 1024, availableBytes: 6000 * 1024 });
});

test('traffic covers all interfaces except loopback', () => {
  const dev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 900 9 0 0 0 0 0 0 900 9 0 0 0 0 0 0
  eth0: 1000 10 0 0 0 0 0 0 70 7 0 0 0 0 0 0
enp2s0:2000 20 0 0 0 0 0 0 30 3 0 0 0 0 0 0
`;
  expect(parseNetwork(dev)).toEqual({ received: 3000, sent: 100 });
});

test('text in another format counts nothing', () => {
  expect([parseCpu(''), parseMemory('x'), parseNetwork('y')]).toEqual([
    { busy: 0, total: 0 },
    { totalBytes: 0, availableBytes: 0 },
    { received: 0, sent: 0 },
  ]);
});

test('the files of this machine are parsed', async () => {
  const read = (path: string) => Bun.file(path).text();
  expect(parseCpu(await read('/proc/stat')).total).toBeGreaterThan(0);
  const { totalBytes, availableBytes } = parseMemory(await read('/proc/meminfo'));
  expect(totalBytes).toBeGreaterThan(availableBytes);
  expect(availableBytes).toBeGreaterThan(0);
});

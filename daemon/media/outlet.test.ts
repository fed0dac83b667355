import { expect, test } from 'bun:test';
import { Outlet } from './outlet.ts';

/** A socket with a send buffer of its own. */
function createSocket(room: number) {
  const taken: number[] = [];
  const socket = {
    room,
    calls: 0,
    taken,
    write(data: Uint8Array, offset: number, length: number): number {
      socket.calls++;
      const count = Math.min(socket.room, length);
      socket.room -= count;
      taken.push(...data.subarray(offset, offset + count));
      return count;
    },
  };
  return socket;
}

function createBench(room: number, buffers: number[][]) {
  let clock = 0;
  const socket = createSocket(room);
  const outlet = new Outlet(socket, () => clock);
  const queue = buffers.map((bytes) => Uint8Array.from(bytes));
  outlet.setSource(() => queue.shift());
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { socket, outlet, queue, pass };
}

test('everything goes out in order, one write per buffer', () => {
  const { socket, outlet } = createBench(100, [[1, 2], [3], [4, 5]]);
  outlet.pump();
  expect(socket.taken).toEqual([1, 2, 3, 4, 5]);
  expect(socket.calls).toBe(3);
  expect(outlet.bytes).toBe(5);
});

test('a full socket is left alone until it drains, and goes on at the byte where it stopped', () => {
  const { socket, outlet, queue } = createBench(3, [
    [1, 2],
    [3, 4, 5, 6],
    [7, 8],
  ]);
  outlet.pump();
  outlet.pump();
  expect(socket.calls).toBe(2);
  expect(queue).toHaveLength(1);
  socket.room = 2;
  outlet.drain();
  expect(socket.taken).toEqual([1, 2, 3, 4, 5]);
  socket.room = 100;
  outlet.drain();
  expect(socket.taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('control messages go between media buffers, never into one, in one write', () => {
  const { socket, outlet } = createBench(2, [
    [1, 2, 3],
    [4, 5],
  ]);
  outlet.pump();
  outlet.send(Uint8Array.of(90));
  outlet.send(Uint8Array.of(91));
  socket.room = 100;
  socket.calls = 0;
  outlet.drain();
  expect(socket.taken).toEqual([1, 2, 3, 90, 91, 4, 5]);
  expect(socket.calls).toBe(3);
});

test('control messages a peer does not take are bounded', () => {
  const { outlet } = createBench(0, []);
  expect(outlet.send(new Uint8Array(60_000))).toBe(true);
  expect(outlet.send(new Uint8Array(6000))).toBe(false);
});

test('a stall lasts from the last byte taken, and only while bytes wait', () => {
  const { socket, outlet, pass } = createBench(1, [[1, 2, 3]]);
  pass(5000);
  expect(outlet.stalledMs).toBe(0);
  outlet.pump();
  pass(3000);
  expect(outlet.stalledMs).toBe(3000);
  outlet.drain();
  pass(1000);
  expect(outlet.stalledMs).toBe(4000);
  socket.room = 1;
  outlet.drain();
  expect(outlet.stalledMs).toBe(0);
  pass(10);
  expect(outlet.stalledMs).toBe(10);
  socket.room = 1;
  outlet.drain();
  pass(9000);
  expect(outlet.stalledMs).toBe(0);
  expect(outlet.isIdle).toBe(true);
});

test('a closed socket takes nothing and loses nothing', () => {
  const outlet = new Outlet({ write: () => -1 });
  outlet.send(Uint8Array.of(1));
  outlet.pump();
  expect(outlet.isIdle).toBe(false);
  expect(outlet.bytes).toBe(0);
});

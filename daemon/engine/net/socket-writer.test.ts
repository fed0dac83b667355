import { expect, test } from 'bun:test';
import { Writer } from './socket-writer.ts';

/** A socket with a simulated send buffer. */
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
  const writer = new Writer(socket, () => clock);
  const queue = buffers.map((bytes) => Uint8Array.from(bytes));
  writer.setSource(() => queue.shift());
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { socket, writer, queue, pass };
}

test('everything is sent in order, one write per buffer', () => {
  const { socket, writer } = createBench(100, [[1, 2], [3], [4, 5]]);
  writer.pump();
  expect(socket.taken).toEqual([1, 2, 3, 4, 5]);
  expect(socket.calls).toBe(3);
  expect(writer.bytes).toBe(5);
});

test('a full socket is left alone until it drains, and continues at the byte where it stopped', () => {
  const { socket, writer, queue } = createBench(3, [
    [1, 2],
    [3, 4, 5, 6],
    [7, 8],
  ]);
  writer.pump();
  writer.pump();
  expect(socket.calls).toBe(2);
  expect(queue).toHaveLength(1);
  socket.room = 2;
  writer.drain();
  expect(socket.taken).toEqual([1, 2, 3, 4, 5]);
  socket.room = 100;
  writer.drain();
  expect(socket.taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('control messages go between media buffers, never inside one, in one write', () => {
  const { socket, writer } = createBench(2, [
    [1, 2, 3],
    [4, 5],
  ]);
  writer.pump();
  writer.send(Uint8Array.of(90));
  writer.send(Uint8Array.of(91));
  socket.room = 100;
  socket.calls = 0;
  writer.drain();
  expect(socket.taken).toEqual([1, 2, 3, 90, 91, 4, 5]);
  expect(socket.calls).toBe(3);
});

test('control messages that a peer does not read are bounded', () => {
  const { writer } = createBench(0, []);
  expect(writer.send(new Uint8Array(60_000))).toBe(true);
  expect(writer.send(new Uint8Array(6000))).toBe(false);
});

test('a stall is measured from the last accepted byte, and only while bytes wait', () => {
  const { socket, writer, pass } = createBench(1, [[1, 2, 3]]);
  pass(5000);
  expect(writer.stalledMs).toBe(0);
  writer.pump();
  pass(3000);
  expect(writer.stalledMs).toBe(3000);
  writer.drain();
  pass(1000);
  expect(writer.stalledMs).toBe(4000);
  socket.room = 1;
  writer.drain();
  expect(writer.stalledMs).toBe(0);
  pass(10);
  expect(writer.stalledMs).toBe(10);
  socket.room = 1;
  writer.drain();
  pass(9000);
  expect(writer.stalledMs).toBe(0);
  expect(writer.isIdle).toBe(true);
});

test('a closed socket accepts nothing and loses nothing', () => {
  const writer = new Writer({ write: () => -1 });
  writer.send(Uint8Array.of(1));
  writer.pump();
  expect(writer.isIdle).toBe(false);
  expect(writer.bytes).toBe(0);
});

test('a writer that is held keeps control messages, and writes the rest of another one’s message first', () => {
  const { socket, writer, queue } = createBench(100, [[1, 2]]);
  writer.pump();
  writer.hold();
  expect(writer.isHeld).toBe(true);
  queue.push(Uint8Array.of(5));
  writer.send(Uint8Array.of(9));
  writer.pump();
  writer.drain();
  expect(socket.taken).toEqual([1, 2]);
  expect([writer.hasControl, writer.stalledMs]).toEqual([true, 0]);
  socket.room = 1;
  writer.release(Uint8Array.of(3, 4));
  expect(socket.taken).toEqual([1, 2, 3]);
  socket.room = 100;
  writer.drain();
  expect(socket.taken).toEqual([1, 2, 3, 4, 9, 5]);
});

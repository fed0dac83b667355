/**
 * A TCP relay with a round trip and a rate in each direction. Arguments: target port, round trip in ms, bytes per ms
 * (0: unlimited). Prints its port. Lines on stdin: `cut` closes all connections, `freeze` passes nothing more while they
 * stay open, `thaw` ends that.
 */
import { connect, createServer, type Socket } from 'node:net';

const [target = 0, rttMs = 0, bytesPerMs = 0] = process.argv.slice(2).map(Number);
const delayMs = rttMs / 2;
/** What a router holds: more makes the sender wait. */
const maxQueuedBytes = Math.max(256 << 10, bytesPerMs * rttMs * 4);
const pieceBytes = 16 << 10;
const pairs = new Set<readonly [Socket, Socket]>();
let isFrozen = false;

function pipe(from: Socket, to: Socket): void {
  const queue: { readonly at: number; readonly bytes: Buffer }[] = [];
  let queued = 0;
  let freeAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): void {
    timer = undefined;
    const now = performance.now();
    for (let first = queue[0]; first !== undefined && first.at <= now && !isFrozen; first = queue[0]) {
      queue.shift();
      queued -= first.bytes.length;
      to.write(first.bytes);
    }
    if (queued < maxQueuedBytes) from.resume();
    if (queue[0] !== undefined) timer = setTimeout(run, isFrozen ? 50 : Math.max(0, queue[0].at - performance.now()));
  }

  from.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const bytes = chunk.subarray(at, at + pieceBytes);
      const now = performance.now();
      freeAt = Math.max(now, freeAt) + (bytesPerMs > 0 ? bytes.length / bytesPerMs : 0);
      queue.push({ at: freeAt + delayMs, bytes });
      queued += bytes.length;
    }
    if (queued >= maxQueuedBytes) from.pause();
    if (timer === undefined) timer = setTimeout(run, delayMs);
  });
}

const server = createServer((near) => {
  const far = connect(target, '127.0.0.1');
  const pair = [near, far] as const;
  pairs.add(pair);
  for (const [from, to] of [pair, [far, near] as const]) {
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('close', () => {
      pairs.delete(pair);
      to.destroy();
    });
    pipe(from, to);
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 }));
});

for await (const line of console) {
  if (line === 'freeze' || line === 'thaw') isFrozen = line === 'freeze';
  if (line !== 'cut') continue;
  for (const [near, far] of pairs) {
    near.destroy();
    far.destroy();
  }
}

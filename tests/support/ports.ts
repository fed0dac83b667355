/**
 * Port numbers that have to be known before anything is bound: an input that is configured to listen there, a foreign
 * program that can't choose for itself, a port that nothing listens on. Whatever can, binds port 0 and reads it back.
 *
 * A process owns slices of the range below the kernel's own one (32768 up), so no outgoing connection takes a port of
 * them. It owns a slice while it holds the slice's first port open: only one process can bind that, and the kernel frees
 * it with the process.
 */
const firstPort = 10_240;
const lastPort = 20_000;
const slicePorts = 64;
const slices = Math.floor((lastPort - firstPort) / slicePorts);

/** Ports of the newest slice that were not handed out yet: from `next` up to before `end`. */
let next = 0;
let end = 0;
/** Another process starts at another slice, so that what a process leaves behind can't meet the next one. */
let slice = process.pid % slices;

export function leasePort(): number {
  return leasePorts(1);
}

/** The first of `count` ports in a row. */
export function leasePorts(count: number): number {
  if (count >= slicePorts) throw new Error(`a slice has ${slicePorts - 1} ports, not ${count}`);
  if (next + count > end) takeSlice();
  next += count;
  return next - count;
}

function takeSlice(): void {
  for (let tried = 0; tried < slices; tried++) {
    slice = (slice + 1) % slices;
    const guard = firstPort + slice * slicePorts;
    if (!hold(guard)) continue;
    [next, end] = [guard + 1, guard + slicePorts];
    return;
  }
  throw new Error(`all ${slices} slices of ports are taken`);
}

function hold(guard: number): boolean {
  try {
    const socket = { data: (connection: { end(): void }) => connection.end() };
    Bun.listen({ hostname: '127.0.0.1', port: guard, exclusive: true, socket }).unref();
    return true;
  } catch {
    // Another process has it.
    return false;
  }
}

/**
 * Leases port numbers that must be known before anything is bound: for an input that is configured to listen, for an
 * external program that cannot choose a port, or for a port that nothing listens on. All other code binds port 0
 * and reads the port back.
 *
 * A process owns slices of a range below the kernel's ephemeral ports (32768 up), so that no outgoing connection takes
 * a leased port. It owns a slice while it holds the slice's first port open: only one process can bind that port, and
 * the kernel frees it when the process exits.
 */
const firstPort = 10_240;
const lastPort = 20_000;
const slicePorts = 64;
const slices = Math.floor((lastPort - firstPort) / slicePorts);

/** Ports of the newest slice that are still free: from `next` up to, but not including, `end`. */
let next = 0;
let end = 0;
/** Starts at a slice that depends on the process, so that it does not reuse ports that another process just left. */
let slice = process.pid % slices;

export function leasePort(): number {
  return leasePorts(1);
}

/** Returns the first of `count` consecutive ports. Throws if `count` exceeds a slice. */
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
  throw new Error(`All ${slices} port slices are in use`);
}

function hold(guard: number): boolean {
  try {
    const socket = { data: (connection: { end(): void }) => connection.end() };
    Bun.listen({ hostname: '127.0.0.1', port: guard, exclusive: true, socket }).unref();
    return true;
  } catch {
    // Another process holds it.
    return false;
  }
}

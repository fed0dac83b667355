/**
 * Frames between the engine and its native endpoints: kind, flags, two zero bytes, id, length, payload; little endian.
 * Both directions copy media bytes once, into one growing buffer per direction.
 */

export const headerBytes = 12;
export const maxPayload = 1 << 20;

const kindControl = 0x4a; // 'J'
const kindData = 0x44; // 'D'

export class WireError extends Error {}

/** The first event is `hello` with a `version`. */
export interface NamedEvent {
  readonly ev: string;
  readonly version?: number;
}

/**
 * Reads control frames. The endpoints are built from the same tree and send their version first, so only the outline is
 * checked. Returns undefined for anything but the named events.
 */
export function createEventReader<Event extends NamedEvent>(
  names: readonly Event['ev'][],
): (text: string) => Event | undefined {
  const known = new Set<string>(names);
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (typeof value !== 'object' || value === null || !('ev' in value)) return undefined;
    return typeof value.ev === 'string' && known.has(value.ev) ? (value as Event) : undefined;
  };
}

interface FrameSink {
  control(text: string): void;
  /** `payload` is a view that is valid only during the call: copy what you keep. */
  data(id: number, flags: number, payload: Uint8Array): void;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Takes chunks as they arrive from the socket. Throws WireError if the data is not a frame. */
export function createFrameDecoder(sink: FrameSink): (chunk: Uint8Array) => void {
  // Holds a frame that the last chunk cut off. Whole frames are read in place.
  let held = new Uint8Array(4096);
  let heldBytes = 0;

  function keep(bytes: Uint8Array): void {
    if (heldBytes + bytes.length > held.length) {
      const wider = new Uint8Array(Math.max(held.length * 2, heldBytes + bytes.length));
      wider.set(held.subarray(0, heldBytes));
      held = wider;
    }
    held.set(bytes, heldBytes);
    heldBytes += bytes.length;
  }

  /** Total bytes of the frame, as far as its header is known. */
  function needed(): number {
    return heldBytes < headerBytes ? headerBytes : headerBytes + lengthOf(held, 0);
  }

  /** Completes the held frame from the chunk. Returns how many bytes of the chunk were used. */
  function complete(chunk: Uint8Array): number {
    let used = 0;
    while (heldBytes > 0 && used < chunk.length) {
      const take = Math.min(needed() - heldBytes, chunk.length - used);
      keep(chunk.subarray(used, used + take));
      used += take;
      if (heldBytes < headerBytes || heldBytes < needed()) continue;
      const length = heldBytes;
      heldBytes = 0;
      deliver(held, 0, length - headerBytes, sink);
    }
    return used;
  }

  return (chunk) => {
    let at = complete(chunk);
    while (chunk.length - at >= headerBytes) {
      const length = lengthOf(chunk, at);
      if (chunk.length - at < headerBytes + length) break;
      deliver(chunk, at, length, sink);
      at += headerBytes + length;
    }
    if (at < chunk.length) keep(chunk.subarray(at));
  };
}

function readU32(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** Returns the payload length of the frame at `at`, whose header is complete. */
function lengthOf(bytes: Uint8Array, at: number): number {
  const kind = bytes[at];
  if ((kind !== kindControl && kind !== kindData) || bytes[at + 2] !== 0 || bytes[at + 3] !== 0) {
    throw new WireError('not a frame');
  }
  const length = readU32(bytes, at + 8);
  if (length > maxPayload) throw new WireError(`frame of ${length} bytes`);
  return length;
}

function deliver(bytes: Uint8Array, at: number, length: number, sink: FrameSink): void {
  const payload = bytes.subarray(at + headerBytes, at + headerBytes + length);
  if (bytes[at] === kindControl) sink.control(decoder.decode(payload));
  else sink.data(readU32(bytes, at + 4), bytes[at + 1] ?? 0, payload);
}

const firstCapacity = 256 << 10;

/** Outgoing frames in one buffer. `dataLimit` limits media; control frames are always accepted. */
export function createOutQueue(dataLimit: number) {
  let buffer = new Uint8Array(firstCapacity);
  let head = 0;
  let tail = 0;

  function reserve(bytes: number): number {
    if (tail + bytes > buffer.length) {
      const held = tail - head;
      const isTight = held + bytes > buffer.length;
      const target = isTight ? new Uint8Array(Math.max(buffer.length * 2, held + bytes)) : buffer;
      target.set(buffer.subarray(head, tail));
      buffer = target;
      head = 0;
      tail = held;
    }
    const at = tail;
    tail += bytes;
    return at;
  }

  function put(kind: number, id: number, flags: number, payload: Uint8Array): void {
    const at = reserve(headerBytes + payload.length);
    buffer[at] = kind;
    buffer[at + 1] = flags;
    buffer[at + 2] = 0;
    buffer[at + 3] = 0;
    writeU32(buffer, at + 4, id);
    writeU32(buffer, at + 8, payload.length);
    buffer.set(payload, at + headerBytes);
  }

  function clear(): void {
    head = 0;
    tail = 0;
    // A burst must not keep its memory forever.
    if (buffer.length > 4 * firstCapacity) buffer = new Uint8Array(firstCapacity);
  }

  return {
    control(message: object): void {
      const payload = encoder.encode(JSON.stringify(message));
      if (payload.length > maxPayload) throw new WireError(`control frame of ${payload.length} bytes`);
      put(kindControl, 0, 0, payload);
    },
    /** Returns false if the limit is exceeded: the bytes are lost. */
    data(id: number, flags: number, bytes: Uint8Array): boolean {
      if (bytes.length > maxPayload) throw new WireError(`data frame of ${bytes.length} bytes`);
      if (tail - head + headerBytes + bytes.length > dataLimit) return false;
      put(kindData, id, flags, bytes);
      return true;
    },
    /** Passes queued bytes to `write`, which returns how many it accepted. Returns true if nothing is left. */
    flush(write: (bytes: Uint8Array) => number): boolean {
      while (head < tail) {
        const written = write(buffer.subarray(head, tail));
        if (written <= 0) return false;
        head += written;
      }
      clear();
      return true;
    },
    get queuedBytes() {
      return tail - head;
    },
  };
}

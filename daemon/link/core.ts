/**
 * The multiplexer of one link, without I/O: messages and the time go in, messages and events come out. See README.md
 * for the protocol. Everything that a peer can make it hold has a bound.
 */
import { type LinkCode, LinkFault, linkCodeOf, type StreamCode, streamCodeOf, streamCodes } from './codes.ts';
import {
  frameOf,
  frameTypes,
  type HandshakeType,
  maxDataBytes,
  maxHandshakeBytes,
  maxOpenBytes,
  readFrames,
  readU16,
  readU32,
  u16Payload,
  u32Payload,
} from './frames.ts';
import { Heartbeat, type HeartbeatTiming } from './heartbeat.ts';
import { LinkStream, type StreamOwner } from './link-stream.ts';
import { type GoAway, type OpenRequest, readGoAway, readOpenRequest, toPayload } from './payloads.ts';
import { createReceiveWindow, largestWindow, type ReceiveLimits, type ReceiveWindow } from './receive-window.ts';
import { SendScheduler } from './send-scheduler.ts';

/** What one side tells the other about itself in the handshake. */
export interface PeerLimits {
  /** Bytes that may be sent on a new stream before the first credit. */
  readonly window: number;
  /** Largest payload of DATA. */
  readonly frame: number;
  /** Largest number of streams that the other side may have open. */
  readonly streams: number;
}

export interface CoreTiming extends HeartbeatTiming {
  /** The handshake ends within this time. */
  readonly handshakeMs: number;
}

export interface CoreEvents {
  /** A frame of the handshake has arrived. May throw LinkFault. */
  handshake(type: HandshakeType, payload: Uint8Array): void;
  /** The peer has opened a stream: attach a user, or reset it. Its data may have arrived already. */
  opened(stream: LinkStream, request: OpenRequest): void;
  /** The peer opens and accepts no more streams and asks to reconnect. */
  goAway(request: GoAway): void;
  /** There is something to send: call `next` soon, but not within this call. */
  wake(): void;
  /** The link has ended, once. All streams are closed. */
  ended(code: LinkCode, message: string): void;
}

export interface CoreOptions {
  /** The side that dials opens streams with odd ids, the other one with even ids. */
  readonly side: 'dialer' | 'listener';
  readonly limits: ReceiveLimits;
  readonly timing: CoreTiming;
  /** Of the heartbeat. Default: pings are exact. */
  readonly random?: () => number;
  readonly now: number;
  /** The highest id of a stream. The link ends when they are used up. */
  readonly lastId: number;
  readonly events: CoreEvents;
}

/** `greeting` until WELCOME, then `waiting` until the device is accepted. Streams exist in `open` only. */
export type LinkPhase = 'greeting' | 'waiting' | 'open' | 'ended';

/** Unsent frames that answer a peer which does not read. */
const maxControlFrames = 1024;
/** Own requests are refused earlier. */
const maxOwnFrames = 512;
const handshakeTypes: Readonly<Record<number, HandshakeType>> = {
  [frameTypes.hello]: 'hello',
  [frameTypes.challenge]: 'challenge',
  [frameTypes.proof]: 'proof',
  [frameTypes.welcome]: 'welcome',
};

export const limitsOf = ({ initialBytes, streams }: ReceiveLimits): PeerLimits => ({
  window: initialBytes,
  frame: maxDataBytes,
  streams,
});

export type LinkCore = ReturnType<typeof createLinkCore>;

export function createLinkCore({ side, limits, timing, random, now: start, lastId, events }: CoreOptions) {
  const streams = new Map<number, LinkStream>();
  /** From the first stream on: thousands of links have none. */
  let window: ReceiveWindow | undefined;
  const heartbeat = new Heartbeat(timing, start, random);
  const counts = { own: 0, peer: 0 };
  let phase: LinkPhase = 'greeting';
  let expected: HandshakeType | undefined = side === 'dialer' ? 'challenge' : 'hello';
  let peer: PeerLimits = { window: 0, frame: 1, streams: 0 };
  let now = start;
  let nextId = side === 'dialer' ? 1 : 2;
  let lastPeerId = 0;
  let isLeaving = false;
  let credited: LinkStream[] = [];

  const scheduler = new SendScheduler({ frameBytes: () => peer.frame, onFin: removeIfOver });
  const owner: StreamOwner = {
    sendable(stream) {
      scheduler.schedule(stream);
      events.wake();
    },
    consumed(stream) {
      if (!stream.hasReceivedFin) grant(stream);
      removeIfOver(stream);
    },
    reset(stream, code) {
      // The peer knows nothing of a stream whose OPEN was never sent.
      if (!scheduler.withdraw(stream)) push('rst', stream.id, u16Payload(streamCodes[code]));
      remove(stream, code);
    },
  };

  const isOwn = (id: number) => (id % 2 === 1) === (side === 'dialer');
  const wasOpened = (id: number) => (isOwn(id) ? id < nextId : id <= lastPeerId);

  function push(type: keyof typeof frameTypes, id: number, payload: Uint8Array): void {
    scheduler.push(frameOf(frameTypes[type], id, payload));
    if (scheduler.frames > maxControlFrames) end('flood', 'the peer does not read its answers');
    else events.wake();
  }

  function grant(stream: LinkStream): void {
    window ??= createReceiveWindow(limits, now);
    const credit = window.grant(stream, heartbeat.lowestRttMs);
    if (credit === 0) return;
    if (stream.pendingCredit === 0) credited.push(stream);
    stream.pendingCredit += credit;
    events.wake();
  }

  function remove(stream: LinkStream, code: StreamCode | undefined): void {
    if (!streams.delete(stream.id)) return;
    counts[isOwn(stream.id) ? 'own' : 'peer'] -= 1;
    window?.release(stream);
    stream.close(code);
  }

  function removeIfOver(stream: LinkStream): void {
    if (stream.hasSentFin && stream.isAtEnd) remove(stream, undefined);
  }

  function end(code: LinkCode, message: string): void {
    if (phase === 'ended') return;
    phase = 'ended';
    scheduler.clear();
    credited = [];
    for (const stream of [...streams.values()]) remove(stream, 'offline');
    events.ended(code, message);
  }

  /** Unknown streams are a fault; those that this side has reset may still get frames that were on their way. */
  function streamOf(id: number): LinkStream | undefined {
    if (phase !== 'open') throw new LinkFault('unexpected', `a frame of stream ${id} while ${phase}`);
    const stream = streams.get(id);
    if (stream === undefined && !wasOpened(id)) throw new LinkFault('unexpected', `stream ${id} was never opened`);
    return stream;
  }

  function add(id: number, priority: LinkStream['priority']): LinkStream {
    const stream = new LinkStream(id, priority, owner);
    stream.outstanding = limits.initialBytes;
    stream.credit = peer.window;
    streams.set(id, stream);
    counts[isOwn(id) ? 'own' : 'peer'] += 1;
    grant(stream);
    return stream;
  }

  function onOpen(id: number, payload: Uint8Array): void {
    if (phase !== 'open') throw new LinkFault('unexpected', `OPEN while ${phase}`);
    if (isOwn(id) || id <= lastPeerId) throw new LinkFault('unexpected', `OPEN of stream ${id}`);
    const request = readOpenRequest(payload);
    lastPeerId = id;
    if (isLeaving || counts.peer >= limits.streams) push('rst', id, u16Payload(streamCodes.busy));
    else events.opened(add(id, request.priority), request);
  }

  function onData(id: number, payload: Uint8Array, messageBytes: number): void {
    const stream = streamOf(id);
    if (stream === undefined) return;
    if (stream.hasReceivedFin) throw new LinkFault('unexpected', `data after the end of stream ${id}`);
    if (payload.length > stream.outstanding) throw new LinkFault('creditExceeded', `stream ${id}`);
    stream.outstanding -= payload.length;
    window?.arrived(stream, payload.length, now);
    stream.deliver(payload, payload.length * 2 < messageBytes);
  }

  function onCredit(id: number, payload: Uint8Array): void {
    const stream = streamOf(id);
    if (stream === undefined) return;
    stream.credit += readU32(payload);
    if (stream.credit > largestWindow) throw new LinkFault('creditOverflow', `stream ${id}`);
    scheduler.schedule(stream);
    events.wake();
  }

  function onFin(id: number): void {
    const stream = streamOf(id);
    if (stream === undefined) return;
    if (stream.hasReceivedFin) throw new LinkFault('unexpected', `a second end of stream ${id}`);
    stream.finish();
    removeIfOver(stream);
  }

  function onHandshake(type: HandshakeType, payload: Uint8Array): void {
    if (type !== expected) throw new LinkFault('unexpected', `${type.toUpperCase()} while ${phase}`);
    // The registration state may change: WELCOME is repeated.
    expected = type === 'challenge' ? 'welcome' : type === 'hello' ? 'proof' : type === 'welcome' ? type : undefined;
    events.handshake(type, payload);
  }

  function onFrame(type: number, id: number, payload: Uint8Array, messageBytes: number): void {
    const handshake = handshakeTypes[type];
    if (handshake !== undefined) onHandshake(handshake, payload);
    else if (type === frameTypes.data) onData(id, payload, messageBytes);
    else if (type === frameTypes.credit) onCredit(id, payload);
    else if (type === frameTypes.open) onOpen(id, payload);
    else if (type === frameTypes.fin) onFin(id);
    else if (type === frameTypes.rst) {
      const stream = streamOf(id);
      if (stream !== undefined) remove(stream, streamCodeOf(readU16(payload)));
    } else if (type === frameTypes.goAway) onGoAway(payload);
    else if (phase === 'greeting') throw new LinkFault('unexpected', 'PING before WELCOME');
    else if (type === frameTypes.ping) push('pong', 0, payload);
    else ping(heartbeat.pong(readU32(payload), now));
  }

  function onGoAway(payload: Uint8Array): void {
    if (side === 'listener' && phase === 'greeting') throw new LinkFault('unexpected', 'GOAWAY before WELCOME');
    isLeaving = true;
    events.goAway(readGoAway(payload));
  }

  function ping(nonce: number | undefined): void {
    if (nonce !== undefined) push('ping', 0, u32Payload(nonce));
  }

  return {
    /** Takes a whole message. `time` in milliseconds, from any start, as everywhere here. */
    receive(message: Uint8Array, time: number): void {
      if (phase === 'ended') return;
      now = time;
      heartbeat.heard(time);
      try {
        readFrames(message, (type, id, payload) => {
          if (phase !== 'ended') onFrame(type, id, payload, message.length);
        });
      } catch (error) {
        if (!(error instanceof LinkFault)) throw error;
        end(error.code, error.message);
      }
    },
    /** Call from `idleUntil` on, twice per second. `paused`: as `pauseOf` returns it. */
    tick(time: number, paused = 0): void {
      now = time;
      if (phase === 'ended') return;
      if (phase === 'greeting') {
        if (time - start >= timing.handshakeMs) end('silent', 'the handshake takes too long');
        return;
      }
      const due = heartbeat.tick(time, paused);
      if (due === 'dead') end('silent', `no data was received for ${Math.round((time - heartbeat.heardAt) / 1000)} s`);
      else ping(due);
    },
    /** Returns the next message, valid until the next call for any link, or undefined if there is nothing to send. */
    next(): Uint8Array | undefined {
      if (phase === 'ended') return undefined;
      for (const stream of credited) {
        if (!stream.isClosed) scheduler.push(frameOf(frameTypes.credit, stream.id, u32Payload(stream.pendingCredit)));
        stream.pendingCredit = 0;
      }
      credited = [];
      return scheduler.next();
    },
    /** Sends a frame of the handshake. */
    greet(type: HandshakeType, payload: object): void {
      const bytes = toPayload(payload);
      if (bytes.length > maxHandshakeBytes) throw new LinkFault('oversized', `${type} of ${bytes.length} bytes`);
      push(type, 0, bytes);
    },
    /** WELCOME was sent or has arrived. `waiting` allows no streams yet. */
    enter(next: 'waiting' | 'open', limitsOfPeer: PeerLimits): void {
      if (phase === 'ended') return;
      if (phase === 'greeting') ping(heartbeat.ping(now));
      phase = next;
      peer = limitsOfPeer;
    },
    /** Opens a stream, on which data may follow at once. Returns the code if that is not possible. */
    open(request: OpenRequest): LinkStream | StreamCode {
      if (phase !== 'open') return 'offline';
      const isFull = counts.own >= Math.min(limits.streams, peer.streams) || scheduler.frames > maxOwnFrames;
      if (isLeaving || isFull) return 'busy';
      if (nextId > lastId) {
        end('exhausted', 'all stream ids are used up');
        return 'offline';
      }
      const payload = toPayload(request);
      if (payload.length > maxOpenBytes) throw new Error(`OPEN of ${payload.length} bytes`);
      const id = nextId;
      nextId += 2;
      push('open', id, payload);
      return add(id, request.priority);
    },
    /** A user waits for the peer: finds out within seconds whether it is there. */
    probe(time: number): void {
      now = time;
      if (phase === 'open') ping(heartbeat.probe(time));
    },
    /** No more streams from either side; those that exist continue. */
    leave(request: GoAway): void {
      if (phase === 'ended') return;
      isLeaving = true;
      push('goAway', 0, toPayload(request));
    },
    /** The socket was closed by the peer or is to be closed. Resets every stream. */
    end,
    endWith: (closeCode: number, message: string): void => end(linkCodeOf(closeCode), message),
    get phase() {
      return phase;
    },
    /** Before this time, `tick` does nothing, unless the process was paused or `probe` is called. */
    get idleUntil() {
      return phase === 'greeting' ? 0 : heartbeat.idleUntil;
    },
    stats: () => ({
      streams: streams.size,
      rttMs: heartbeat.lowestRttMs,
      committedBytes: window?.committedBytes ?? limits.streams * limits.initialBytes,
      unsentFrames: scheduler.frames,
    }),
  };
}

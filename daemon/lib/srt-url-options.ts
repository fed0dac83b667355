/**
 * Options of SRT URLs as used by FFmpeg, srt-live-transmit and others that the hub does not store. One that requests
 * the hub's standard behavior is dropped; any other is refused with the reason.
 */
import { limits } from '../contract/limits.ts';

interface OptionFault {
  readonly rule: string;
  readonly detail: string;
}

interface UnkeptOption {
  /** Whether the hub already behaves as this value requests. */
  readonly holds: (value: string) => boolean;
  readonly reason: string;
}

/** Minimum buffer of each direction of a connection in bytes (`DEFAULT_BUFFER` of native/srt/sockets.c). */
const leastBuffer = 8192 * 1456;

const oneOf =
  (...values: readonly string[]) =>
  (value: string) =>
    values.includes(value.toLowerCase());
/** True as written by libsrt's programs and FFmpeg. */
const isOn = oneOf('1', 'true', 'yes', 'on');
/** In FFmpeg, -1 selects the default. */
const numberIs =
  (...numbers: readonly number[]) =>
  (value: string) =>
    /^(-1|\d{1,9}|0x[\da-f]{1,8})$/i.test(value) && (value === '-1' || numbers.includes(Number(value)));
const never = () => false;

const payload: UnkeptOption = {
  holds: numberIs(1316),
  reason: 'the hub puts seven TS packets into a datagram, 1316 bytes',
};
const buffer: UnkeptOption = {
  holds: (value) => value === '-1' || (/^\d{1,9}$/.test(value) && Number(value) <= leastBuffer),
  reason: `the buffers follow from the latency, ${leastBuffer} bytes or more; for larger ones raise the latency`,
};
const live: UnkeptOption = { holds: oneOf('live'), reason: 'the hub carries live streams only' };
const ownAddress: UnkeptOption = {
  holds: never,
  reason:
    'the system chooses the address and port that a caller sends from; a listener has its own in front of the "?"',
};
const ioTimeout: UnkeptOption = {
  holds: numberIs(),
  reason: 'the hub gives a silent peer up after 5 s and connects again',
};
const connectTimeout: UnkeptOption = {
  holds: numberIs(3000),
  reason: 'the hub waits 3000 ms for an answer, then tries the next address or connects again',
};
const encryption: UnkeptOption = { holds: isOn, reason: 'a peer without the right passphrase is always refused' };

const unkept: ReadonlyMap<string, UnkeptOption> = new Map(
  Object.entries({
    pkt_size: payload,
    payload_size: payload,
    payloadsize: payload,
    transtype: live,
    smoother: live,
    congestion: live,
    messageapi: { holds: isOn, reason: 'live streams are sent in messages' },
    tsbpd: { holds: isOn, reason: 'packets are delivered by their time stamps, after the latency' },
    tsbpdmode: { holds: isOn, reason: 'packets are delivered by their time stamps, after the latency' },
    tlpktdrop: { holds: isOn, reason: 'packets that come after the latency are always dropped' },
    nakreport: { holds: isOn, reason: 'losses are reported again until the packets come' },
    enforced_encryption: encryption,
    enforcedencryption: encryption,
    inputbw: {
      holds: numberIs(0),
      reason: 'the hub measures the rate of the stream; use oheadbw for a limit above it',
    },
    buffer_size: buffer,
    sndbuf: buffer,
    rcvbuf: buffer,
    send_buffer_size: buffer,
    recv_buffer_size: buffer,
    localport: ownAddress,
    localaddr: ownAddress,
    adapter: ownAddress,
    bind: ownAddress,
    connect_timeout: connectTimeout,
    conntimeo: connectTimeout,
    timeout: ioTimeout,
    listen_timeout: ioTimeout,
    lossmaxttl: {
      holds: numberIs(0),
      reason: 'each loss is reported at once, without tolerance for packets out of order',
    },
    linger: { holds: numberIs(0), reason: 'a connection is closed at once, without waiting for unsent data' },
    ipttl: { holds: numberIs(64), reason: 'SRT packets have a TTL of 64' },
    iptos: { holds: numberIs(0xb8), reason: 'SRT packets have a type of service of 0xB8' },
    packetfilter: { holds: never, reason: 'the hub does not use forward error correction over SRT' },
  } satisfies Record<string, UnkeptOption>),
);

/** `maxbw` depends on `oheadbw`: 0 means a limit relative to the stream. */
function bandwidthFault(value: string, overhead: string | null): OptionFault | undefined {
  const isRelative = overhead !== null && overhead !== '0';
  if (value === (isRelative ? '0' : '-1')) return undefined;
  const reason = isRelative
    ? 'oheadbw limits the rate relative to the stream, which is maxbw=0'
    : 'the hub sends without a limit (maxbw=-1), or with oheadbw above the rate of the stream, but not at a fixed rate';
  return refusal('maxbw', reason);
}

const refusal = (name: string, reason: string): OptionFault => ({ rule: 'fixedOption', detail: `${name}: ${reason}` });

/** `latency` sets both directions, because the stream uses only one of them. */
const latencyNames = ['latency', 'rcvlatency', 'peerlatency'] as const;

function takeLatency(query: URLSearchParams): OptionFault | undefined {
  const given = latencyNames.filter((name) => query.has(name));
  const [first, ...others] = given;
  if (first === undefined) return undefined;
  const twice = given.find((name) => query.getAll(name).length > 1);
  if (twice) return { rule: 'repeated', detail: twice };
  const value = query.get(first) ?? '';
  const different = others.find((name) => query.get(name) !== value);
  if (different) return refusal(different, `the hub has one latency for both directions, and ${first} says another`);
  if (!/^\d{1,9}$/.test(value)) return { rule: 'number', detail: first };
  const { min, max } = limits.latency;
  if (Number(value) > max) {
    return { rule: 'range', detail: `${first}: ${min} to ${max} milliseconds (FFmpeg counts microseconds)` };
  }
  for (const name of given) query.delete(name);
  query.set('latency', value);
  return undefined;
}

function faultOf(name: string, value: string, query: URLSearchParams): OptionFault | undefined {
  if (name === 'maxbw') return bandwidthFault(value, query.get('oheadbw'));
  const option = unkept.get(name);
  return option && !option.holds(value) ? refusal(name, option.reason) : undefined;
}

/** Removes these options from a query, so that only those that the hub stores remain. */
export function takeUnkeptOptions(query: URLSearchParams): OptionFault | undefined {
  const latency = takeLatency(query);
  if (latency) return latency;
  for (const [name, value] of [...query]) {
    const fault = faultOf(name, value, query);
    if (fault) return fault;
    if (name === 'maxbw' || unkept.has(name)) query.delete(name);
  }
  return undefined;
}

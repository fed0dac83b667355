/**
 * Options of SRT URLs as used by FFmpeg, srt-live-transmit and others that the hub does not store. One that requests
 * the hub's standard behavior is dropped; any other is refused with the reason.
 */
import { limits } from '../contract/limits.ts';
import type { HubError } from '../lib/hub-error.ts';
import { urlError } from './url-options.ts';

interface UnkeptOption {
  readonly names: readonly string[];
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

const unkept: readonly UnkeptOption[] = [
  {
    names: ['pkt_size', 'payload_size', 'payloadsize'],
    holds: numberIs(1316),
    reason: 'the hub puts seven TS packets into a datagram, 1316 bytes',
  },
  {
    names: ['transtype', 'smoother', 'congestion'],
    holds: oneOf('live'),
    reason: 'the hub carries live streams only',
  },
  { names: ['messageapi'], holds: isOn, reason: 'live streams are sent in messages' },
  {
    names: ['tsbpd', 'tsbpdmode'],
    holds: isOn,
    reason: 'packets are delivered by their time stamps, after the latency',
  },
  { names: ['tlpktdrop'], holds: isOn, reason: 'packets that come after the latency are always dropped' },
  { names: ['nakreport'], holds: isOn, reason: 'losses are reported again until the packets come' },
  {
    names: ['enforced_encryption', 'enforcedencryption'],
    holds: isOn,
    reason: 'a peer without the right passphrase is always refused',
  },
  {
    names: ['inputbw'],
    holds: numberIs(0),
    reason: 'the hub measures the rate of the stream; use oheadbw for a limit above it',
  },
  {
    names: ['buffer_size', 'sndbuf', 'rcvbuf', 'send_buffer_size', 'recv_buffer_size'],
    holds: (value) => value === '-1' || (/^\d{1,9}$/.test(value) && Number(value) <= leastBuffer),
    reason: `the buffers follow from the latency, ${leastBuffer} bytes or more; for larger ones raise the latency`,
  },
  {
    names: ['localport', 'localaddr', 'adapter', 'bind'],
    holds: never,
    reason:
      'the system chooses the address and port that a caller sends from; a listener has its own in front of the "?"',
  },
  {
    names: ['connect_timeout', 'conntimeo'],
    holds: numberIs(3000),
    reason: 'the hub waits 3000 ms for an answer, then tries the next address or connects again',
  },
  {
    names: ['timeout', 'listen_timeout'],
    holds: numberIs(),
    reason: 'the hub gives a silent peer up after 5 s and connects again',
  },
  {
    names: ['lossmaxttl'],
    holds: numberIs(0),
    reason: 'each loss is reported at once, without tolerance for packets out of order',
  },
  {
    names: ['linger'],
    holds: numberIs(0),
    reason: 'a connection is closed at once, without waiting for unsent data',
  },
  { names: ['ipttl'], holds: numberIs(64), reason: 'SRT packets have a TTL of 64' },
  { names: ['iptos'], holds: numberIs(0xb8), reason: 'SRT packets have a type of service of 0xB8' },
  { names: ['packetfilter'], holds: never, reason: 'the hub does not use forward error correction over SRT' },
];

/** `maxbw` depends on `oheadbw`: 0 means a limit relative to the stream. */
function bandwidthOption(overhead: string | null): UnkeptOption {
  const isRelative = overhead !== null && overhead !== '0';
  const reason = isRelative
    ? 'oheadbw limits the rate relative to the stream, which is maxbw=0'
    : 'the hub sends without a limit (maxbw=-1), or with oheadbw above the rate of the stream, but not at a fixed rate';
  return { names: ['maxbw'], holds: oneOf(isRelative ? '0' : '-1'), reason };
}

const refusal = (name: string, reason: string): HubError => urlError('fixedOption', `${name}: ${reason}`);

/** `latency` sets both directions, because the stream uses only one of them. */
const latencyNames = ['latency', 'rcvlatency', 'peerlatency'] as const;

function takeLatency(query: URLSearchParams): void {
  const given = latencyNames.filter((name) => query.has(name));
  const [first, ...others] = given;
  if (first === undefined) return;
  const twice = given.find((name) => query.getAll(name).length > 1);
  if (twice) throw urlError('repeated', `${twice}: given more than once`);
  const value = query.get(first) ?? '';
  const different = others.find((name) => query.get(name) !== value);
  if (different) throw refusal(different, `the hub has one latency for both directions, and ${first} says another`);
  if (!/^\d{1,9}$/.test(value)) throw urlError('number', `${first}: not a whole number`);
  const { min, max } = limits.latency;
  if (Number(value) > max) {
    throw urlError('range', `${first}: ${min} to ${max} milliseconds (FFmpeg counts microseconds)`);
  }
  for (const name of given) query.delete(name);
  query.set('latency', value);
}

/** Removes these options from a query, so that only those that the hub stores remain. Throws a HubError. */
export function takeUnkeptOptions(query: URLSearchParams): void {
  takeLatency(query);
  for (const { names, holds, reason } of [...unkept, bandwidthOption(query.get('oheadbw'))]) {
    for (const name of names) {
      const refused = query.getAll(name).some((value) => !holds(value));
      if (refused) throw refusal(name, reason);
      query.delete(name);
    }
  }
}

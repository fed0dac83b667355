/**
 * Asks a device for its state over OSC. The device sends its answers to a socket that exists only while it is asked;
 * datagrams from any other address are ignored.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { Answer } from '../answer.ts';
import type { StatusType } from '../driver.ts';
import { maxJsonBytes } from '../query-session.ts';
import { decodeOsc, encodeOsc } from './osc.ts';

export interface OscPlace {
  /** IP address of the device. */
  readonly address: string;
  readonly port: number;
}

/** Datagrams that are read; a device has a few parts of its state, and may send each more than once. */
const maxDatagrams = 64;

/**
 * Returns what arrived within `answerMs`, by type; without anything that is the time it takes. A question without an
 * answer is repeated once. Rejects only with the signal's reason.
 */
export async function askOsc(
  place: OscPlace,
  types: readonly StatusType[],
  answerMs: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<StatusType, Answer>> {
  signal.throwIfAborted();
  const own = await ownAddress(place).catch(() => undefined);
  const found = new Map<StatusType, Answer>();
  signal.throwIfAborted();
  if (own === undefined) return found;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const socket = createSocket(isIPv6(place.address) ? 'udp6' : 'udp4');
  const timers: ReturnType<typeof setTimeout>[] = [];
  const stop = () => end();
  signal.addEventListener('abort', stop, { once: true });
  try {
    let received = 0;
    socket.on('error', stop);
    socket.on('message', (datagram, sender) => {
      if (sender.address !== place.address) return;
      received += 1;
      if (received > maxDatagrams) return;
      for (const [type, answer] of answersOf(datagram, types)) found.set(type, answer);
      if (types.every((type) => found.has(type))) end();
    });
    socket.bind(0, own, () => {
      if (signal.aborted) return;
      const ask = () => {
        for (const type of types) {
          if (found.has(type)) continue;
          const question = encodeOsc('/status/get', [type, own, socket.address().port]);
          socket.send(question, place.port, place.address, (error) => error && end());
        }
      };
      ask();
      timers.push(setTimeout(ask, answerMs / 2), setTimeout(end, answerMs));
    });
    await over;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    socket.close();
  }
  signal.throwIfAborted();
  return found;
}

/** The address of the hub from which packets reach the device, which is told where to answer. */
async function ownAddress({ address, port }: OscPlace): Promise<string> {
  const socket: Socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.on('error', reject);
      socket.connect(port, address, () => resolve(socket.address().address));
    });
  } finally {
    socket.close();
  }
}

function answersOf(datagram: Uint8Array, types: readonly StatusType[]): [StatusType, Answer][] {
  return (decodeOsc(datagram) ?? []).flatMap(({ address, args: [text] }) => {
    const type = types.find((one) => address === `/status/${one}`);
    if (type === undefined || typeof text !== 'string' || text.length > maxJsonBytes) return [];
    const answer = Answer.parse(new TextEncoder().encode(text));
    return answer === undefined ? [] : [[type, answer] as [StatusType, Answer]];
  });
}

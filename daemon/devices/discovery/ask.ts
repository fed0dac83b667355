/** Sends a question to all devices of a network and reads their answers for a while. */
import { createSocket } from 'node:dgram';
import type { Announcement, Question } from './announcement.ts';

export interface AskTimes {
  /** Answers are read for this long. */
  readonly listenMs: number;
  /** Datagrams get lost: the question is repeated once after this time. */
  readonly againMs: number;
}

/** A device has a few services, and answers for each of them once per question. */
const answersOfSender = 200;
const answersInTotal = 10_000;
/** The question may cross routers that carry multicast; with 255, mDNS responders know that it does not. */
const timeToLive = 255;

/** `own`: address of the hub in the network, of IPv6 with the interface. Resolves when the time is over, or as soon as nothing can be sent. */
export function ask(
  { group, group6, port, messages, maxBytes, read }: Question,
  own: string,
  { listenMs, againMs }: AskTimes,
  signal: AbortSignal,
  onAnswer: (announcement: Announcement, sender: string) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const [plain = '', zone] = own.split('%');
    const isV6 = plain.includes(':');
    const to = isV6 ? group6 && `${group6}%${zone}` : group;
    if (to === undefined) {
      resolve();
      return;
    }
    const socket = createSocket(isV6 ? 'udp6' : 'udp4');
    const received = new Map<string, number>();
    let total = 0;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', end);
      socket.close();
      resolve();
    };
    const send = () => {
      if (isOver) return;
      for (const message of messages) socket.send(message, port, to, (error) => error && end());
    };
    const timers: ReturnType<typeof setTimeout>[] = [];
    signal.addEventListener('abort', end, { once: true });
    // An interface without multicast, or one that has gone.
    socket.on('error', end);
    socket.on('message', (bytes, { address }) => {
      const count = (received.get(address) ?? 0) + 1;
      total += 1;
      if (isOver || count > answersOfSender || total > answersInTotal || bytes.length > maxBytes) return;
      received.set(address, count);
      for (const announcement of read(bytes, address)) onAnswer(announcement, address);
    });
    socket.bind(0, own, () => {
      try {
        socket.setMulticastInterface(isV6 ? `::%${zone}` : own);
        socket.setMulticastTTL(timeToLive);
      } catch {
        end();
        return;
      }
      timers.push(setTimeout(send, againMs), setTimeout(end, listenMs));
      send();
    });
    if (signal.aborted) end();
  });
}

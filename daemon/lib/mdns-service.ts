/**
 * Announces a service of this machine by mDNS (RFC 6762, RFC 6763), on IPv4. It shares port 5353 and the group with other
 * responders, such as avahi-daemon. It does not ask first whether its names are free: they must contain a unique id.
 */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { addressRanges } from './address-ranges.ts';
import {
  asksFor,
  cutText,
  type DnsQuery,
  type DnsQuestion,
  encodeResponse,
  isSameName,
  maxLabelBytes,
  readQuery,
  type SentRecord,
} from './dns.ts';
import type { Log } from './log.ts';

export interface AnnouncedService {
  /** Such as `_http._tcp`. */
  readonly type: string;
  /** Shown to users, unique on the network. Only its first 63 bytes are announced. */
  readonly name: string;
  /** A name of this machine without a dot, unique on the network. */
  readonly host: string;
  readonly port: number;
  readonly texts: readonly string[];
}

export interface AnnounceOptions {
  /** Called again at each check. */
  readonly service: () => AnnouncedService;
  /** The address on which the service listens; `0.0.0.0` and `::` for all. */
  readonly address: string;
  /** Least time between two messages to the group. */
  readonly apartMs: number;
  /** Interval of checks for new and changed networks, and for a changed service. */
  readonly lookMs: number;
  readonly log: Log;
}

const [group, port] = ['224.0.0.251', 5353];
const [hostSeconds, otherSeconds, oneTimeSeconds] = [120, 4500, 10];
const maxQueryBytes = 9000;
/** A program that does not listen to the group asks one question. */
const maxOneTimeQuestions = 4;
/** Within `apartMs`: the sender of a question may be forged, so a flood of them must not become one of answers. */
const maxOneTimeAnswers = 32;

/** Returns a function that withdraws the service and ends the announcements. */
export function announceService({ service, address, apartMs, lookMs, log }: AnnounceOptions): () => void {
  const open = new Map<string, () => void>();
  let [announced, isLogged] = [service(), false];
  const complain = (reason: string) => {
    if (!isLogged) log.warn('a service cannot be announced by mDNS', { reason });
    isLogged = true;
  };
  const close = (cidr: string) => {
    open.get(cidr)?.();
    open.delete(cidr);
  };
  const look = () => {
    const [now, networks] = [service(), networksOf(address)];
    const isChanged = !isDeepStrictEqual(now, announced);
    announced = now;
    for (const cidr of open.keys()) if (isChanged || !networks.has(cidr)) close(cidr);
    for (const [cidr, own] of networks) {
      if (open.has(cidr)) continue;
      const answers = answerIn(recordsOf(now, own), { cidr, own, apartMs }, (reason) => {
        complain(`${own}: ${reason}`);
        if (open.get(cidr) === answers) open.delete(cidr);
      });
      open.set(cidr, answers);
    }
  };
  const tryToLook = () => {
    try {
      look();
    } catch (error) {
      // The networks cannot be listed, for example without a free descriptor; the next look may succeed.
      complain(String(error));
    }
  };
  tryToLook();
  const timer = setInterval(tryToLook, lookMs);
  return () => {
    clearInterval(timer);
    for (const cidr of open.keys()) close(cidr);
  };
}

/** The address of this machine in each IPv4 network in which others reach a service that listens on `address`. */
function networksOf(address: string): Map<string, string> {
  const isAny = address === '0.0.0.0' || address === '::';
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reached = all.filter(({ family, internal, address: own }) => {
    return family === 'IPv4' && !internal && (isAny || own === address);
  });
  return new Map(reached.flatMap(({ cidr, address: own }) => (cidr === null ? [] : [[cidr, own]])));
}

interface Place {
  readonly cidr: string;
  readonly own: string;
  readonly apartMs: number;
}

/** Announces the records in one network and answers there. Returns a function that withdraws them. */
function answerIn(records: readonly SentRecord[], { cidr, own, apartMs }: Place, onError: (reason: string) => void) {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const members = addressRanges([cidr]);
  let [isBound, isEnded, sentAt] = [false, false, 0];
  let [oneTimeSince, oneTimeCount] = [0, 0];
  let waiting: Timer | undefined;

  const end = () => {
    if (!isEnded) socket.close();
    isEnded = true;
    clearTimeout(waiting);
  };
  const fail = (error: unknown) => {
    if (!isEnded) onError(String(error));
    end();
  };
  const sendToGroup = (sent: readonly SentRecord[], done = () => {}) => {
    sentAt = performance.now();
    socket.send(encodeResponse({ id: 0, questions: [], records: sent }), port, group, done);
  };
  /** Each message to the group has all records, so one serves all who ask before it is sent. */
  const announceSoon = () => {
    const send = () => {
      waiting = undefined;
      sendToGroup(records);
    };
    waiting ??= setTimeout(send, Math.max(0, sentAt + apartMs - performance.now()));
  };
  const mayAnswerOneTime = (): boolean => {
    const now = performance.now();
    if (now - oneTimeSince >= apartMs) [oneTimeSince, oneTimeCount] = [now, 0];
    return ++oneTimeCount <= maxOneTimeAnswers;
  };

  socket.on('error', fail);
  socket.on('message', (bytes, from) => {
    // Machines of other networks would get an address that they may not reach.
    const query = bytes.length <= maxQueryBytes && members.includes(from.address) ? readQuery(bytes) : undefined;
    const answer = query && answerTo(query, records, from.port);
    if (answer === undefined || isEnded) return;
    if (answer === 'group') announceSoon();
    else if (mayAnswerOneTime()) socket.send(answer, from.port, from.address, () => {});
  });
  // Bound to the group: unicast packets, which can come from anywhere, do not arrive.
  socket.bind(port, group, () => {
    try {
      if (isEnded) {
        // Not every version of Bun closes a socket that is still being opened.
        socket.close();
        return;
      }
      socket.addMembership(group, own);
      socket.setMulticastInterface(own);
      socket.setMulticastTTL(255);
      isBound = true;
      sendToGroup(records);
      announceSoon();
    } catch (error) {
      fail(error);
    }
  });
  return () => {
    if (!isBound || isEnded) return end();
    clearTimeout(waiting);
    const withdrawn = records.map((record) => ({ ...record, seconds: 0 }));
    sendToGroup(withdrawn, end);
  };
}

/** The answer to a query from this port; `group`: all records, to the group. Undefined if there is none. */
export function answerTo(
  query: DnsQuery,
  records: readonly SentRecord[],
  fromPort: number,
): 'group' | Uint8Array | undefined {
  const questions = openQuestions(query, records).slice(0, maxOneTimeQuestions);
  // No message can be sent to port 0: the attempt throws.
  if (questions.length === 0 || fromPort === 0) return undefined;
  if (fromPort === port) return 'group';
  // A program that does not listen to the group (RFC 6762, section 6.7).
  const once = records.map((record) => ({ ...record, seconds: oneTimeSeconds, isOnly: false }));
  return encodeResponse({ id: query.id, questions, records: once });
}

/** The questions that the records answer, without those whose answer the sender knows. */
export function openQuestions(query: DnsQuery, records: readonly SentRecord[]): readonly DnsQuestion[] {
  const unknown = records.filter(({ name, data }) => {
    return !query.records.some((known) => isSameName(known.name, name) && isDeepStrictEqual(known.data, data));
  });
  return query.questions.filter((question) => unknown.some((record) => asksFor(question, record)));
}

export function recordsOf({ type, name, host, port: at, texts }: AnnouncedService, own: string): SentRecord[] {
  const service = [...type.split('.'), 'local'];
  const instance = [cutText(name, maxLabelBytes), ...service];
  const target = [host, 'local'];
  return [
    { name: service, data: { type: 'PTR', target: instance }, seconds: otherSeconds, isOnly: false },
    { name: instance, data: { type: 'SRV', target, port: at }, seconds: hostSeconds, isOnly: true },
    { name: instance, data: { type: 'TXT', texts }, seconds: otherSeconds, isOnly: true },
    { name: target, data: { type: 'A', address: own }, seconds: hostSeconds, isOnly: true },
  ];
}

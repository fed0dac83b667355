/**
 * Multicast DNS (RFC 6762) with service discovery (RFC 6763). The question comes from a port of its own, which makes
 * responders answer it directly: the hub needs neither port 5353 nor the group, and does not disturb another responder.
 */

import { type DnsRecord, encodeQuestions, readRecords } from '../../lib/dns.ts';
import type { Announcement, Facts, Place, Question } from './announcement.ts';
import { shownText } from './announcement.ts';
import { isLinkLocal } from './networks6.ts';

/** Devices announce their web pages; senders of NDI and RTSP do not always. */
const schemes: Readonly<Record<string, Place['scheme'] | undefined>> = {
  '_http._tcp.local': 'http',
  '_https._tcp.local': 'https',
  '_ndi._tcp.local': undefined,
  '_rtsp._tcp.local': undefined,
};

export const mdns: Question = {
  ...{ group: '224.0.0.251', group6: 'ff02::fb', port: 5353, maxBytes: 9000 },
  messages: [encodeQuestions(Object.keys(schemes))],
  read: (answer) => announcementsOf(readRecords(answer)),
};

/** Names are compared without regard to case. */
const keyOf = (labels: readonly string[]): string => labels.map((label) => label.toLowerCase()).join('.');

function announcementsOf(records: readonly DnsRecord[]): Announcement[] {
  const ofInstance = new Map<string, { port?: number; host?: string; texts?: readonly string[] }>();
  const addresses = new Map<string, string>();
  const addresses6 = new Map<string, string>();
  for (const { name, data } of records) {
    const key = keyOf(name);
    if (data.type === 'A') addresses.set(key, data.address);
    // A host may have several; the link-local one is of no use elsewhere.
    if (data.type === 'AAAA' && !isLinkLocal(data.address)) addresses6.set(key, data.address);
    if (data.type === 'SRV') ofInstance.set(key, { ...ofInstance.get(key), port: data.port, host: keyOf(data.target) });
    if (data.type === 'TXT') ofInstance.set(key, { ...ofInstance.get(key), texts: data.texts });
  }
  return records.flatMap(({ name, data }): Announcement[] => {
    const service = keyOf(name);
    if (data.type !== 'PTR' || !Object.hasOwn(schemes, service) || data.target.length < 2) return [];
    const { port = 0, host = '', texts = [] } = ofInstance.get(keyOf(data.target)) ?? {};
    const scheme = schemes[service];
    return [
      {
        by: 'mdns',
        address: addresses.get(host),
        address6: addresses6.get(host),
        facts: { ...factsOf(texts), name: shownText(data.target[0]) },
        places: scheme === undefined || port === 0 ? [] : [{ scheme, port }],
      },
    ];
  });
}

/** There is no standard for these; makers use one or the other. */
const modelKeys = new Set(['model', 'md', 'product']);
const serialKeys = new Set(['sn', 'serial', 'serialnumber']);
const makerKeys = new Set(['manufacturer', 'vendor']);

function factsOf(texts: readonly string[]): Facts {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    return at < 1 ? ['', ''] : [text.slice(0, at).toLowerCase(), text.slice(at + 1)];
  });
  const textOf = (keys: ReadonlySet<string>) => shownText(pairs.find(([key = '']) => keys.has(key))?.[1]);
  return { model: textOf(modelKeys), sn: textOf(serialKeys), maker: textOf(makerKeys) };
}

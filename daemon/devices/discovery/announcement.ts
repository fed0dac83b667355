/** What a device says about itself to everyone in its network, in one form for all protocols. Nothing of it is proven. */
import type { DiscoveryMethod } from '../../contract/discovery.ts';
import { clipped, oneLine } from '../units.ts';

/** Where the device may have a web server. */
export interface Place {
  readonly scheme: 'http' | 'https';
  readonly port: number;
}

export interface Facts {
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly maker?: string | undefined;
  readonly sn?: string | undefined;
}

export interface Announcement {
  readonly by: Exclude<DiscoveryMethod, 'scan'>;
  /** The address that the announcement names, which counts only if it is in a network of the hub; default: the sender. */
  readonly address?: string | undefined;
  /** The same of IPv6; a device that has both is found at the other one. */
  readonly address6?: string | undefined;
  readonly facts: Facts;
  readonly places: readonly Place[];
  /** A description of the device in XML. */
  readonly description?: { readonly port: number; readonly path: string } | undefined;
}

/** A question to all devices of a network, sent as datagrams to a multicast group. */
export interface Question {
  readonly group: string;
  /** Of IPv6; absent: devices are not asked over IPv6. */
  readonly group6?: string;
  readonly port: number;
  readonly messages: readonly Uint8Array[];
  /** Longer answers are not read. */
  readonly maxBytes: number;
  /** Returns nothing for what is not an answer. Never throws. */
  read(answer: Uint8Array, sender: string): readonly Announcement[];
}

/** Text of a stranger as the hub shows it; undefined if nothing is left. */
export function shownText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clipped(oneLine(clipped(text.trim()))).replace(/\p{Cs}$/u, '') || undefined;
}

/** Host and place of an http or https URL; undefined for any other text. */
export function readUrl(
  text: string,
): { readonly host: string; readonly place: Place; readonly path: string } | undefined {
  if (text.length > 2048) return undefined;
  const url = URL.parse(text);
  const scheme = url?.protocol === 'http:' ? 'http' : url?.protocol === 'https:' ? 'https' : undefined;
  if (url === null || scheme === undefined) return undefined;
  const port = url.port === '' ? { http: 80, https: 443 }[scheme] : Number(url.port);
  if (port === 0) return undefined;
  return { host: url.hostname, place: { scheme, port }, path: url.pathname + url.search };
}

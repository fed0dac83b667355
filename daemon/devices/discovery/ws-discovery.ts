/** WS-Discovery, by which devices with ONVIF are found. */
import { randomUUID } from 'node:crypto';
import { all, parseSoap } from '../onvif/soap.ts';
import type { Announcement, Question } from './announcement.ts';
import { readUrl, shownText } from './announcement.ts';

const names = [
  'xmlns:s="http://www.w3.org/2003/05/soap-envelope"',
  'xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"',
  'xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"',
  'xmlns:n="http://www.onvif.org/ver10/network/wsdl"',
].join(' ');
const discovery = 'http://schemas.xmlsoap.org/ws/2005/04/discovery';
const maxText = 4096;
const maxItems = 32;

function probe(types: string): Uint8Array {
  return Buffer.from(
    [
      `<?xml version="1.0" encoding="UTF-8"?><s:Envelope ${names}><s:Header>`,
      `<a:MessageID>urn:uuid:${randomUUID()}</a:MessageID>`,
      `<a:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To><a:Action>${discovery}/Probe</a:Action>`,
      `</s:Header><s:Body><d:Probe>${types}</d:Probe></s:Body></s:Envelope>`,
    ].join(''),
  );
}

/** Some devices answer only a question for their type, others only one for any type. */
export const wsDiscovery = (): Question => ({
  ...{ group: '239.255.255.250', port: 3702, maxBytes: 8192 },
  messages: [probe('<d:Types>n:NetworkVideoTransmitter</d:Types>'), probe('')],
  read(answer, sender): Announcement[] {
    const body = parseSoap(answer);
    if (body === undefined) return [];
    return all(body.part('ProbeMatches'), 'ProbeMatch').map((match) => {
      const words = (key: string) => (match.text(key, maxText) ?? '').split(/\s+/, maxItems);
      const scopes = words('Scopes');
      const scope = (name: string) => scopeOf(scopes, `onvif://www.onvif.org/${name}/`);
      const urls = words('XAddrs').flatMap((text) => readUrl(text) ?? []);
      return {
        by: 'wsDiscovery',
        facts: { name: scope('name'), model: scope('hardware'), maker: scope('mfr') ?? scope('manufacturer') },
        // A camera with several interfaces names all its addresses.
        places: urls.filter(({ host }) => host === sender).map(({ place }) => place),
      };
    });
  },
});

function scopeOf(scopes: readonly string[], prefix: string): string | undefined {
  const found = scopes.find((scope) => scope.toLowerCase().startsWith(prefix))?.slice(prefix.length);
  if (found === undefined) return undefined;
  try {
    return shownText(decodeURIComponent(found));
  } catch {
    return shownText(found);
  }
}

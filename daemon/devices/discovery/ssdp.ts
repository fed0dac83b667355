/** SSDP, the discovery of UPnP. What a device is stands in a description that its answer leads to. */
import { parseElement } from '../onvif/soap.ts';
import type { Announcement, Facts, Place, Question } from './announcement.ts';
import { readUrl, shownText } from './announcement.ts';

const group = '239.255.255.250';
const port = 1900;
/** Devices spread their answers over so many seconds. */
const spreadSeconds = 2;
const maxHeaders = 64;

export const ssdp: Question = {
  ...{ group, port, maxBytes: 4096 },
  messages: [
    Buffer.from(
      [
        'M-SEARCH * HTTP/1.1',
        `HOST: ${group}:${port}`,
        'MAN: "ssdp:discover"',
        `MX: ${spreadSeconds}`,
        'ST: ssdp:all',
        '\r\n',
      ].join('\r\n'),
    ),
  ],
  read(answer, sender): Announcement[] {
    const [status = '', ...lines] = new TextDecoder().decode(answer).split(/\r?\n/, maxHeaders);
    if (!/^HTTP\/1\.[01] 200\b/.test(status)) return [];
    const line = lines.find((one) => /^location:/i.test(one));
    const location = line === undefined ? undefined : readUrl(line.slice(line.indexOf(':') + 1).trim());
    // Another host could be made to get requests from the hub.
    const isOwn = location?.host === sender && location.place.scheme === 'http';
    return [
      {
        ...{ by: 'ssdp', facts: {}, places: [] },
        description: isOwn ? { port: location.place.port, path: location.path } : undefined,
      },
    ];
  },
};

/** MiniDLNA and others write names as they are. */
const bareAmpersand = /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);)/gi;

/** Reads the description of a device at the URL `at`; undefined for what is not one. */
export function readDescription(
  bytes: Uint8Array,
  at: string,
): { readonly facts: Facts; readonly place?: Place } | undefined {
  const xml = new TextDecoder().decode(bytes).replaceAll(bareAmpersand, '&amp;');
  const device = parseElement(new TextEncoder().encode(xml), 'root')?.part('device');
  if (device === undefined) return undefined;
  const text = (key: string) => shownText(device.text(key));
  const page = device.text('presentationURL');
  const place = page === undefined ? undefined : readUrl(URL.parse(page, at)?.href ?? '')?.place;
  return {
    facts: {
      ...{ name: text('friendlyName'), model: text('modelName') },
      ...{ maker: text('manufacturer'), sn: text('serialNumber') },
    },
    ...(place && { place }),
  };
}

/** Finds untranslated English text on a Chinese page. */
import { hostname } from 'node:os';
import type { Page } from '@playwright/test';
import { accounts } from './accounts.ts';

/** Names, protocols and units, which are the same in every language. */
const shared = new Set(
  [
    ...['Signalbox', accounts.admin.id, accounts.viewer.id, 'English', 'Web', 'API', hostname()],
    ...['FFmpeg', 'OBS', 'vMix', 'Larix', 'Apache', 'License'],
    ...['rtmp', 'srt', 'udp', 'rtp', 'rtsp', 'ndi', 'hls', 'smtp', 'url', 'tcp', 'http', 'https', 'IPv'],
    ...['live', 'example', 'com', 'app', 'host', 'CPU', 'AES'],
    // The made-up noun of tests/fixtures/pens, whose words the console does not know.
    ...['pen', 'fill'],
    ...['PEM', 'ECDSA', 'RSA'],
    ...['AAC', 'fps', 'kHz', 'EN', 'Webhook', 'JSON', 'HMAC', 'CSV', 'dBFS', 'Bun', 'SHA', 'SSH', 'mwf'],
    ...[
      'ETH1',
      'ETH2',
      'ETH',
      'DHCP',
      'NTP',
      'local',
      'DNS',
      'Gbit',
      'Mbit',
      'NetworkManager',
      'USB',
      'wlan',
      'WPA2',
      'WPA3',
      'WPA',
      'WEP',
      'SSID',
      'cdc',
    ],
    ...['Vizrt', 'video', 'Public', 'mDNS', 'avahi', 'daemon', 'Videohub', 'Out', 'Enter', 'Delete', 'Shift', 'Ctrl'],
    // The modes of SRT have no Chinese names.
    ...['Caller', 'Listener'],
  ].map((word) => word.toLowerCase()),
);

/** Returns all visible text and labels, except addresses and names that users chose. */
function readableTexts(): string[] {
  const named = 'code, kbd, tbody, time, [lang="en"], [translate="no"]';
  const texts: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent?.checkVisibility() === true && parent.closest(named) === null) texts.push(node.textContent ?? '');
  }
  for (const attribute of ['aria-label', 'title', 'placeholder']) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      if (element.closest(named) === null) texts.push(element.getAttribute(attribute) ?? '');
    }
  }
  return texts;
}

export async function foreignTexts(page: Page): Promise<string[]> {
  const texts = await page.evaluate(readableTexts);
  const isForeign = (text: string) =>
    (text.match(/[A-Za-z]{3,}/g) ?? []).some((word) => !shared.has(word.toLowerCase()));
  return texts.filter(isForeign);
}

import { expect, test } from 'bun:test';
import type { Wifi } from '../../../../daemon/contract/wifi.ts';
import { ssidText, wifiRows } from './wifi-look.ts';

const wifi = (part: Partial<Wifi>): Wifi => ({
  ...{ state: 'connected', interface: 'wlan0', networks: [], known: [], usb: [], entry: false, missing: [] },
  ...part,
});
const network = (ssid: string, strength: number) => ({
  ...{ ssid, 'ssid-hex': Buffer.from(ssid).toString('hex'), strength, security: 'wpa' as const, frequency: 2412 },
});
const known = (ssid: string) => ({ ...network(ssid, 0), hidden: false });

test('the network in use is first, then known networks, then the strongest; known ones out of range are last', () => {
  const rows = wifiRows(
    wifi({
      networks: [network('Loud', 90), network('Home', 40), network('Office', 60)],
      known: [known('Away'), known('Home'), known('Office')],
      current: { ssid: 'Home', 'ssid-hex': Buffer.from('Home').toString('hex'), strength: 40, addresses: [] },
    }),
  );
  expect(rows.map(({ ssid }) => ssid)).toEqual(['Home', 'Office', 'Loud', 'Away']);
  expect(rows.map(({ isKnown }) => isKnown)).toEqual([true, true, false, true]);
  expect(rows.at(-1)?.strength).toBeUndefined();
});

test('a hidden network in use is shown with its strength although no scan finds it', () => {
  const rows = wifiRows(
    wifi({
      known: [{ ...known('Hidden'), hidden: true }],
      current: { ssid: 'Hidden', 'ssid-hex': Buffer.from('Hidden').toString('hex'), strength: 55, addresses: [] },
    }),
  );
  expect(rows).toMatchObject([{ ssid: 'Hidden', strength: 55, isCurrent: true }]);
});

test('characters of a name that are not seen, or that turn the text around, are escaped', () => {
  expect(ssidText('Café 演播室 <b>')).toBe('Café 演播室 <b>');
  expect(ssidText('a\nb\tc\u0000')).toBe('a\\nb\\tc\\u{0}');
  expect(ssidText('pay\u202Eliam')).toBe('pay\\u{202e}liam');
});

import { expect, test } from 'bun:test';
import { formatNdiUrl, type NdiStream, parseNdiUrl } from './ndi-address.ts';
import { readStreamConfig, showStreamConfig } from './stream-config.ts';

const plain: NdiStream = { protocol: 'ndi', name: 'STUDIO (Cam 1)', groups: '', extraIps: '', lowBandwidth: false };
const full: NdiStream = { ...plain, groups: 'Public,News', extraIps: '192.0.2.7,192.0.2.8', lowBandwidth: true };

test.each([
  ['ndi://STUDIO%20(Cam%201)', plain],
  ['ndi://STUDIO%20(Cam%201)?groups=Public%2CNews&extraips=192.0.2.7%2C192.0.2.8&bandwidth=low', full],
])('%s is read and written', (url, address) => {
  expect(parseNdiUrl(url)).toEqual({ address });
  expect(formatNdiUrl(address)).toBe(url);
});

test.each([
  ['ndi://', 'required', 'name'],
  ['ndi://a?groups=x&groups=y', 'repeated', 'groups'],
  ['ndi://a?colour=best', 'unknownOption', 'colour'],
  ['ndi://a?bandwidth=some', 'choice', 'bandwidth'],
  ['ndi://a?extraips=300.1.1.1', 'ipv4', 'extra-ips'],
])('%s breaks a rule', (url, rule, detail) => {
  expect(parseNdiUrl(url)).toEqual({ fault: { rule, detail } });
});

test('an answer that is sent back whole is understood', () => {
  const shown = showStreamConfig(full, 'input');
  expect(shown).toMatchObject({ url: formatNdiUrl(full), ndi: { name: 'STUDIO (Cam 1)', 'low-bandwidth': true } });
  expect(readStreamConfig(shown, 'input', full)).toEqual(full);
  expect(readStreamConfig({ ...shown, ndi: { name: 'Other' } }, 'input', full)).toMatchObject({ name: 'Other' });
});

test.each([
  [{ name: 'On air', 'low-bandwidth': true }, 'config.ndi.low-bandwidth', 'unsupported'],
  [{ name: 'On air', 'extra-ips': '192.0.2.1' }, 'config.ndi.extra-ips', 'unsupported'],
  [{ name: 'On/air' }, 'config.ndi.name', 'characters'],
])('an output refuses %o', (ndi, path, rule) => {
  expect(() => readStreamConfig({ ndi }, 'output')).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ path, rule })] }),
  );
});

import { expect, test } from 'bun:test';
import { parsed } from '../../tests/support/parsed-url.ts';
import type { NdiStream } from './stream-address.ts';
import { readStreamConfig, showStreamConfig } from './stream-config.ts';
import { formatStreamUrl, parseNdiUrl } from './stream-url.ts';

const parse = (url: string) => parsed(() => parseNdiUrl(url));

const plain: NdiStream = { protocol: 'ndi', name: 'STUDIO (Cam 1)', groups: '', extraIps: '', lowBandwidth: false };
const full: NdiStream = { ...plain, groups: 'Public,News', extraIps: '192.0.2.7,192.0.2.8', lowBandwidth: true };

test.each([
  ['ndi://STUDIO%20(Cam%201)', plain],
  ['ndi://STUDIO%20(Cam%201)?groups=Public%2CNews&extraips=192.0.2.7%2C192.0.2.8&bandwidth=low', full],
])('%s is read and written', (url, address) => {
  expect(parse(url)).toEqual({ address });
  expect(formatStreamUrl(address)).toBe(url);
});

test('the transport and the groups of an output are read, written and removed again', () => {
  const url =
    'ndi://On%20air?discovery=192.0.2.1%3A5960%2Cndi.example&transport=multicast&group=239.9.0.0&mask=255.255.0.0&ttl=4';
  const sent: NdiStream = {
    ...{ ...plain, name: 'On air', discovery: '192.0.2.1:5960,ndi.example', transport: 1 },
    multicast: { group: '239.9.0.0', mask: '255.255.0.0', ttl: 4 },
  };
  expect(parse(url)).toEqual({ address: sent });
  expect(formatStreamUrl(sent)).toBe(url);
  const shown = showStreamConfig(sent, 'output');
  expect(shown.ndi).toMatchObject({ 'transport-mode': 1, 'mcast-sub-mask': '255.255.0.0', 'mcast-time-to-live': '4' });
  expect(readStreamConfig(shown, 'output', sent)).toEqual(sent);
  const blank = { 'transport-mode': null, 'mcast-ip': '', 'mcast-sub-mask': '', 'mcast-time-to-live': '1' };
  const typed = { name: 'On air', 'discovery-server': '', ...blank };
  expect(readStreamConfig({ ndi: typed }, 'output', sent)).toEqual({ ...plain, name: 'On air' });
});

test('an input has a transport and a buffer', () => {
  const held: NdiStream = { ...plain, transport: 3, bufferMs: 80 };
  const url = `${formatStreamUrl(plain)}?transport=multi-tcp`;
  expect(readStreamConfig({ url, 'buffer-duration': 80 }, 'input')).toEqual(held);
  expect(readStreamConfig({ url: `${url}&mw-buffer-duration=80` }, 'input')).toEqual(held);
  expect(showStreamConfig(held, 'input')).toMatchObject({
    ...{ url: `${url}&mw-buffer-duration=80`, 'buffer-duration': 80 },
  });
});

test.each([
  ['ndi://', 'required', 'name'],
  ['ndi://a?transport=pigeon', 'choice', 'transport'],
  ['ndi://a?discovery=a..b', 'host', 'discovery-server'],
  ['ndi://a?discovery=a:70000', 'host', 'discovery-server'],
  ['ndi://a?transport=multicast&group=10.0.0.1', 'multicast', 'mcast-ip'],
  ['ndi://a?transport=multicast&mask=255.0.255.0', 'mask', 'mcast-sub-mask'],
  ['ndi://a?transport=multicast&ttl=0', 'range', 'mcast-time-to-live'],
  ['ndi://a?groups=x&groups=y', 'repeated', 'groups'],
  ['ndi://a?colour=best', 'unknownOption', 'colour'],
  ['ndi://a?bandwidth=some', 'choice', 'bandwidth'],
  ['ndi://a?extraips=300.1.1.1', 'ipv4', 'extra-ips'],
])('%s breaks a rule', (url, rule, detail) => {
  expect(parse(url)).toEqual({ fault: { rule, detail: expect.stringContaining(detail) } });
});

test('sending a response back unchanged is accepted', () => {
  const shown = showStreamConfig(full, 'input');
  expect(shown).toMatchObject({ url: formatStreamUrl(full), ndi: { name: 'STUDIO (Cam 1)', 'low-bandwidth': true } });
  expect(readStreamConfig(shown, 'input', full)).toEqual(full);
  expect(readStreamConfig({ ...shown, ndi: { name: 'Other' } }, 'input', full)).toMatchObject({ name: 'Other' });
});

test.each([
  [{ name: 'On air', 'low-bandwidth': true }, 'config.ndi.low-bandwidth', 'unsupported'],
  [{ name: 'On air', 'extra-ips': '192.0.2.1' }, 'config.ndi.extra-ips', 'unsupported'],
  [{ name: 'On/air' }, 'config.ndi.name', 'characters'],
  [{ name: 'On air', 'mcast-ip': '239.9.0.0' }, 'config.ndi.transport-mode', 'multicast'],
])('an output refuses %o', (ndi, path, rule) => {
  expect(() => readStreamConfig({ ndi }, 'output')).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ path, rule })] }),
  );
});

import { expect, test } from 'bun:test';
import { encodeQuestions, readRecords } from '../../lib/dns.ts';
import { mdns } from './mdns.ts';
import { makerOf } from './neighbors.ts';
import { readDescription, ssdp } from './ssdp.ts';
import { wsDiscovery } from './ws-discovery.ts';

const sender = '192.168.1.20';
const bytes = (text: string) => new TextEncoder().encode(text);

/** A response with so many records, given as hexadecimal digits; the first one begins at byte 12. */
const response = (count: number, ...records: string[]) =>
  Buffer.from(`000084000000000${count}00000000${records.join('')}`, 'hex');
const http = '055f68747470045f746370056c6f63616c00';
const record = (type: string, data: string) =>
  `${type}800100000078${(data.length / 2).toString(16).padStart(4, '0')}${data}`;
/** Of an instance "Hall", whose name is at byte 40. */
const ptr = http + record('000c', '0448616c6cc00c');
const srv = `c028${record('0021', '000000001f900364657600')}`;
const address = `0364657600${record('0001', 'c0a80115')}`;

test('mDNS names the service, its port and its address', () => {
  const txt = `c028${record('0010', `0d${Buffer.from('model=Encoder').toString('hex')}`)}`;
  expect(mdns.read(response(4, ptr, srv, txt, address), sender)).toEqual([
    {
      ...{ by: 'mdns', address: '192.168.1.21', places: [{ scheme: 'http', port: 8080 }] },
      facts: { name: 'Hall', model: 'Encoder', sn: undefined, maker: undefined },
    },
  ]);
});

test('mDNS names the IPv6 address of a host, but none that is link-local', () => {
  const of = (digits: string) => `0364657600${record('001c', digits)}`;
  const [local, own] = [of(`fe80${'0'.repeat(26)}77`), of(`fd00${'0'.repeat(26)}77`)];
  expect(mdns.read(response(4, ptr, srv, own, local), sender)).toMatchObject([
    { address: undefined, address6: 'fd00::77' },
  ]);
  expect(mdns.read(response(3, ptr, srv, of('fd00')), sender)).toMatchObject([{ address6: undefined }]);
});

test('a record that cannot be read does not hide the others', () => {
  // An NSEC record whose name points forward, as embedded responders send it.
  const broken = `c028${record('002f', 'c0ff00050000800040')}`;
  expect(mdns.read(response(3, ptr, broken, srv), sender)).toMatchObject([{ places: [{ port: 8080 }] }]);
});

test('a question is not an answer, and nothing after a cut is read', () => {
  expect(readRecords(encodeQuestions(['_http._tcp.local']))).toEqual([]);
  expect(readRecords(response(2, ptr, srv.slice(0, -8)))).toHaveLength(1);
});

test.each([
  ['to itself', 'c00c'],
  ['forward', 'c0ff'],
  ['back to a label before it', '0161c00c'],
])('a name with a pointer %s has an end', (_, name) => {
  expect(readRecords(response(1, name + record('0001', '01020304')))).toEqual([]);
});

test('names of strangers have no control characters and a limited length', () => {
  const name = `\u202e<b>\n${'x'.repeat(30)}`;
  const target = `${Buffer.byteLength(name).toString(16)}${Buffer.from(name).toString('hex')}c00c`;
  const [found] = mdns.read(response(1, http + record('000c', target)), sender);
  expect(found?.facts.name).toBe(`<b> ${'x'.repeat(30)}`);
});

test('SSDP leads to a description on the device itself, not on another host', () => {
  const answer = (location: string) => bytes(`HTTP/1.1 200 OK\r\nST: upnp:rootdevice\r\nLocation: ${location}\r\n\r\n`);
  expect(ssdp.read(answer('http://192.168.1.20:49152/d.xml?a=1'), sender)[0]?.description).toEqual({
    port: 49_152,
    path: '/d.xml?a=1',
  });
  for (const location of ['http://192.168.1.21/d.xml', 'http://localhost/', 'file:///etc/passwd', '']) {
    expect(ssdp.read(answer(location), sender)[0]?.description).toBeUndefined();
  }
  expect(ssdp.read(bytes('NOTIFY * HTTP/1.1\r\nLOCATION: http://192.168.1.20/\r\n\r\n'), sender)).toEqual([]);
});

test('a description has name, model, maker, serial number and web page', () => {
  const device = '<friendlyName>Hall</friendlyName><modelName>E1</modelName><serialNumber>7</serialNumber>';
  const page = '<presentationURL>http://192.168.1.20:8080/</presentationURL>';
  const at = 'http://192.168.1.20:8200/';
  const described = (content: string) => readDescription(bytes(`<root><device>${content}</device></root>`), at);
  expect(described(device + page)).toEqual({
    facts: { name: 'Hall', model: 'E1', sn: '7', maker: undefined },
    place: { scheme: 'http', port: 8080 },
  });
  // As MiniDLNA writes it.
  expect(described('<friendlyName>A & B &lt;&#65;</friendlyName><presentationURL>/</presentationURL>')).toMatchObject({
    facts: { name: 'A & B <A' },
    place: { scheme: 'http', port: 8200 },
  });
  expect(readDescription(bytes('<html><device/></html>'), at)).toBeUndefined();
});

test('WS-Discovery names the camera in its scopes, and its web server at the address that answered', () => {
  const match = (scopes: string, addresses: string) =>
    bytes(
      `<e:Envelope xmlns:e="e"><e:Body><d:ProbeMatches xmlns:d="d"><d:ProbeMatch><d:Scopes>${scopes}</d:Scopes><d:XAddrs>${addresses}</d:XAddrs></d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>`,
    );
  const answer = match(
    'onvif://www.onvif.org/name/Gate%20%C3%A9 onvif://www.onvif.org/hardware/D%4 ',
    'http://10.0.0.9/onvif http://192.168.1.20:8000/onvif/device_service',
  );
  expect(wsDiscovery().read(answer, sender)).toEqual([
    {
      ...{ by: 'wsDiscovery', places: [{ scheme: 'http', port: 8000 }] },
      facts: { name: 'Gate é', model: 'D%4', maker: undefined },
    },
  ]);
  expect(wsDiscovery().read(bytes('<a>'), sender)).toEqual([]);
});

test('the maker is known by the block of the MAC address', () => {
  expect([makerOf('d0:c8:57:81:02:03'), makerOf('70:b3:d5:75:d1:23')]).toEqual(['Magewell', 'Magewell']);
  expect([makerOf('d0:c8:57:91:02:03'), makerOf(undefined)]).toEqual([undefined, undefined]);
});

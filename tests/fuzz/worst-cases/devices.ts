/** Answers of a hostile device, at the limit of an answer. */
import { Answer } from '../../../daemon/devices/answer.ts';
import { factsOf as apiPathFacts } from '../../../daemon/devices/api-path/facts.ts';
import type { Question } from '../../../daemon/devices/discovery/announcement.ts';
import { mdns } from '../../../daemon/devices/discovery/mdns.ts';
import { ssdp } from '../../../daemon/devices/discovery/ssdp.ts';
import { wsDiscovery } from '../../../daemon/devices/discovery/ws-discovery.ts';
import { factsOf as mwapiFacts } from '../../../daemon/devices/mwapi/facts.ts';
import { parseSoap } from '../../../daemon/devices/onvif/soap.ts';
import { maxJsonBytes } from '../../../daemon/devices/query-session.ts';
import { infoOf, factsOf as usapiFacts } from '../../../daemon/devices/usapi/facts.ts';
import { settingsOf } from '../../../daemon/devices/usapi/settings.ts';
import { factsOf as v1Facts } from '../../../daemon/devices/v1/facts.ts';
import { decodeOsc } from '../../../daemon/devices/v1/osc.ts';
import { recorded } from '../../sim/devices/recorded.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const fill = (piece: string, bytes = maxJsonBytes - 200) =>
  piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);

function answer(parser: string, input: string, text: () => string, step: (answer: Answer) => unknown): WorstCase {
  return {
    parser: `${parser} answer`,
    input,
    prepare() {
      const bytes = new TextEncoder().encode(text());
      return tolerant(() => step(Answer.parse(bytes) ?? new Answer({})));
    },
  };
}

const usapi = (input: string, text: () => string) =>
  answer('usapi', input, text, (all) =>
    usapiFacts(infoOf(new Answer(recorded('usapi/encode.get-info'))), all, settingsOf(all)),
  );
const mwapi = (input: string, text: () => string) => answer('mwapi', input, text, (all) => mwapiFacts(all, all));
const apiPath = (input: string, text: () => string) =>
  answer('apiPath', input, text, (all) => apiPathFacts(all, all, all));
const onvif = (input: string, content: () => string): WorstCase => ({
  parser: 'onvif answer',
  input,
  prepare() {
    const bytes = new TextEncoder().encode(`<Envelope><Body>${content()}</Body></Envelope>`);
    return tolerant(() => parseSoap(bytes));
  },
});
const osc = (input: string, bytes: () => Uint8Array): WorstCase => ({
  ...{ parser: 'OSC', input },
  prepare() {
    const datagram = bytes();
    return tolerant(() => decodeOsc(datagram));
  },
});
const device = (fields: string) => `{"device":{"serial-no":"B401180706020",${fields}}}`;

const server = { id: 1, type: 0, name: 'x', key: 'k', url: 'rtmp://a/b' };

const heard = (parser: string, { read, maxBytes }: Question, input: string, bytes: () => Uint8Array): WorstCase => ({
  ...{ parser, input },
  prepare() {
    const answer = bytes().subarray(0, maxBytes);
    return tolerant(() => read(answer, '192.168.1.20'));
  },
});
/** Names of one label, each with a pointer to the one before it, which all records point to in turn. */
function chain(): Uint8Array {
  const header = Buffer.from('00008400000000ff00000000', 'hex');
  const names = Array.from({ length: 120 }, (_, at) => {
    const before = 12 + 12 + Math.max(0, at - 1) * 4;
    return Buffer.from([1, 97, 0xc0 | (before >> 8), before & 255]);
  });
  const first = Buffer.from('000010800100000078', 'hex');
  const long = Buffer.concat([Buffer.from([480 >> 8, 480 & 255]), ...names]);
  const last = 12 + 12 + 119 * 4;
  const record = Buffer.from([0xc0 | (last >> 8), last & 255, 0, 12, 128, 1, 0, 0, 0, 9, 0, 2]);
  const target = record.subarray(0, 2);
  return Buffer.concat([header, first, long, ...Array.from({ length: 400 }, () => Buffer.concat([record, target]))]);
}
const xml = (content: string) =>
  Buffer.from(`<Envelope><Body><ProbeMatches><ProbeMatch>${content}</ProbeMatch></ProbeMatches></Body></Envelope>`);

export const deviceCases: readonly WorstCase[] = [
  heard('mDNS', mdns, 'a chain of pointers', chain),
  heard('mDNS', mdns, 'many records', () =>
    Buffer.concat([Buffer.from('00008400ffffffffffffffff', 'hex'), Buffer.alloc(9000)]),
  ),
  heard('SSDP', ssdp, 'many lines', () => Buffer.from(`HTTP/1.1 200 OK\r\n${fill('location:\n')}`)),
  heard('SSDP', ssdp, 'an address of escapes', () =>
    Buffer.from(`HTTP/1.1 200 OK\r\nLOCATION: http://192.168.1.20/${fill('%2e%2e/')}`),
  ),
  heard('WS-Discovery', wsDiscovery(), 'nested elements', () => xml(fill('<a>', 15_000))),
  heard('WS-Discovery', wsDiscovery(), 'many scopes', () => xml(`<Scopes>${fill('onvif:// ', 15_000)}</Scopes>`)),
  heard('WS-Discovery', wsDiscovery(), 'many matches', () => xml(fill('</ProbeMatch><ProbeMatch>', 15_000))),
  usapi('nested lists', () => `{"live-status":${fill('[')}`),
  usapi('nested objects', () => `{"live-status":${fill('{"a":')}`),
  usapi('many fields', () => `{${'"cur_status":1,'.repeat(17_000)}"b":1}`),
  usapi('many servers', () => JSON.stringify({ 'stream-server': Array.from({ length: 4000 }, () => server) })),
  usapi('servers with long addresses', () => {
    const url = `rtmp://a/${fill('b/', 3500)}`;
    const list = Array.from({ length: 64 }, (_, id) => ({ ...server, id, url }));
    return JSON.stringify({ 'stream-server': list });
  }),
  usapi('a long list of name servers', () => `{"eth":{"dns":"${fill(', ')}"}}`),
  usapi('a name of spaces', () => `{"box-name":"x${fill(' ')}x"}`),
  mwapi('an input state of digits', () => device(`"input-state":"${fill('1')}"`)),
  mwapi('a source address of separators', () => `{"device":{"serial-no":"x"},"ndi":{"url":"srt://${fill('?&')}"}}`),
  mwapi(
    'a source address of escapes',
    () => `{"device":{"serial-no":"x"},"ndi":{"url":"ntkndi://ndi?url=${fill('%41')}"}}`,
  ),
  apiPath('many streams', () => `{"serial-number":"x","profile":{"streams":[${'{},'.repeat(80_000)}{}]}}`),
  apiPath('many receivers', () => `{"serial-number":"A424250318011","ndi":[${'{"url":"a:1"},'.repeat(17_000)}{}]}`),
  answer(
    'v1',
    'many servers',
    () => `{"serverList":[${'{"bitrate":"1 Mbps"},'.repeat(12_000)}{}]}`,
    (all) => v1Facts({ sn: 'V1', name: '' }, new Map([['streaming', all]])),
  ),
  osc('many types', () => Buffer.from(`/a\0\0,${fill('T', 65_000)}`, 'latin1')),
  osc('many messages of a bundle', () =>
    Buffer.concat([
      Buffer.from('#bundle\0'.padEnd(16, '\0'), 'latin1'),
      ...Array.from({ length: 5000 }, () => Buffer.from('\0\0\0\u0008/a\0\0,\0\0\0', 'latin1')),
    ]),
  ),
  osc('a text without an end', () => Buffer.from(`/a\0\0,${'s'.repeat(63)}${fill('x', 60_000)}`, 'latin1')),
  onvif('nested elements', () => fill('<a>')),
  onvif('declarations of names without an end', () => `<a ${fill('xmlns')}`),
  onvif('many attributes', () => `<a ${Array.from({ length: 20_000 }, (_, at) => `x${at}="1"`).join(' ')}/>`),
  onvif('many elements of a name', () => fill('<a/>')),
  onvif('line breaks', () => fill('\r')),
  onvif('escapes', () => `<a>${fill('&#65;')}</a>`),
  onvif('a comment without an end', () => `<!--${fill('- -')}`),
];

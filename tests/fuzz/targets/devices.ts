/** Answers of devices: whatever a device sends, the facts have the form that the API promises, or there are none. */
import { DeviceFacts } from '../../../daemon/contract/device-facts.ts';
import { Answer } from '../../../daemon/devices/answer.ts';
import { factsOf as apiPathFacts } from '../../../daemon/devices/api-path/facts.ts';
import { mdns } from '../../../daemon/devices/discovery/mdns.ts';
import { readDescription, ssdp } from '../../../daemon/devices/discovery/ssdp.ts';
import { wsDiscovery } from '../../../daemon/devices/discovery/ws-discovery.ts';
import { factsOf as mwapiFacts } from '../../../daemon/devices/mwapi/facts.ts';
import { factsOf as mwapiPathFacts } from '../../../daemon/devices/mwapi-path/facts.ts';
import { factsOf as onvifFacts } from '../../../daemon/devices/onvif/facts.ts';
import { all, parseSoap } from '../../../daemon/devices/onvif/soap.ts';
import { DeviceProblem } from '../../../daemon/devices/problem.ts';
import { oneLine } from '../../../daemon/devices/units.ts';
import { infoOf, factsOf as usapiFacts } from '../../../daemon/devices/usapi/facts.ts';
import { settingsOf } from '../../../daemon/devices/usapi/settings.ts';
import { factsOf as v1Facts } from '../../../daemon/devices/v1/facts.ts';
import { decodeOsc, encodeOsc } from '../../../daemon/devices/v1/osc.ts';
import { recorded } from '../../sim/devices/recorded.ts';
import type { Random } from '../random.ts';
import { allow, type FuzzTarget, parser } from '../target.ts';

const bytesOf = (name: string) => new TextEncoder().encode(JSON.stringify(recorded(name)));

/** Most mutated answers are not JSON any more: those become a recorded answer with odd values. */
function read(bytes: Uint8Array, names: readonly string[], random: Random): Answer {
  return Answer.parse(bytes) ?? new Answer(odd(recorded(random.pick(names)), random) as Record<string, unknown>);
}

const oddValues = [
  null,
  true,
  -1,
  0.5,
  1e300,
  2 ** 53,
  '',
  ' ',
  '12',
  'x'.repeat(999),
  [],
  {},
  [[]],
  'rtmp://%',
  'a://',
];

function odd(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => odd(item, random));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, odd(item, random)]));
  }
  return random.below(8) === 0 ? random.pick(oddValues) : value;
}

const usapiNames = [
  ...['get-status-live-recording', 'get-status-updating', 'get-info', 'get-settings'].map((name) => `encode.${name}`),
  ...['get-status', 'get-settings'].map((name) => `stream.${name}`),
].map((name) => `usapi/${name}`);
const mwapiNames = [
  ...['encoder', 'decoder'].map((kind) => `mwapi/${kind}.get-summary-info`),
  'mwapi/encoder.get-update-state-updating',
];
const apiPathNames = ['decoder.summary', 'audio.summary', 'upgrade-state-updating', 'audio.receiver-info'].map(
  (name) => `apiPath/${name}`,
);
const mwapiPathNames = ['summary', 'status', 'upgrade-state-downloading'].map((name) => `mwapiPath/${name}`);

const v1Types = ['recording', 'streaming', 'scene'] as const;
const oscMessage = encodeOsc('/status/recording', [JSON.stringify(recorded('v1/recording')), 7001]);
const oscDatagrams = [
  oscMessage,
  Buffer.from('/a\0\0,fTFNhbd\0\0\0\0'.padEnd(48, '\0'), 'latin1'),
  Buffer.concat([
    Buffer.from('#bundle\0\0\0\0\0\0\0\0\u0001\0\0\0', 'latin1'),
    Buffer.from([oscMessage.length]),
    oscMessage,
  ]),
];

const soap = (content: string) =>
  new TextEncoder().encode(`<s:Envelope xmlns:s="s"><s:Body><R>${content}</R></s:Body></s:Envelope>`);
const video = '<VideoEncoderConfiguration><Encoding>H264</Encoding><Resolution><Width>9</Width></Resolution>';
const description = `<?xml version="1.0"?><root><device><friendlyName>A</friendlyName><modelName>M &amp; N</modelName>
<serialNumber>1</serialNumber><presentationURL>http://192.168.1.20:8080/</presentationURL></device></root>`;
const location = 'LOCATION: http://192.168.1.20:49152/d.xml';
const match = '<Scopes>onvif://www.onvif.org/name/A%20B</Scopes><XAddrs>http://192.168.1.20/onvif</XAddrs>';
const announced = [
  Buffer.from(
    '000084000000000400000000055f68747470045f746370056c6f63616c00000c8001000000780007044861' +
      '6c6cc00cc0280021800100000078000b000000001f9003646576c000c02800108001000000780006056d643d4531' +
      '036465760000018001000000780004c0a80115',
    'hex',
  ),
  Buffer.from(`HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\n${location}\r\nST: upnp:rootdevice\r\n\r\n`),
  Buffer.from(
    `<E:Envelope xmlns:E="e"><E:Body><ProbeMatches><ProbeMatch>${match}</ProbeMatch></ProbeMatches></E:Body></E:Envelope>`,
  ),
];
const soaps = [
  soap('<SerialNumber>1</SerialNumber><Model>A &amp; B</Model><HardwareId>2</HardwareId>'),
  soap(`<SerialNumber>1</SerialNumber><Profiles token="a">${video}</VideoEncoderConfiguration></Profiles>`),
  soap(
    '<SerialNumber>1</SerialNumber><NetworkInterfaces><IPv4><Config><DHCP>true</DHCP></Config></IPv4></NetworkInterfaces>',
  ),
];

/** What strangers in the network answer to a search for devices. */
const announcements: readonly FuzzTarget[] = [mdns, ssdp, wsDiscovery()].map((question, at) =>
  parser(
    ['mdns', 'ssdp', 'ws-discovery'][at] ?? '',
    3000,
    () => [announced[at] ?? new Uint8Array()],
    (input) => {
      const heard = question.read(input, '192.168.1.20');
      const texts = heard.flatMap(({ facts }) => Object.values(facts));
      if (texts.some((text) => text !== undefined && (text.length > 255 || oneLine(text) !== text))) {
        throw new Error('an unexpected text');
      }
      return heard;
    },
  ),
);

export const deviceTargets: readonly FuzzTarget[] = [
  ...announcements,
  parser(
    'description',
    1500,
    () => [new TextEncoder().encode(description)],
    (input) => readDescription(input, 'http://192.168.1.20/'),
  ),
  parser(
    'usapi',
    1500,
    () => usapiNames.map(bytesOf),
    (input, random) => {
      const [status, settings, info] = [0, 1, 2].map(() => read(input, usapiNames, random)) as [Answer, Answer, Answer];
      return allow([DeviceProblem], () => {
        const known = infoOf(info.has('product') ? info : new Answer(recorded('usapi/encode.get-info')));
        return DeviceFacts.parse(usapiFacts(known, status, settingsOf(settings)));
      });
    },
  ),
  parser(
    'mwapi',
    1500,
    () => mwapiNames.map(bytesOf),
    (input, random) => {
      const [summary, update] = [0, 1].map(() => read(input, mwapiNames, random)) as [Answer, Answer];
      return allow([DeviceProblem], () => DeviceFacts.parse(mwapiFacts(summary, update)));
    },
  ),
  parser(
    'apiPath',
    1500,
    () => apiPathNames.map(bytesOf),
    (input, random) => {
      const [summary, ...others] = [0, 1, 2].map(() => read(input, apiPathNames, random)) as [Answer, Answer, Answer];
      return allow([DeviceProblem], () => DeviceFacts.parse(apiPathFacts(summary, ...others)));
    },
  ),
  parser(
    'mwapiPath',
    1500,
    () => mwapiPathNames.map(bytesOf),
    (input, random) => {
      const [summary, ...others] = [0, 1, 2].map(() => read(input, mwapiPathNames, random)) as [Answer, Answer, Answer];
      return allow([DeviceProblem], () => DeviceFacts.parse(mwapiPathFacts(summary, ...others)));
    },
  ),
  parser(
    'v1',
    1500,
    () => v1Types.map((type) => bytesOf(`v1/${type}`)),
    (input, random) => {
      const names = v1Types.map((type) => `v1/${type}`);
      const status = new Map(v1Types.map((type) => [type, read(input, names, random)]));
      return DeviceFacts.parse(v1Facts({ sn: 'V1', name: 'A' }, status));
    },
  ),
  parser(
    'osc',
    3000,
    () => oscDatagrams,
    (input) => {
      const messages = decodeOsc(input) ?? [];
      if (messages.length > 64 || messages.some(({ args }) => args.length > 64)) throw new Error('too many');
      return messages;
    },
  ),
  parser(
    'onvif',
    1500,
    () => soaps,
    (input) => {
      const answer = (parseSoap(input) ?? new Answer({})).part('R');
      const profiles = all(answer, 'Profiles').map((profile) => ({
        ...{ token: profile.text('@token') ?? '', profile },
        streamUri: profile.text('Name'),
      }));
      return allow([DeviceProblem], () => DeviceFacts.parse(onvifFacts(answer, { network: answer, profiles })));
    },
  ),
];

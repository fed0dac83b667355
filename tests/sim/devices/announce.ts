/** Simulated devices that answer mDNS, SSDP and WS-Discovery, each at an address of its own. */
import { createSocket, type Socket } from 'node:dgram';

export interface Announced {
  /** Of the interface that it answers on, and of its web server. */
  readonly address: string;
  readonly name: string;
  readonly model: string;
  readonly sn: string;
  /** Of its web server. */
  readonly port: number;
  readonly by: readonly (keyof typeof responders)[];
}

type Responder = {
  readonly group: string;
  readonly port: number;
  /** Returns the answers to a question. */
  answer(question: Buffer, device: Announced): readonly Uint8Array[];
};

const responders = {
  mdns6: {
    ...{ group: 'ff02::fb', port: 5353 },
    answer: (question, device) => (question.includes('\x05_http\x04_tcp') ? [mdnsAnswer(question, device)] : []),
  },
  mdns: {
    ...{ group: '224.0.0.251', port: 5353 },
    answer: (question, device) => (question.includes('\x05_http\x04_tcp') ? [mdnsAnswer(question, device)] : []),
  },
  ssdp: {
    ...{ group: '239.255.255.250', port: 1900 },
    answer: (question, { address, port, sn }) =>
      question.toString().startsWith('M-SEARCH * HTTP/1.1\r\n')
        ? ['upnp:rootdevice', `uuid:${sn}`].map((target) =>
            Buffer.from(
              `HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nEXT:\r\nLOCATION: http://${address}:${port}/description.xml\r\nSERVER: Linux UPnP/1.0 Device/1.0\r\nST: ${target}\r\nUSN: uuid:${sn}::${target}\r\n\r\n`,
            ),
          )
        : [],
  },
  wsDiscovery: {
    ...{ group: '239.255.255.250', port: 3702 },
    answer: (question, device) =>
      /<d:Probe>/.test(question.toString()) ? [probeMatches(question.toString(), device)] : [],
  },
} satisfies Record<string, Responder>;

/** Answers until the returned function is called. Resolves once it listens. */
export async function announce(device: Announced): Promise<() => void> {
  const sockets = await Promise.all(device.by.map((protocol) => listen(responders[protocol], device)));
  return () => {
    for (const socket of sockets) socket.close();
  };
}

async function listen(responder: Responder, device: Announced): Promise<Socket> {
  const isV6 = responder.group.includes(':');
  const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', reuseAddr: true });
  const own = createSocket(isV6 ? 'udp6' : 'udp4');
  await Promise.all([
    new Promise<void>((resolve) => socket.bind(responder.port, () => resolve())),
    // Several devices share a machine: each sends from its own address.
    new Promise<void>((resolve) => own.bind(0, isV6 ? '::' : device.address, () => resolve())),
  ]);
  socket.addMembership(responder.group, isV6 ? '::%far' : device.address);
  socket.on('close', () => own.close());
  socket.on('message', (question, { address, port }) => {
    for (const answer of responder.answer(question, device)) own.send(answer, port, address);
  });
  return socket;
}

/** The description to which the answers of SSDP lead. */
export function descriptionOf({ name, model, sn, address, port }: Announced): Response {
  const text = `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major></specVersion>
    <device><deviceType>urn:schemas-upnp-org:device:Basic:1</deviceType><friendlyName>${name}</friendlyName>
    <manufacturer>Example</manufacturer><modelName>${model}</modelName><serialNumber>${sn}</serialNumber>
    <presentationURL>http://${address}:${port}/</presentationURL></device></root>`;
  return new Response(text, { headers: { 'content-type': 'text/xml' } });
}

const label = (text: string) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
const nameOf = (...labels: string[]) => Buffer.concat([...labels.map(label), Buffer.from([0])]);
/** Pointer to an earlier place in the message. */
const pointer = (at: number) => Buffer.from([0xc0 | (at >> 8), at & 0xff]);

/** PTR, SRV, TXT and A, with compressed names, as a responder answers a question from another port than 5353. */
function mdnsAnswer(question: Buffer, { name, address, port }: Announced): Uint8Array {
  const header = Buffer.from([...question.subarray(0, 2), 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 3]);
  const service = nameOf('_http', '_tcp', 'local');
  const serviceAt = header.length;
  const head = (type: number, data: Uint8Array) =>
    Buffer.concat([Buffer.from([0, type, 0x80, 1, 0, 0, 0, 10, data.length >> 8, data.length & 0xff]), data]);
  const instance = Buffer.concat([label(name), pointer(serviceAt)]);
  const instanceAt = serviceAt + service.length + 10;
  const host = nameOf('device', 'local');
  const srv = Buffer.concat([Buffer.from([0, 0, 0, 0, port >> 8, port & 0xff]), host]);
  return Buffer.concat([
    header,
    ...[service, head(12, instance)],
    ...[pointer(instanceAt), head(33, srv)],
    ...[pointer(instanceAt), head(16, Buffer.from([0]))],
    ...[
      host,
      address.includes(':') ? head(28, ipv6Bytes(address)) : head(1, Buffer.from(address.split('.').map(Number))),
    ],
  ]);
}

/** Of an address with `::` in it. */
function ipv6Bytes(address: string): Uint8Array {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function probeMatches(probe: string, { name, model, address, port, sn }: Announced): Uint8Array {
  const id = /<a:MessageID>([^<]*)</.exec(probe)?.[1] ?? '';
  const scopes = [`name/${encodeURIComponent(name)}`, `hardware/${encodeURIComponent(model)}`, 'Profile/Streaming'];
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
    <env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope" xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing"
      xmlns:wsdd="http://schemas.xmlsoap.org/ws/2005/04/discovery" xmlns:dn="http://www.onvif.org/ver10/network/wsdl">
    <env:Header><wsa:RelatesTo>${id}</wsa:RelatesTo></env:Header><env:Body><wsdd:ProbeMatches><wsdd:ProbeMatch>
    <wsa:EndpointReference><wsa:Address>urn:uuid:${sn}</wsa:Address></wsa:EndpointReference>
    <wsdd:Types>dn:NetworkVideoTransmitter</wsdd:Types>
    <wsdd:Scopes>${scopes.map((scope) => `onvif://www.onvif.org/${scope}`).join(' ')}</wsdd:Scopes>
    <wsdd:XAddrs>http://192.0.2.9/onvif/device_service http://${address}:${port}/onvif/device_service</wsdd:XAddrs>
    <wsdd:MetadataVersion>1</wsdd:MetadataVersion></wsdd:ProbeMatch></wsdd:ProbeMatches></env:Body></env:Envelope>`);
}

/** Where the hub waits for connections and packets of other machines. */
import type { ListeningPort } from '../../contract/firewall.ts';
import { firewallProtocols } from '../../contract/firewall-words.ts';
import { isRtspServer, listenPortOf, type StreamAddress } from '../../sources/stream-address.ts';

type Place = Omit<ListeningPort, 'open'>;

interface Named {
  readonly name: string;
  readonly address: StreamAddress;
}

export interface Listeners {
  /** Null or 0 for a port that is not open. */
  readonly ports: Readonly<Record<'http' | 'https' | 'rtmp' | 'srt' | 'hls' | 'link', number | null>>;
  /** For the web pages of devices. */
  readonly devicePages: readonly number[];
  readonly inputs: readonly Named[];
  readonly outputs: readonly Named[];
  /** For hardware panels of the NDI router; undefined if none can connect. */
  readonly panels: number | undefined;
  /** Of the hub's own NDI discovery server; undefined if it does not run. */
  readonly ndiServer: number | undefined;
  /** Port forwards that are open to other machines. */
  readonly forwards: readonly { readonly name: string; readonly port: number }[];
}

const { tcp, udp } = firewallProtocols;
/** Panels find their server by mDNS. */
const mdnsPort = 5353;

export function listeningPorts(listeners: Listeners): Place[] {
  const { ports, devicePages, inputs, outputs, panels, ndiServer, forwards } = listeners;
  const own = Object.entries(ports).map(([service, port]): Place | undefined =>
    port
      ? { port: String(port), protocol: service === 'srt' ? udp : tcp, service: service as Place['service'], name: '' }
      : undefined,
  );
  const pages = devicePages.filter((port) => port !== 0);
  const [first, last] = [Math.min(...pages), Math.max(...pages)];
  const range = first === last ? String(first) : `${first}-${last}`;
  return [
    ...own,
    pages.length === 0 ? undefined : ({ port: range, protocol: tcp, service: 'deviceConsole', name: '' } as const),
    placeOf('', 'panels', panels, tcp),
    placeOf('', 'panelDiscovery', panels && mdnsPort),
    placeOf('', 'ndiServer', ndiServer, tcp),
    ...inputs.map(({ name, address }) => placeOf(name, 'input', receivingPort(address))),
    ...outputs.map(({ name, address }) =>
      placeOf(name, 'output', listenPortOf(address), isRtspServer(address) ? tcp : udp),
    ),
    ...forwards.map(({ name, port }) => placeOf(name, 'forward', port, tcp)),
  ].filter((place) => place !== undefined);
}

function placeOf(
  name: string,
  service: Place['service'],
  port: number | undefined,
  protocol: Place['protocol'] = udp,
): Place | undefined {
  return port ? { port: String(port), protocol, service, name } : undefined;
}

function receivingPort(address: StreamAddress): number | undefined {
  return address.protocol === 'udp' || address.protocol === 'rtp' ? address.port : listenPortOf(address);
}

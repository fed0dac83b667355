/** What the noun `devices` of the hub needs of this folder; tests have a double. */
import type { DeviceApi } from '../contract/device-catalog.ts';
import type { DeviceIdentity } from '../contract/device-facts.ts';
import type { SourceTest } from '../contract/inputs.ts';
import type { Log } from '../lib/log.ts';
import type { OutgoingRules } from '../lib/outgoing.ts';
import type { ByteStream } from '../link/byte-stream.ts';
import type { StreamCode } from '../link/codes.ts';
import type { Stream } from '../link/duplex.ts';
import type { LinkStream, Priority } from '../link/link-stream.ts';
import type { PulledSource } from '../sources/stream-device.ts';
import type { Discovery } from './discovery/discover.ts';
import type { Credentials, OscDevice, StreamDevice, Transport } from './driver.ts';
import type { Fleet } from './report.ts';

export interface Identified {
  readonly identity: DeviceIdentity;
  readonly api: DeviceApi;
  /** SHA-256 of the certificate, if the device has one. */
  readonly pin?: string;
  /** The address with the scheme and port that the device answered at, if it is not the given one. */
  readonly address?: string;
}

/** How the hub reaches a device. */
export interface DeviceWay {
  readonly sn: string;
  readonly link: 'direct' | 'agent';
  /** Of a stream: of its picture. Empty for a device with an agent. */
  readonly address: string;
  /** SHA-256 of the accepted certificate; empty for none. */
  readonly pin: string;
}

/** What a connection to a port of a device is for. */
export interface PortUse {
  /** Among the streams of a link. */
  readonly priority: Priority;
  /** Name of the user, for the log of an agent. */
  readonly user?: string;
}

/** A connection to the web server of a device, in clear text on the hub's side. */
export interface DeviceWeb {
  readonly stream: Stream;
  /** Where the device believes itself to be: scheme, and what it gets as `Host`. */
  readonly place: { readonly scheme: 'http' | 'https'; readonly authority: string; readonly hosts?: readonly string[] };
  /** Whether an agent makes the connection. */
  readonly isAgent: boolean;
}

export interface DevicePorts {
  /** Called once, when the first device is accepted: a hub without devices loads no code for them. */
  loadFleet(): Promise<Fleet>;
  transportTo(way: DeviceWay): Transport;
  /**
   * Opens a connection to a TCP port of the device; a code if that is not possible at once. What fails later closes the
   * stream with a code. Ports 80 and 443 are those of the device's web address, as they are for agents.
   */
  openPort(way: DeviceWay, port: number, of: PortUse): ByteStream | StreamCode;
  /** Opens a connection to the web server of the device, for one request. Rejects with a `DeviceProblem`. */
  openWeb(way: DeviceWay, of: PortUse): Promise<DeviceWeb>;
  /** Finds out what answers at the address. Rejects with a `DeviceProblem`. */
  identify(address: string, credentials: Credentials, pin: string | undefined): Promise<Identified>;
  /** `inputId`: of the stream as an input, by which the engine knows a channel that has it; 0: it is not stored yet. */
  streamOf(stream: Omit<StreamDevice, 'look'>, inputId: number): StreamDevice;
  /** Returns one picture of a stream as a JPEG; undefined if there is none in time. `inputId`: as for `streamOf`. */
  frame(
    stream: { readonly source: PulledSource; readonly inputId: number },
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
  /** `address`: of its HTTP API; `oscPort` is on the same host. */
  oscOf(device: Omit<OscDevice, 'status'>, address: string, oscPort: number): OscDevice;
  /** Opens the stream. Rejects with a `DeviceProblem` if it is not there. */
  identifyStream(stream: StreamDevice): Promise<Identified>;
  /** Asks the device. Rejects with a `DeviceProblem` if it answers neither over OSC nor at its address. */
  identifyOsc(device: OscDevice, address: string, pin: string | undefined): Promise<Identified>;
  /** Called when devices are looked for: a hub that never does that loads no code for it. */
  loadDiscovery(): Promise<Discovery>;
}

/** The engine, which opens streams. */
export interface StreamOpener {
  look(source: OpenedSource, signal: AbortSignal): Promise<SourceTest>;
  /** As `DevicePorts.frame`. */
  frame(source: OpenedSource, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

interface OpenedSource {
  readonly inputId: number;
  readonly address: PulledSource;
}

export interface DevicePortsOptions {
  /** Where the hub may connect to. */
  readonly outgoing: () => OutgoingRules;
  /** Path of a unix socket to the HTTP port of a device whose agent is connected; undefined if it is not. */
  readonly agentSocket: (sn: string) => string | undefined;
  /** Opens a stream of the link of an agent to a port of its device; a code if that is not possible. */
  readonly agentPort: (sn: string, port: number, of: PortUse) => LinkStream | StreamCode;
  /** Absent where no engine runs: streams cannot be opened there. */
  readonly streams?: StreamOpener;
  readonly log: Log;
}

/** Session of one player: the tracks it set up with their transports, and whether they are playing. */

import { randomBytes } from 'node:crypto';
import { timing } from '../../timing.ts';
import type { Writer } from '../net/socket-writer.ts';
import { type Flow, rtpInfo } from './flow.ts';
import type { Mount } from './mount.ts';
import type { Transport } from './request.ts';
import { openTcpFlow } from './tcp-flow.ts';
import { signatureOf, type TrackName, trackNumbers } from './track.ts';
import { openUdpFlow } from './udp-flow.ts';
import { openUdpPorts, type UdpPorts } from './udp-ports.ts';

interface SessionOptions {
  readonly mount: Mount;
  readonly writer: Writer;
  /** Addresses of both ends of the connection. */
  readonly local: string;
  readonly remote: string;
  /** For lists: the player's address with its port. */
  readonly peer: string;
  readonly now: () => number;
  /** Called when the session must end, and its connection with it. */
  readonly onEnd: (reason: string) => void;
}

type Way =
  | { readonly kind: 'tcp'; readonly channel: number; readonly signature: string | undefined }
  | { readonly kind: 'udp'; readonly ports: UdpPorts; readonly signature: string | undefined };

/** Timeout of a session without requests or reports. */
export const sessionSeconds = Math.ceil(timing.rtspServer.sessionMs / 1000);

export class RtspSession {
  readonly id = randomBytes(12).toString('hex');
  readonly mount: Mount;
  readonly peer: string;
  private readonly options: SessionOptions;
  private readonly ways = new Map<TrackName, Way>();
  private readonly addresses = new Map<TrackName, string>();
  private flow: Flow | undefined;
  private earlierBytes = 0;
  private earlierSkipped = 0;
  private heardAt: number;
  private isOver = false;

  constructor(options: SessionOptions) {
    this.options = options;
    this.mount = options.mount;
    this.peer = options.peer;
    this.heardAt = options.now();
  }

  get bytes(): number {
    return this.earlierBytes + (this.flow?.bytes ?? 0);
  }

  get skipped(): number {
    return this.earlierSkipped + (this.flow?.reader.skipped ?? 0);
  }

  get lagMs(): number {
    return this.flow?.reader.lagMs ?? 0;
  }

  get isPlaying(): boolean {
    return this.flow !== undefined;
  }

  get isEmpty(): boolean {
    return this.ways.size === 0;
  }

  /** Call it when a request or report has arrived. */
  touch(): void {
    this.heardAt = this.options.now();
  }

  /** Whether the session has timed out. It cannot while its player accepts interleaved packets. */
  get isForgotten(): boolean {
    const isTaking = this.flow !== undefined && this.kind === 'tcp';
    return !isTaking && this.options.now() - this.heardAt > sessionSeconds * 1000;
  }

  /** Returns the `Transport` header of the reply; undefined if this transport is not possible. */
  async setUp(name: TrackName, address: string, transport: Transport): Promise<string | undefined> {
    if (this.kind !== undefined && this.kind !== transport.kind) return undefined;
    const signature = signatureOf(this.mount.stream.tracks, name);
    const ssrc = this.mount.stream.ssrc(name).toString(16).padStart(8, '0').toUpperCase();
    if (transport.kind === 'tcp') {
      const channel = transport.channel ?? trackNumbers[name] * 2;
      if ([...this.ways].some(([other, way]) => other !== name && overlaps(way, channel))) return undefined;
      this.ways.set(name, { kind: 'tcp', channel, signature });
      this.addresses.set(name, address);
      return `RTP/AVP/TCP;unicast;interleaved=${channel}-${channel + 1};ssrc=${ssrc}`;
    }
    const { local, remote } = this.options;
    const ports = await openUdpPorts(local, { address: remote, port: transport.port, onSign: () => this.touch() });
    if (!ports) return undefined;
    if (this.isOver) {
      ports.close();
      return undefined;
    }
    this.release(name);
    this.ways.set(name, { kind: 'udp', ports, signature });
    this.addresses.set(name, address);
    const { port } = transport;
    return `RTP/AVP;unicast;client_port=${port}-${port + 1};server_port=${ports.port}-${ports.port + 1};ssrc=${ssrc}`;
  }

  /** Returns the `RTP-Info` of the reply, if there is media to start with. Media flows after `begin`. */
  play(): { readonly info: string | undefined; begin(): void } {
    const { stream } = this.mount;
    if (this.flow) return { info: undefined, begin: () => undefined };
    const flow = this.open();
    this.flow = flow;
    const { first } = flow.reader;
    return { info: first && rtpInfo(stream, first, this.addresses), begin: () => flow.begin() };
  }

  pause(): void {
    const { flow } = this;
    if (!flow) return;
    this.flow = undefined;
    this.earlierBytes += flow.bytes;
    this.earlierSkipped += flow.reader.skipped;
    flow.close();
  }

  report(): void {
    this.flow?.report();
  }

  trackChanged(name: TrackName): void {
    const way = this.ways.get(name);
    if (way && way.signature !== signatureOf(this.mount.stream.tracks, name)) this.end('the stream changed its codec');
  }

  end(reason: string): void {
    if (!this.isOver) this.options.onEnd(reason);
  }

  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.pause();
    for (const name of [...this.ways.keys()]) this.release(name);
    this.mount.leave(this);
  }

  private get kind(): Way['kind'] | undefined {
    return this.ways.values().next().value?.kind;
  }

  private open(): Flow {
    const { stream } = this.mount;
    const channels = new Map<TrackName, number>();
    const ports = new Map<TrackName, UdpPorts>();
    for (const [name, way] of this.ways) {
      if (way.kind === 'tcp') channels.set(name, way.channel);
      else ports.set(name, way.ports);
    }
    return ports.size > 0 ? openUdpFlow(stream, ports) : openTcpFlow(stream, this.options.writer, channels);
  }

  private release(name: TrackName): void {
    const way = this.ways.get(name);
    if (way?.kind === 'udp') way.ports.close();
    this.ways.delete(name);
  }
}

function overlaps(way: Way, channel: number): boolean {
  return way.kind === 'tcp' && Math.abs(way.channel - channel) < 2;
}

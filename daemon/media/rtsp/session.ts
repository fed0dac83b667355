/**
 * One RTSP session that plays: DESCRIBE, SETUP of what a transport stream can hold, PLAY. Packets come over the
 * connection itself (interleaved) or over UDP; to the owner both look alike.
 */
import { isIP } from 'node:net';
import { connectionStates } from '../../contract/streams.ts';
import { broken, FetchFailure, failure } from '../fetch-failure.ts';
import type { Credentials } from '../http-auth.ts';
import type { EngineOutgoing } from '../outgoing.ts';
import type { DatagramReport } from '../status.ts';
import { RtspClient, type RtspResponse, refusalOf } from './client.ts';
import { RtspError } from './message.ts';
import { createReception, type Reception } from './reception.ts';
import { parseSdp, type Sdp, type SdpMedia } from './sdp.ts';
import { openUdpPair, type UdpPair } from './udp-pair.ts';

export type RtspTransport = 'tcp' | 'udp';

export interface RtspSessionOptions extends Credentials {
  readonly url: string;
  readonly outgoing: EngineOutgoing;
  /** The next one is asked for when the server refuses the one before. */
  readonly transports: readonly RtspTransport[];
  readonly signal: AbortSignal;
  readonly answerMs: number;
  /** How long packets may be out of order. */
  readonly bufferMs: number;
  /** How long the first packet may take after PLAY was granted. */
  readonly firstPacketMs: Readonly<Record<RtspTransport, number>>;
  /** Of track n, RTP is channel 2n and RTCP 2n + 1. Good during the call only. */
  readonly onPacket: (channel: number, payload: Uint8Array) => void;
}

/** The server grants this transport, or none; another session over those after it may do. */
export class TransportFailure extends FetchFailure {
  readonly transport: RtspTransport;

  constructor(transport: RtspTransport, text: string, reason: 'refused' | 'stalled') {
    const conn = reason === 'refused' ? connectionStates.refused : connectionStates.disconnected;
    super({ conn, reason, hopeless: false, text });
    this.transport = transport;
  }
}

/** What FFmpeg 5.1 puts into a transport stream so that others understand it. G.711, which cameras like, isn't there. */
const usable: Readonly<Record<SdpMedia['kind'], ReadonlySet<string>>> = {
  video: new Set(['H264', 'H265', 'MP2T', 'MPV', 'MP4V-ES']),
  audio: new Set(['MPEG4-GENERIC', 'MP4A-LATM', 'MPA', 'AC3', 'EAC3', 'OPUS']),
};
const unsupportedTransport = 461;
const usualTimeoutSeconds = 60;
/** Bounds the keep-alive interval: a timer whose delay exceeds its range fires continuously. */
const mostTimeoutSeconds = 24 * 3600;
const mostPort = 65_535;
/** The header of an interleaved packet has one byte for it. */
const mostChannel = 255;
const emptyPacket = Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

interface Track {
  readonly media: SdpMedia;
  /** Where its packets really come from. */
  readonly channels: readonly [number, number] | undefined;
  readonly udp: { readonly pair: UdpPair; readonly serverPort: number } | undefined;
}

export class RtspSession {
  readonly sdp: Sdp;
  readonly tracks: Track[] = [];
  /** The RTP-Info of each track in the server's answer to PLAY, or ''. */
  readonly rtpInfo: string[] = [];
  private readonly options: RtspSessionOptions;
  private readonly client: RtspClient;
  private readonly arrived = Promise.withResolvers<void>();
  private transport: RtspTransport;
  private id = '';
  private reception: Reception | undefined;
  private keepAlive: ReturnType<typeof setInterval> | undefined;
  private methods = '';
  packetAt = 0;

  /** Resolves when packets come. Rejects with a FetchFailure; a TransportFailure where the other transport may do. */
  static async open(options: RtspSessionOptions): Promise<RtspSession> {
    const client = await RtspClient.connect(options);
    let session: RtspSession | undefined;
    try {
      const methods = await client.request('OPTIONS', options.url);
      const { url } = options;
      const described = await client.request('DESCRIBE', url, { Accept: 'application/sdp' });
      if (described.status !== 200) throw refusalOf('DESCRIBE', described);
      const base = described.headers.get('content-base') ?? described.headers.get('content-location') ?? url;
      session = new RtspSession(options, client, readDescription(described, base));
      session.methods = methods.headers.get('public') ?? '';
      await session.play();
      return session;
    } catch (error) {
      session?.close();
      client.close();
      throw error;
    }
  }

  private constructor(options: RtspSessionOptions, client: RtspClient, sdp: Sdp) {
    this.options = options;
    this.client = client;
    this.sdp = sdp;
    this.transport = options.transports[0] ?? 'tcp';
  }

  get closed(): Promise<FetchFailure> {
    return this.client.closed;
  }

  get peer(): string {
    return new URL(this.options.url).host;
  }

  /** How its packets come in, of all tracks. */
  get packets(): DatagramReport | undefined {
    return this.reception?.report(performance.now());
  }

  /** Receiver reports; servers take them for a sign of life. */
  send(channel: number, payload: Uint8Array): void {
    const track = this.tracks[channel >> 1];
    const part = channel % 2 === 0 ? 0 : 1;
    if (track?.udp) track.udp.pair.send(part, payload, track.udp.serverPort + part, this.client.address);
    else if (track?.channels) this.client.sendPacket(track.channels[part], payload);
  }

  close(): void {
    clearInterval(this.keepAlive);
    if (this.id) this.client.tell('TEARDOWN', this.sdp.control, { Session: this.id });
    this.client.close();
    for (const { udp } of this.tracks) udp?.pair.close();
  }

  private async play(): Promise<void> {
    const media = chooseMedia(this.sdp.media);
    this.client.onPacket = (channel, payload) => {
      const index = this.tracks.findIndex(({ channels }) => channels?.includes(channel));
      if (index >= 0) this.deliver(2 * index + (this.tracks[index]?.channels?.indexOf(channel) ?? 0), payload);
    };
    for (const one of media) await this.setUpOverAny(one);
    this.reception = createReception({
      clockRates: this.tracks.map((track) => track.media.clockRate),
      lateMs: this.options.bufferMs,
    });
    const played = await this.client.request('PLAY', this.sdp.control, { Session: this.id, Range: 'npt=0.000-' });
    if (played.status !== 200) throw refusalOf('PLAY', played);
    this.readRtpInfo(played.headers.get('rtp-info') ?? '');
    await this.firstPacket();
  }

  /** In the same session: GStreamer's server is stuck for good when a client leaves here and the next one comes at once. */
  private async setUpOverAny(media: SdpMedia): Promise<void> {
    for (;;) {
      try {
        await this.setUp(media);
        return;
      } catch (error) {
        const { transports } = this.options;
        const next = transports[transports.indexOf(this.transport) + 1];
        const mayChange = error instanceof TransportFailure && this.tracks.length === 0;
        if (!mayChange || !next) throw error;
        this.transport = next;
      }
    }
  }

  private async setUp(media: SdpMedia): Promise<void> {
    const index = this.tracks.length;
    const isTcp = this.transport === 'tcp';
    const pair = isTcp ? undefined : await openUdpPair(this.client.address, this.client.localAddress);
    if (!isTcp && !pair) throw new TransportFailure('udp', 'no free UDP ports', 'refused');
    const ports = pair
      ? `RTP/AVP;unicast;client_port=${pair.rtpPort}-${pair.rtpPort + 1}`
      : `RTP/AVP/TCP;unicast;interleaved=${2 * index}-${2 * index + 1}`;
    try {
      const headers = { Transport: ports, ...(this.id && { Session: this.id }) };
      const answer = await this.client.request('SETUP', media.control, headers);
      const granted = answer.headers.get('transport') ?? '';
      this.check(answer, granted);
      this.tracks.push(pair ? this.overUdp(media, pair, granted) : this.overTcp(media, granted));
      this.keep(answer.headers.get('session') ?? '');
    } catch (error) {
      pair?.close();
      throw error;
    }
  }

  private overUdp(media: SdpMedia, pair: UdpPair, granted: string): Track {
    const index = this.tracks.length;
    const serverPort = Number(/server_port=(\d+)/.exec(granted)?.[1] ?? 0);
    if (serverPort >= mostPort) throw new TransportFailure('udp', `port ${serverPort} is out of range`, 'refused');
    const source = /source=([^;]+)/.exec(granted)?.[1]?.trim() ?? '';
    if (isIP(source) !== 0) pair.allow(source);
    pair.onPacket = (part, payload) => this.deliver(2 * index + part, payload);
    // Opens the way back through a firewall; an RTP packet without content hurts nobody.
    if (serverPort > 0) pair.send(0, emptyPacket, serverPort, this.client.address);
    return { media, channels: undefined, udp: { pair, serverPort } };
  }

  private overTcp(media: SdpMedia, granted: string): Track {
    const index = this.tracks.length;
    const [, rtp = 2 * index, rtcp = 2 * index + 1] = /interleaved=(\d+)-(\d+)/.exec(granted) ?? [];
    const channels = [Number(rtp), Number(rtcp)] as const;
    const largest = Math.max(...channels);
    if (largest > mostChannel) throw new TransportFailure('tcp', `channel ${largest} is out of range`, 'refused');
    return { media, channels, udp: undefined };
  }

  private check(answer: RtspResponse, granted: string): void {
    const refused = (text: string) => new TransportFailure(this.transport, text, 'refused');
    if (answer.status === unsupportedTransport) throw refused(`the server has no RTP over ${this.name}`);
    if (answer.status !== 200) throw refusalOf('SETUP', answer);
    if ((this.transport === 'tcp') !== /\/TCP/i.test(granted)) throw refused('the server chose another transport');
  }

  private get name(): string {
    return this.transport.toUpperCase();
  }

  private keep(header: string): void {
    const [id = '', ...parameters] = header.split(';');
    this.id = id.trim();
    const seconds = Number(/timeout=(\d+)/.exec(parameters.join(';'))?.[1]) || usualTimeoutSeconds;
    clearInterval(this.keepAlive);
    const method = this.methods.includes('GET_PARAMETER') ? 'GET_PARAMETER' : 'OPTIONS';
    // A request that waits for its answer, since a server may ask for the password again. Other answers are ignored.
    const beat = () => void this.client.request(method, this.sdp.control, { Session: this.id }).catch(() => {});
    this.keepAlive = setInterval(beat, Math.max(1, Math.min(seconds, mostTimeoutSeconds) / 2) * 1000);
  }

  private deliver(channel: number, payload: Uint8Array): void {
    this.packetAt = performance.now();
    if (channel % 2 === 0) {
      this.arrived.resolve();
      this.reception?.packet(channel >> 1, payload, this.packetAt);
    }
    this.options.onPacket(channel, payload);
  }

  private readRtpInfo(header: string): void {
    const entries = header.split(/,\s*(?=url=)/);
    for (const { media } of this.tracks) {
      const found = entries.find((entry) => /url=([^;]*)/.exec(entry)?.[1] === media.control);
      this.rtpInfo.push(found?.split(';').slice(1).join(';') ?? '');
    }
  }

  private async firstPacket(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, this.options.firstPacketMs[this.transport]);
    const stopped = Promise.withResolvers<void>();
    this.options.signal.addEventListener('abort', () => stopped.resolve(), { once: true });
    const lost = this.closed.then((cause) => Promise.reject(cause));
    const outcome = await Promise.race([
      this.arrived.promise.then(() => 'arrived' as const),
      late.promise.then(() => 'late' as const),
      stopped.promise.then(() => 'stopped' as const),
      lost,
    ]).finally(() => clearTimeout(timer));
    if (outcome === 'stopped') throw broken('closedByPeer', 'stopped');
    if (outcome === 'late') throw new TransportFailure(this.transport, `no packet came over ${this.name}`, 'stalled');
  }
}

function readDescription({ body }: RtspResponse, base: string): Sdp {
  try {
    return parseSdp(body.toString('utf8'), base);
  } catch (error) {
    if (!(error instanceof RtspError)) throw error;
    throw failure(connectionStates.streamFailed, 'badInput', error.message);
  }
}

/** The first video and the first sound; a transport stream inside RTP holds both. */
function chooseMedia(media: readonly SdpMedia[]): readonly SdpMedia[] {
  const of = (kind: SdpMedia['kind']) => media.find((one) => one.kind === kind && usable[kind].has(one.encoding));
  const video = of('video');
  const chosen = video?.encoding === 'MP2T' ? [video] : [video, of('audio')].filter((one) => one !== undefined);
  if (chosen.length > 0) return chosen;
  const offered = media.map(({ encoding }) => encoding || 'unknown').join(', ') || 'nothing';
  const text = `a transport stream can't hold what the server offers: ${offered}`;
  throw failure(connectionStates.streamFailed, 'codecNotPossible', text, { hopeless: true });
}

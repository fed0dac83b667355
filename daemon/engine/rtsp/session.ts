/**
 * One playing RTSP session: DESCRIBE, SETUP of the media that a transport stream can carry, PLAY. Packets arrive over
 * the connection itself (interleaved) or over UDP, and go to one remuxer.
 */
import { isIP } from 'node:net';
import { connectionStates } from '../../contract/streams.ts';
import { FetchFailure, failure } from '../connection/fetch-failure.ts';
import type { Credentials } from '../net/http-auth.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { RtspClient, type RtspResponse, refusalOf, within } from './client.ts';
import { openDepacketizer } from './depacketizers.ts';
import { RtspError } from './message.ts';
import type { RtspRemux } from './remux.ts';
import { parseSdp, type Sdp, type SdpMedia } from './sdp.ts';
import { openUdpPair, type UdpPair } from './udp-pair.ts';

export type RtspTransport = 'tcp' | 'udp';

export interface RtspSessionOptions extends Credentials {
  readonly url: string;
  readonly outgoing: EngineOutgoing;
  /** In order of preference: each one is requested if the server refuses the one before. */
  readonly transports: readonly RtspTransport[];
  readonly signal: AbortSignal;
  readonly answerMs: number;
  /** Maximum delay of reordered UDP packets in milliseconds. */
  readonly bufferMs: number;
  /** Maximum time from the PLAY response to the first packet, in milliseconds. */
  readonly firstPacketMs: Readonly<Record<RtspTransport, number>>;
  /** Opens the remuxer for the media that were set up. `lateMs`: maximum delay of reordered packets in milliseconds. */
  readonly openRemux: (media: readonly SdpMedia[], lateMs: number) => SessionRemux;
}
type SessionRemux = Pick<RtspRemux, 'packet' | 'control' | 'starts' | 'receiverReport'>;

/** This transport failed. A new session over the next one may work. */
export class TransportFailure extends FetchFailure {
  readonly transport: RtspTransport;

  constructor(transport: RtspTransport, text: string, reason: 'refused' | 'stalled') {
    const conn = reason === 'refused' ? connectionStates.refused : connectionStates.disconnected;
    super({ conn, reason, permanent: false, text });
    this.transport = transport;
  }
}

const unsupportedTransport = 461;
const usualTimeoutSeconds = 60;
/** RFC 3550, section 6.2. */
const reportEveryMs = 5000;
/** Bounds the keep-alive interval: a timer whose delay exceeds its range fires continuously. */
const maxTimeoutSeconds = 24 * 3600;
const maxPort = 65_535;
/** The header of an interleaved packet has one byte for the channel. */
const maxChannel = 255;
const emptyPacket = Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

interface Track {
  readonly media: SdpMedia;
  /** The interleaved channels that the server has granted: RTP, RTCP. */
  readonly channels: readonly [number, number] | undefined;
  readonly udp: { readonly pair: UdpPair; readonly serverPort: number } | undefined;
}

export class RtspSession {
  readonly sdp: Sdp;
  readonly closed: Promise<FetchFailure>;
  readonly tracks: Track[] = [];
  private readonly options: RtspSessionOptions;
  private readonly client: RtspClient;
  private readonly arrived = Promise.withResolvers<void>();
  private transport: RtspTransport;
  private id = '';
  private remux: SessionRemux | undefined;
  private keepAlive: ReturnType<typeof setInterval> | undefined;
  private reports: ReturnType<typeof setInterval> | undefined;
  private methods = '';
  packetAt = 0;

  /** Resolves when packets arrive. Rejects with a FetchFailure; a TransportFailure if another transport may work. */
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
    this.closed = client.closed;
    this.sdp = sdp;
    this.transport = options.transports[0] ?? 'tcp';
  }

  close(): void {
    clearInterval(this.keepAlive);
    clearInterval(this.reports);
    if (this.id) this.client.tell('TEARDOWN', this.sdp.control, { Session: this.id });
    this.client.close();
    for (const { udp } of this.tracks) udp?.pair.close();
  }

  private async play(): Promise<void> {
    const media = chooseMedia(this.sdp.media);
    this.client.onPacket = (channel, payload) => {
      const index = this.tracks.findIndex(({ channels }) => channels?.includes(channel));
      if (index >= 0) this.deliver(index, channel === this.tracks[index]?.channels?.[0] ? 0 : 1, payload);
    };
    for (const one of media) await this.setUpOverAny(one);
    // Over TCP, packets arrive in order.
    const lateMs = this.transport === 'tcp' ? 0 : this.options.bufferMs;
    this.remux = this.options.openRemux(media, lateMs);
    const played = await this.client.request('PLAY', this.sdp.control, { Session: this.id, Range: 'npt=0.000-' });
    if (played.status !== 200) throw refusalOf('PLAY', played);
    this.readRtpInfo(played.headers.get('rtp-info') ?? '');
    this.reports = setInterval(() => this.sendReports(), reportEveryMs);
    await this.firstPacket();
  }

  /** Servers treat receiver reports as keep-alives. */
  private sendReports(): void {
    const now = performance.now();
    for (const [index, track] of this.tracks.entries()) {
      const report = this.remux?.receiverReport(index, now);
      if (!report) continue;
      const { udp, channels } = track;
      if (udp) udp.pair.send(1, report, udp.serverPort + 1, this.client.address);
      else if (channels) this.client.sendPacket(channels[1], report);
    }
  }

  /** Keeps the session: GStreamer's server hangs permanently if a client leaves here and the next connects at once. */
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
    if (serverPort >= maxPort) throw new TransportFailure('udp', `port ${serverPort} is out of range`, 'refused');
    const source = /source=([^;]+)/.exec(granted)?.[1]?.trim() ?? '';
    if (isIP(source) !== 0) pair.allow(source);
    pair.onPacket = (part, payload) => this.deliver(index, part, payload);
    // Opens the return path through a firewall; an empty RTP packet is harmless.
    if (serverPort > 0) pair.send(0, emptyPacket, serverPort, this.client.address);
    return { media, channels: undefined, udp: { pair, serverPort } };
  }

  private overTcp(media: SdpMedia, granted: string): Track {
    const index = this.tracks.length;
    const [, rtp = 2 * index, rtcp = 2 * index + 1] = /interleaved=(\d+)-(\d+)/.exec(granted) ?? [];
    const channels = [Number(rtp), Number(rtcp)] as const;
    const largest = Math.max(...channels);
    if (largest > maxChannel) throw new TransportFailure('tcp', `channel ${largest} is out of range`, 'refused');
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
    // `request` can authenticate again if the server requires it. The response is otherwise ignored.
    const beat = () => void this.client.request(method, this.sdp.control, { Session: this.id }).catch(() => {});
    this.keepAlive = setInterval(beat, Math.max(1, Math.min(seconds, maxTimeoutSeconds) / 2) * 1000);
  }

  /** `part` 0 is RTP, 1 RTCP. */
  private deliver(index: number, part: 0 | 1, payload: Uint8Array): void {
    this.packetAt = performance.now();
    if (part === 1) {
      this.remux?.control(index, payload, this.packetAt);
      return;
    }
    this.arrived.resolve();
    this.remux?.packet(index, payload, this.packetAt);
  }

  private readRtpInfo(header: string): void {
    const entries = header.split(/,\s*(?=url=)/);
    for (const [index, { media }] of this.tracks.entries()) {
      const entry = entries.find((text) => /url=([^;]*)/.exec(text)?.[1] === media.control);
      const timestamp = /;\s*rtptime=(\d+)/.exec(entry ?? '')?.[1];
      if (timestamp) this.remux?.starts(index, Number(timestamp) % 2 ** 32);
    }
  }

  private async firstPacket(): Promise<void> {
    const lost = this.closed.then((cause) => Promise.reject(cause));
    const { signal, firstPacketMs } = this.options;
    const answerMs = firstPacketMs[this.transport];
    const late = () => new TransportFailure(this.transport, `no packet came over ${this.name}`, 'stalled');
    await within(Promise.race([this.arrived.promise, lost]), { answerMs, signal }, late);
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

function isPossible(media: SdpMedia): boolean {
  return media.encoding === 'MP2T' || openDepacketizer(media, () => {}) !== undefined;
}

/** Chooses the first supported video and audio. A transport stream in RTP contains both. Throws a FetchFailure. */
function chooseMedia(media: readonly SdpMedia[]): readonly SdpMedia[] {
  const of = (kind: SdpMedia['kind']) => media.find((one) => one.kind === kind && isPossible(one));
  const video = of('video');
  const chosen = video?.encoding === 'MP2T' ? [video] : [video, of('audio')].filter((one) => one !== undefined);
  if (chosen.length > 0) return chosen;
  const offered = media.map(({ encoding }) => encoding || 'unknown').join(', ') || 'nothing';
  const text = `a transport stream can't hold what the server offers: ${offered}`;
  throw failure(connectionStates.streamFailed, 'codecNotPossible', text, { permanent: true });
}

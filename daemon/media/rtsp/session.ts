/**
 * One RTSP session that plays: DESCRIBE, SETUP of what a transport stream can hold, PLAY. Packets come over the
 * connection itself (interleaved) or over UDP; to the owner both look alike.
 */
import { connectionStates } from '../../contract/streams.ts';
import { broken, FetchFailure, failure } from '../fetch-failure.ts';
import type { Credentials } from '../http-auth.ts';
import { RtspClient, type RtspResponse, refusalOf } from './client.ts';
import { parseSdp, type Sdp, type SdpMedia } from './sdp.ts';
import { openUdpPair, type UdpPair } from './udp-pair.ts';

export type RtspTransport = 'tcp' | 'udp';

export interface RtspSessionOptions extends Credentials {
  readonly url: string;
  readonly transport: RtspTransport;
  readonly signal: AbortSignal;
  readonly answerMs: number;
  /** How long the first packet may take after PLAY was granted. */
  readonly firstPacketMs: number;
  /** Of track n, RTP is channel 2n and RTCP 2n + 1. Good during the call only. */
  readonly onPacket: (channel: number, payload: Uint8Array) => void;
}

/** Another transport may do. */
export class TransportFailure extends FetchFailure {}

/** What FFmpeg 5.1 puts into a transport stream so that others understand it. G.711, which cameras like, isn't there. */
const usable: Readonly<Record<SdpMedia['kind'], ReadonlySet<string>>> = {
  video: new Set(['H264', 'H265', 'MP2T', 'MPV', 'MP4V-ES']),
  audio: new Set(['MPEG4-GENERIC', 'MP4A-LATM', 'MPA', 'AC3', 'EAC3', 'OPUS']),
};
const unsupportedTransport = 461;
const usualTimeoutSeconds = 60;

interface Track {
  readonly media: SdpMedia;
  /** Where its packets really come from. */
  readonly channels: readonly [number, number] | undefined;
  readonly udp: { readonly pair: UdpPair; readonly serverPort: number } | undefined;
}

export class RtspSession {
  readonly sdp: Sdp;
  readonly tracks: Track[] = [];
  /** As the server's answer to PLAY told it for each track, or ''. */
  readonly rtpInfo: string[] = [];
  private readonly options: RtspSessionOptions;
  private readonly client: RtspClient;
  private readonly arrived = Promise.withResolvers<void>();
  private id = '';
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
      session = new RtspSession(options, client, parseSdp(described.body.toString('utf8'), base));
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
  }

  get closed(): Promise<FetchFailure> {
    return this.client.closed;
  }

  get peer(): string {
    return new URL(this.options.url).host;
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
    for (const one of media) await this.setUp(one);
    const played = await this.client.request('PLAY', this.sdp.control, { Session: this.id, Range: 'npt=0.000-' });
    if (played.status !== 200) throw refusalOf('PLAY', played);
    this.readRtpInfo(played.headers.get('rtp-info') ?? '');
    await this.firstPacket();
  }

  private async setUp(media: SdpMedia): Promise<void> {
    const index = this.tracks.length;
    const isTcp = this.options.transport === 'tcp';
    const pair = isTcp ? undefined : await openUdpPair(this.client.address);
    if (!isTcp && !pair) throw transportFailure('no free UDP ports');
    const ports = pair && `client_port=${pair.rtpPort}-${pair.rtpPort + 1}`;
    const answer = await this.client
      .request('SETUP', media.control, {
        Transport: ports ? `RTP/AVP;unicast;${ports}` : `RTP/AVP/TCP;unicast;interleaved=${2 * index}-${2 * index + 1}`,
        ...(this.id && { Session: this.id }),
      })
      .catch((error) => {
        pair?.close();
        throw error;
      });
    const transport = answer.headers.get('transport') ?? '';
    if (pair) {
      const serverPort = Number(/server_port=(\d+)/.exec(transport)?.[1] ?? 0);
      pair.onPacket = (part, payload) => this.deliver(2 * index + part, payload);
      this.tracks.push({ media, channels: undefined, udp: { pair, serverPort } });
      // Opens the way back through a firewall; an empty RTP packet hurts nobody.
      if (serverPort > 0)
        pair.send(0, Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), serverPort, this.client.address);
    } else {
      const [, rtp = 2 * index, rtcp = 2 * index + 1] = /interleaved=(\d+)-(\d+)/.exec(transport) ?? [];
      this.tracks.push({ media, channels: [Number(rtp), Number(rtcp)], udp: undefined });
    }
    this.check(answer, transport, isTcp);
    this.keep(answer.headers.get('session') ?? '');
  }

  private check(answer: RtspResponse, transport: string, isTcp: boolean): void {
    if (answer.status === unsupportedTransport)
      throw transportFailure(`the server has no RTP over ${this.options.transport.toUpperCase()}`);
    if (answer.status !== 200) throw refusalOf('SETUP', answer);
    if (isTcp !== /\/TCP/i.test(transport)) throw transportFailure('the server chose another transport');
  }

  private keep(header: string): void {
    const [id = '', ...parameters] = header.split(';');
    this.id = id.trim();
    const seconds = Number(/timeout=(\d+)/.exec(parameters.join(';'))?.[1]) || usualTimeoutSeconds;
    clearInterval(this.keepAlive);
    const method = this.methods.includes('GET_PARAMETER') ? 'GET_PARAMETER' : 'OPTIONS';
    const beat = () => this.client.tell(method, this.sdp.control, { Session: this.id });
    this.keepAlive = setInterval(beat, Math.max(1, seconds / 2) * 1000);
  }

  private deliver(channel: number, payload: Uint8Array): void {
    this.packetAt = performance.now();
    if (channel % 2 === 0) this.arrived.resolve();
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
    const timer = setTimeout(late.resolve, this.options.firstPacketMs);
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
    if (outcome === 'late')
      throw transportFailure(`no packet came over ${this.options.transport.toUpperCase()}`, 'stalled');
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

function transportFailure(text: string, reason: 'refused' | 'stalled' = 'refused'): TransportFailure {
  const conn = reason === 'refused' ? connectionStates.refused : connectionStates.disconnected;
  return new TransportFailure({ conn, reason, hopeless: false, text });
}

/**
 * Hands one RTSP stream to one FFmpeg on this machine, which so needs neither the server's address nor its password: a
 * listener on loopback, for one connection that knows a random path, which answers from the session at hand. Every user of
 * the machine can read the path in the command line of FFmpeg, so connections of other users are refused.
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'bun';
import { encodeMessage, encodePacket, RtspError, type RtspMessage, RtspReader } from './message.ts';
import { peerOwner } from './peer-owner.ts';

export interface RtspRelayOptions {
  /** Its media have the control addresses `track0`, `track1` and so on. */
  readonly sdp: string;
  /** For each track what RTP-Info says of it, or ''. */
  readonly rtpInfo: readonly string[];
  /** Receiver reports. */
  readonly onPacket: (channel: number, payload: Uint8Array) => void;
}

export interface RtspRelay {
  readonly url: string;
  /** Copies. What comes before FFmpeg plays is kept for it. False when FFmpeg reads too slowly. */
  write(channel: number, payload: Uint8Array): boolean;
  close(): void;
}

export const maxUnsentBytes = 16 << 20;
/** Memory that a buffered packet takes in addition to its payload. */
export const packetOverheadBytes = 128;
/** Programs on this machine that may try at a time. */
const maxGuests = 8;
const sessionId = '1';

export function openRtspRelay(options: RtspRelayOptions): RtspRelay {
  return new Relay(options);
}

class Relay implements RtspRelay {
  readonly url: string;
  private readonly options: RtspRelayOptions;
  private readonly listener: Bun.TCPSocketListener<undefined>;
  private readonly path = `/${randomBytes(16).toString('hex')}`;
  /** Who has connected; one of them will show that it is FFmpeg. */
  private readonly guests = new Map<Socket<undefined>, RtspReader>();
  /** What FFmpeg calls our channels. */
  private readonly channels = new Map<number, number>();
  private socket: Socket<undefined> | undefined;
  private isPlaying = false;
  private early: { channel: number; payload: Uint8Array }[] = [];
  private unsent: Uint8Array[] = [];
  private unsentBytes = 0;

  constructor(options: RtspRelayOptions) {
    this.options = options;
    this.listener = Bun.listen<undefined>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => this.admit(socket),
        data: (socket, bytes) => this.receive(socket, bytes),
        drain: (socket) => {
          if (socket === this.socket) this.flush();
        },
        close: (socket) => {
          this.guests.delete(socket);
          if (socket === this.socket) this.socket = undefined;
        },
        error: () => {},
      },
    });
    this.url = `rtsp://127.0.0.1:${this.listener.port}${this.path}`;
  }

  write(channel: number, payload: Uint8Array): boolean {
    if (this.isPlaying) {
      const name = this.channels.get(channel);
      if (name !== undefined) this.send(encodePacket(name, payload));
    } else {
      this.early.push({ channel, payload: new Uint8Array(payload) });
      this.unsentBytes += payload.length + packetOverheadBytes;
    }
    return this.unsentBytes <= maxUnsentBytes;
  }

  close(): void {
    this.listener.stop(true);
  }

  private admit(socket: Socket<undefined>): void {
    const isOurs = peerOwner(this.listener.port, socket.remotePort) === process.getuid?.();
    if (!isOurs || this.socket || this.guests.size >= maxGuests) {
      socket.terminate();
      return;
    }
    const reader = new RtspReader({
      message: (message) => this.hear(socket, message),
      packet: (channel, payload) => {
        if (socket === this.socket) this.report(channel, payload);
      },
    });
    this.guests.set(socket, reader);
  }

  private receive(socket: Socket<undefined>, bytes: Uint8Array): void {
    try {
      this.guests.get(socket)?.feed(bytes);
    } catch (error) {
      if (!(error instanceof RtspError)) throw error;
      socket.terminate();
    }
  }

  private hear(socket: Socket<undefined>, message: RtspMessage): void {
    const uri = message.startLine.split(' ')[1] ?? '';
    const knowsPath = URL.canParse(uri) && new URL(uri).pathname.startsWith(this.path);
    if (knowsPath) this.socket ??= socket;
    if (knowsPath && socket === this.socket) this.answer(message);
    else socket.terminate();
  }

  private answer({ startLine, headers }: RtspMessage): void {
    const [method = '', uri = ''] = startLine.split(' ');
    const basics = { CSeq: headers.get('cseq') ?? '0', Session: sessionId };
    const reply = (more: Readonly<Record<string, string>>, body = '') =>
      this.send(encodeMessage('RTSP/1.0 200 OK', { ...basics, ...more }, body));
    if (method === 'DESCRIBE') {
      reply({ 'Content-Base': `${this.url}/`, 'Content-Type': 'application/sdp' }, this.options.sdp);
    } else if (method === 'SETUP') {
      reply({ Transport: this.setUp(uri, headers.get('transport') ?? '') });
    } else if (method === 'PLAY') {
      const info = this.rtpInfo();
      reply(info ? { 'RTP-Info': info } : {});
      this.begin();
    } else {
      reply(method === 'OPTIONS' ? { Public: 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN' } : {});
    }
  }

  private setUp(uri: string, transport: string): string {
    const track = Number(/track(\d+)$/.exec(uri)?.[1] ?? 0);
    const [, rtp = 2 * track, rtcp = 2 * track + 1] = /interleaved=(\d+)-(\d+)/.exec(transport) ?? [];
    this.channels.set(2 * track, Number(rtp));
    this.channels.set(2 * track + 1, Number(rtcp));
    return `RTP/AVP/TCP;unicast;interleaved=${rtp}-${rtcp}`;
  }

  private rtpInfo(): string {
    return this.options.rtpInfo
      .map((info, track) => info && `url=${this.url}/track${track};${info}`)
      .filter(Boolean)
      .join(',');
  }

  private begin(): void {
    if (this.isPlaying) return;
    this.isPlaying = true;
    this.unsentBytes = this.unsent.reduce((sum, { length }) => sum + length, 0);
    for (const { channel, payload } of this.early.splice(0)) this.write(channel, payload);
  }

  private report(name: number, payload: Uint8Array): void {
    for (const [channel, own] of this.channels) if (own === name) this.options.onPacket(channel, payload);
  }

  private send(bytes: Uint8Array): void {
    this.unsent.push(bytes);
    this.unsentBytes += bytes.length;
    this.flush();
  }

  private flush(): void {
    const { socket } = this;
    if (!socket) return;
    let count = 0;
    for (const bytes of this.unsent) {
      const written = Math.max(0, socket.write(bytes));
      this.unsentBytes -= written;
      if (written < bytes.length) {
        this.unsent[count] = bytes.subarray(written);
        break;
      }
      count++;
    }
    this.unsent.splice(0, count);
  }
}

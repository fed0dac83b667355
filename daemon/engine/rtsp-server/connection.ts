/** One connection of the RTSP server: requests in order, their replies, and at most one session. */

import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { Gatekeeper } from '../net/http-auth.ts';
import { type PeerSocket, Writer } from '../net/socket-writer.ts';
import { RtspError, type RtspMessage, RtspReader } from '../rtsp/message.ts';
import type { Mount } from './mount.ts';
import { type RtspRequest, readRequest, readTransport } from './request.ts';
import { encodeReply, methods, otherMethods, type RtspReply } from './response.ts';
import { RtspSession, sessionSeconds } from './session.ts';
import { describeTracks, type TrackName, trackNames, trackNumbers } from './track.ts';

interface ConnectionOptions {
  /** Addresses of both ends. */
  readonly local: string;
  readonly remote: string;
  /** For lists and logs. */
  readonly peer: string;
  readonly find: (path: string) => Mount | undefined;
  /** As in KeyGuard. `opened`: what the path and login open, if anything. */
  readonly keyWait: (opened: string | undefined) => number | undefined;
  readonly log: Log;
  readonly now: () => number;
}

/** Maximum number of requests waiting for an earlier one. */
const maxPending = 16;
const maxWrongLogins = 5;
const { wrongLoginMs, idleMs, stallMs, reportMs } = timing.rtspServer;

export class RtspConnection {
  readonly peer: string;
  private readonly options: ConnectionOptions;
  private readonly socket: PeerSocket;
  private readonly writer: Writer;
  private readonly reader: RtspReader;
  private readonly keeper = new Gatekeeper('Signalbox');
  private readonly over = new AbortController();
  private readonly held = new Map<Mount, { release(): void }>();
  private work: Promise<void> = Promise.resolve();
  private pending = 0;
  private wrongLogins = 0;
  private session: RtspSession | undefined;
  private heardAt: number;
  private idleFrom: number | undefined;
  private reportedAt: number;

  constructor(socket: PeerSocket, options: ConnectionOptions) {
    this.socket = socket;
    this.options = options;
    this.peer = options.peer;
    this.writer = new Writer(socket, options.now);
    this.heardAt = options.now();
    this.reportedAt = this.heardAt;
    this.idleFrom = this.heardAt;
    this.reader = new RtspReader({
      message: (message) => this.queue(message),
      // Presumably the player's reports: it is still there.
      packet: () => this.session?.touch(),
    });
  }

  /** Undefined while playing, and while a reply is deliberately delayed. */
  get idleSince(): number | undefined {
    return this.session?.isPlaying === true ? undefined : this.idleFrom;
  }

  receive(bytes: Uint8Array): void {
    if (this.isOver) return;
    try {
      this.reader.feed(bytes);
    } catch (error) {
      if (!(error instanceof RtspError)) throw error;
      this.options.log.warn('RTSP connection closed', { peer: this.peer, reason: error.message });
      this.send('0', { status: 400 });
      this.close(error.message);
    }
  }

  drain(): void {
    this.writer.drain();
  }

  /** Called once per second. */
  tick(): void {
    const now = this.options.now();
    const { session } = this;
    if (this.writer.stalledMs > stallMs) this.close('it takes nothing', 'at once');
    else if (session?.isForgotten) this.close('its session ran out');
    else if (!session && this.pending === 0 && now - this.heardAt > idleMs) this.close('it asks nothing');
    if (now - this.reportedAt < reportMs) return;
    this.reportedAt = now;
    session?.report();
  }

  /** The socket is gone. */
  closed(): void {
    if (this.isOver) return;
    this.over.abort();
    this.session?.close();
    this.session = undefined;
    for (const held of this.held.values()) held.release();
    this.held.clear();
  }

  close(reason: string, how: 'orderly' | 'at once' = 'orderly'): void {
    if (this.isOver) return;
    this.options.log.debug('RTSP connection ends', { peer: this.peer, reason });
    this.closed();
    if (how === 'orderly') this.socket.end();
    else this.socket.terminate();
  }

  private get isOver(): boolean {
    return this.over.signal.aborted;
  }

  /** Handles requests one after another, regardless of how long each takes. */
  private queue(message: RtspMessage): void {
    if (message.startLine.startsWith('RTSP/')) return;
    this.heardAt = this.options.now();
    this.session?.touch();
    if (++this.pending > maxPending) {
      this.close('it asks without waiting', 'at once');
      return;
    }
    this.work = this.work.then(() => this.turn(message));
  }

  private async turn(message: RtspMessage): Promise<void> {
    try {
      if (!this.isOver) await this.handle(message);
    } catch (error) {
      this.options.log.error('RTSP request failed', { peer: this.peer, error: String(error) });
      this.close('a fault of ours', 'at once');
    }
    this.heardAt = this.options.now();
    this.pending--;
  }

  private async handle(message: RtspMessage): Promise<void> {
    const number = message.headers.get('cseq') ?? '';
    const request = readRequest(message);
    if (!request || !/^\d{1,10}$/.test(number)) {
      this.send('0', { status: 400 });
      return;
    }
    const reply = await this.reply(request);
    if (this.isOver) return;
    this.send(number, reply);
    reply.after?.();
    if (this.wrongLogins > maxWrongLogins) this.close('too many wrong logins');
  }

  private send(number: string, reply: RtspReply): void {
    if (this.writer.send(encodeReply(number, reply))) this.writer.pump();
    else this.close('it takes no answers', 'at once');
  }

  private async reply(request: RtspRequest): Promise<RtspReply> {
    const required = request.header('require');
    if (required !== undefined) return { status: 551, headers: { Unsupported: required.slice(0, 200) } };
    switch (request.method) {
      case 'OPTIONS':
        return { status: 200, headers: { Public: methods } };
      case 'DESCRIBE':
        return await this.describe(request);
      case 'SETUP':
        return await this.setUp(request);
      case 'PLAY':
      case 'PAUSE':
      case 'TEARDOWN':
        return this.control(request);
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        return this.keepAlive(request);
    }
    return otherMethods.has(request.method)
      ? { status: 405, headers: { Allow: methods } }
      : { status: 501, headers: { Public: methods } };
  }

  /** Returns the mount of the address, or the reply that refuses access. */
  private async admit(request: RtspRequest): Promise<Mount | RtspReply> {
    const mount = request.path === undefined ? undefined : this.options.find(request.path);
    const { username, password } = mount?.options ?? { username: '', password: '' };
    const login = request.header('authorization');
    const isIn = username === '' || (login && this.keeper.admits(login, request.method, { username, password }));
    // Players send the first request without a login.
    const waitMs = isIn || login !== undefined ? this.options.keyWait(isIn ? mount?.path : undefined) : 0;
    if (waitMs === undefined) return { status: 503, headers: { 'Retry-After': '10' } };
    if (waitMs > 0) {
      this.idleFrom = undefined;
      await Bun.sleep(waitMs);
      this.idleFrom = this.options.now();
    }
    if (!mount) return { status: 404 };
    if (isIn) return mount;
    if (login !== undefined) {
      this.wrongLogins++;
      this.options.log.warn('RTSP login refused', { peer: this.peer });
      await Bun.sleep(wrongLoginMs);
    }
    return { status: 401, headers: { 'WWW-Authenticate': this.keeper.challenges } };
  }

  /** Waits until the stream is available. Returns false if it does not become so. */
  private async ready(mount: Mount): Promise<boolean> {
    if (!this.held.has(mount)) this.held.set(mount, mount.stream.hold());
    return await mount.untilReady(this.over.signal);
  }

  private async describe(request: RtspRequest): Promise<RtspReply> {
    const mount = await this.admit(request);
    if ('status' in mount) return mount;
    const accepted = request.header('accept') ?? '';
    if (accepted !== '' && !/application\/sdp|application\/\*|\*\/\*/i.test(accepted)) return { status: 406 };
    if (!(await this.ready(mount))) return { status: 503 };
    const body = describeTracks(mount.stream.tracks, this.options.local, mount.stream.ssrc('video'));
    const headers = { 'Content-Type': 'application/sdp', 'Content-Base': `${baseOf(request)}/` };
    return { status: 200, headers, body };
  }

  private async setUp(request: RtspRequest): Promise<RtspReply> {
    const mount = await this.admit(request);
    if ('status' in mount) return mount;
    if (request.session !== undefined && request.session !== this.session?.id) return { status: 454 };
    if (this.session && (this.session.mount !== mount || this.session.isPlaying)) return { status: 455 };
    const transport = readTransport(request.header('transport') ?? '');
    if (!transport) return { status: 461 };
    if (!(await this.ready(mount))) return { status: 503 };
    const name = chooseTrack(mount, request.track);
    if (typeof name === 'number') return { status: name };
    const session = this.session ?? this.newSession(mount);
    if (!session) return { status: 453 };
    const given = await session.setUp(name, `${baseOf(request)}/trackID=${trackNumbers[name]}`, transport);
    if (given === undefined) {
      if (session.isEmpty) this.endSession();
      return { status: 461 };
    }
    return { status: 200, headers: { Transport: given, Session: `${session.id};timeout=${sessionSeconds}` } };
  }

  private newSession(mount: Mount): RtspSession | undefined {
    const { local, remote, now } = this.options;
    const { writer, peer } = this;
    const onEnd = (reason: string) => this.close(reason);
    const session = new RtspSession({ mount, writer, local, remote, peer, now, onEnd });
    if (this.isOver || !mount.enter(session)) return undefined;
    this.session = session;
    return session;
  }

  private endSession(): void {
    this.session?.close();
    this.session = undefined;
  }

  private control({ method, session: id }: RtspRequest): RtspReply {
    const { session } = this;
    if (!session) return { status: id === undefined ? 455 : 454 };
    if (id !== session.id) return { status: 454 };
    const headers = { Session: `${session.id};timeout=${sessionSeconds}` };
    if (method === 'PAUSE') session.pause();
    if (method === 'TEARDOWN') this.endSession();
    if (method !== 'PLAY') return { status: 200, headers };
    const { info, begin } = session.play();
    return { status: 200, headers: { ...headers, Range: 'npt=now-', ...(info && { 'RTP-Info': info }) }, after: begin };
  }

  private keepAlive({ session, hasBody }: RtspRequest): RtspReply {
    if (session !== undefined && session !== this.session?.id) return { status: 454 };
    return { status: hasBody ? 451 : 200, ...(session && { headers: { Session: session } }) };
  }
}

/** Returns the track with this number, or the only one; otherwise the status of the refusal. */
function chooseTrack({ stream }: Mount, number: number | undefined): TrackName | 404 | 459 {
  const present = trackNames.filter((name) => stream.tracks[name]);
  if (number === undefined) return present.length === 1 && present[0] ? present[0] : 459;
  return present.find((name) => trackNumbers[name] === number) ?? 404;
}

/** Returns the address of the whole stream in the player's notation. */
function baseOf({ uri }: RtspRequest): string {
  return uri
    .replace(/[?#].*$/, '')
    .replace(/\/*$/, '')
    .replace(/\/trackID=\d+$/, '');
}

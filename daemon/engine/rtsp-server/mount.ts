/** The resource at one address of the server: an output with its stream, its access rules and its sessions. */
import { timing } from '../../timing.ts';
import type { Credentials } from '../net/http-auth.ts';
import type { RtpStream } from './rtp-stream.ts';
import type { TrackName } from './track.ts';

/** A session that plays the stream of a mount. */
export interface MountedSession {
  /** Address and port of the player. */
  readonly peer: string;
  readonly lagMs: number;
  readonly bytes: number;
  readonly skipped: number;
  end(reason: string): void;
  trackChanged(name: TrackName): void;
}

interface MountOptions extends Credentials {
  /** No login is required if `username` is empty. */
  readonly path: string;
  readonly maxClients: number;
  readonly stream: RtpStream;
  /** Whether all tracks of the publisher are known. */
  readonly isComplete: () => boolean;
  /** Returns undefined if a player limit is reached. */
  readonly enter: (session: MountedSession) => { remove(): void } | undefined;
}

const { streamWaitMs, trackWaitMs } = timing.rtspServer;
/** How long to wait for video or audio that the stream is not known to have. */
const unexpectedMs = 200;

export class Mount {
  readonly options: MountOptions;
  readonly path: string;
  readonly stream: RtpStream;
  private readonly inside = new Map<MountedSession, { remove(): void }>();
  private goneBytes = 0;
  private goneSkipped = 0;

  constructor(options: MountOptions) {
    this.options = options;
    this.path = options.path;
    this.stream = options.stream;
    options.stream.onTrackChange = (name) => {
      for (const session of [...this.inside.keys()]) session.trackChanged(name);
    };
  }

  get clients(): number {
    return this.inside.size;
  }

  get bytes(): number {
    return [...this.inside.keys()].reduce((sum, { bytes }) => sum + bytes, this.goneBytes);
  }

  get skipped(): number {
    return [...this.inside.keys()].reduce((sum, { skipped }) => sum + skipped, this.goneSkipped);
  }

  /** Returns false if there is no room. */
  enter(session: MountedSession): boolean {
    const { maxClients, enter } = this.options;
    const entry = this.inside.size < maxClients ? enter(session) : undefined;
    if (entry) this.inside.set(session, entry);
    return entry !== undefined;
  }

  leave(session: MountedSession): void {
    const entry = this.inside.get(session);
    if (!entry) return;
    this.inside.delete(session);
    this.goneBytes += session.bytes;
    this.goneSkipped += session.skipped;
    entry.remove();
  }

  /** Resolves when the stream can be described and played from a random access point; false if that takes too long. */
  untilReady(signal: AbortSignal): Promise<boolean> {
    const { stream } = this;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let settling: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const { video, audio } = stream.tracks;
      if (stream.ring.newestEntry < 0 || (!video && !audio)) return;
      if (video && audio) resolve(true);
      else settling ??= setTimeout(() => resolve(true), this.options.isComplete() ? unexpectedMs : trackWaitMs);
    };
    const cursor = stream.ring.subscribe(look);
    const giveUp = () => resolve(false);
    const deadline = setTimeout(giveUp, streamWaitMs);
    signal.addEventListener('abort', giveUp, { once: true });
    look();
    return promise.finally(() => {
      cursor.close();
      clearTimeout(deadline);
      clearTimeout(settling);
      signal.removeEventListener('abort', giveUp);
    });
  }

  /** Ends all sessions. */
  close(reason: string): void {
    for (const session of [...this.inside.keys()]) session.end(reason);
  }
}

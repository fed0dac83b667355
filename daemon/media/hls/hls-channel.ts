/** HLS of one channel: segments are made while somebody asks for them, and for a while after. */
import { timing } from '../../timing.ts';
import type { Channel } from '../channel.ts';
import type { Refused } from '../channel-clients.ts';
import { LiveWindow } from './live-window.ts';
import { playlistOf } from './playlist.ts';
import { createSegmenter, type Segmenter } from './segmenter.ts';
import { createViewers, type Viewer, type ViewerName } from './viewers.ts';

/** What a player that takes parts waits for, from the query of the playlist's address. */
export interface Awaited {
  readonly number: number;
  readonly part: number | undefined;
}

/** A viewer that asked for nothing for this many target durations left. */
const quietTargets = 3;
/** A number further ahead than this can't be waited for (RFC 8216, second edition, section 6.2.5.2). */
const mostAhead = 2;

export class HlsChannel {
  private readonly channel: Channel;
  private readonly window = new LiveWindow();
  private readonly segmenter: Segmenter;
  private readonly viewers;
  private askedAt = 0;

  constructor(channel: Channel) {
    this.channel = channel;
    this.segmenter = createSegmenter(channel.ts, this.window, Date.now);
    this.viewers = createViewers(channel, performance.now.bind(performance));
  }

  /** Takes a request in: from now on segments are made. */
  ask(name: ViewerName): Viewer | Refused | 'ended' {
    const viewer = this.viewers.ask(name);
    if (viewer === 'ended' || 'refused' in viewer) return viewer;
    this.askedAt = performance.now();
    this.segmenter.start();
    return viewer;
  }

  /** Undefined when nothing is there to play. */
  async playlist(awaited: Awaited | undefined): Promise<string | 'tooFarAhead' | undefined> {
    const { window } = this;
    if (!(await window.until(() => !window.isEmpty, timing.hls.firstSegmentMs))) return undefined;
    if (awaited) {
      if (awaited.number > window.newest + mostAhead) return 'tooFarAhead';
      await window.until(() => window.hasReached(awaited.number, awaited.part), this.waitMs);
    }
    return window.isEmpty ? undefined : playlistOf(window);
  }

  /** A segment or a part; a part that was announced is waited for. */
  async media(number: number, part: number | undefined): Promise<Blob | undefined> {
    const { window } = this;
    const open = window.open ?? { number: window.newest + 1, parts: [] };
    if (number === open.number && part === open.parts.length) {
      await window.until(() => window.hasReached(number, part), this.waitMs);
    }
    return window.body(number, part);
  }

  /** False once nobody needs this any more. */
  tick(): boolean {
    this.viewers.tick(this.quietMs);
    const isQuiet = this.viewers.count === 0 && performance.now() - this.askedAt > timing.hls.lingerMs;
    if (!isQuiet && !this.channel.refusesPlay('hls')) return true;
    this.segmenter.stop();
    this.window.clear();
    return false;
  }

  private get quietMs(): number {
    return quietTargets * this.window.targetSeconds * 1000;
  }

  private get waitMs(): number {
    return Math.min(this.quietMs, timing.hls.longestWaitMs);
  }
}

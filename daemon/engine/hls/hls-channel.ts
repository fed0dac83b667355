/** HLS of one channel: segments are created while they are requested, and for a while after. */
import { timing } from '../../timing.ts';
import type { Channel } from '../channel/channel.ts';
import type { Refused } from '../channel/clients.ts';
import { LiveWindow } from './live-window.ts';
import { playlistOf } from './playlist.ts';
import { createSegmenter, type Delivery, type Segmenter } from './segmenter.ts';
import { createViewers, type Viewer, type ViewerName } from './viewers.ts';

/** What a player of parts waits for, from the query of the playlist's address. */
export interface Awaited {
  readonly number: number;
  readonly part: number | undefined;
}

/** A viewer that has requested nothing for this many target durations has left. */
const quietTargets = 3;
/** A request for a number further ahead than this is refused (RFC 8216, second edition, section 6.2.5.2). */
const maxAhead = 2;
/**
 * Players of whole segments start this many segments before the end (RFC 8216, section 6.3.3). The first player gets
 * the list once that many exist: with fewer it would run dry before it learns of the next segment.
 */
const segmentsToBegin = 3;

export class HlsChannel {
  private readonly channel: Channel;
  private readonly window = new LiveWindow();
  private readonly segmenter: Segmenter;
  private readonly viewers;
  private askedAt = 0;
  /** A list of whole segments was sent; its recipients need the next one without delay. */
  private hasStarted = false;

  constructor(channel: Channel) {
    this.channel = channel;
    this.segmenter = createSegmenter(channel.ts, this.window, Date.now);
    this.viewers = createViewers(channel, performance.now.bind(performance));
  }

  /** Registers a request: from now on segments are created. */
  ask(name: ViewerName, delivery: Delivery): Viewer | Refused | 'ended' {
    const viewer = this.viewers.ask(name);
    if (viewer === 'ended' || 'refused' in viewer) return viewer;
    this.askedAt = performance.now();
    this.window.ask(delivery);
    this.segmenter.start();
    return viewer;
  }

  /** Returns undefined if there is nothing to play. */
  async playlist(delivery: Delivery, awaited: Awaited | undefined): Promise<string | 'tooFarAhead' | undefined> {
    const { window } = this;
    const least = delivery === 'segments' && !this.hasStarted ? segmentsToBegin : 1;
    await window.until(() => window.listed(delivery).length >= least, timing.hls.firstSegmentMs);
    if (window.listed(delivery).length === 0) return undefined;
    if (delivery === 'segments') this.hasStarted = true;
    if (awaited) {
      if (awaited.number > window.newest + maxAhead) return 'tooFarAhead';
      await window.until(() => window.hasReached(awaited.number, awaited.part), this.waitMs);
    }
    return window.listed(delivery).length === 0 ? undefined : playlistOf(window, delivery);
  }

  /** Returns a segment or a part; waits for a part that was announced. */
  async media(number: number, part: number | undefined): Promise<Blob | undefined> {
    const { window } = this;
    const open = window.open ?? { number: window.newest + 1, parts: [] };
    if (number === open.number && part === open.parts.length) {
      await window.until(() => window.hasReached(number, part), this.waitMs);
    }
    return window.body(number, part);
  }

  /** Returns false once this is no longer needed. */
  tick(): boolean {
    this.viewers.tick(this.quietMs);
    const isQuiet = this.viewers.count === 0 && performance.now() - this.askedAt > timing.hls.lingerMs;
    if (!isQuiet && !this.channel.refusesPlay('hls')) return true;
    this.segmenter.stop();
    this.window.clear();
    this.hasStarted = false;
    return false;
  }

  private get quietMs(): number {
    return quietTargets * this.window.targetSeconds * 1000;
  }

  private get waitMs(): number {
    return Math.min(this.quietMs, timing.hls.longestWaitMs);
  }
}

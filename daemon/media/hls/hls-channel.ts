/** HLS of one channel: segments are made while somebody asks for them, and for a while after. */
import { timing } from '../../timing.ts';
import type { Channel } from '../channel.ts';
import type { Refused } from '../channel-clients.ts';
import { LiveWindow } from './live-window.ts';
import { playlistOf } from './playlist.ts';
import { createSegmenter, type Delivery, type Segmenter } from './segmenter.ts';
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
/**
 * Players of whole segments begin so many of them before the end (RFC 8216, section 6.3.3). The first player gets the
 * list once it has as many: with less in advance it would run dry before it hears of the next segment.
 */
const segmentsToBegin = 3;

export class HlsChannel {
  private readonly channel: Channel;
  private readonly window = new LiveWindow();
  private readonly segmenter: Segmenter;
  private readonly viewers;
  private askedAt = 0;
  /** A list of whole segments was given out; who has it needs the next one without delay. */
  private hasBegun = false;

  constructor(channel: Channel) {
    this.channel = channel;
    this.segmenter = createSegmenter(channel.ts, this.window, Date.now);
    this.viewers = createViewers(channel, performance.now.bind(performance));
  }

  /** Takes a request in: from now on segments are made. */
  ask(name: ViewerName, delivery: Delivery): Viewer | Refused | 'ended' {
    const viewer = this.viewers.ask(name);
    if (viewer === 'ended' || 'refused' in viewer) return viewer;
    this.askedAt = performance.now();
    this.window.ask(delivery);
    this.segmenter.start();
    return viewer;
  }

  /** Undefined when nothing is there to play. */
  async playlist(delivery: Delivery, awaited: Awaited | undefined): Promise<string | 'tooFarAhead' | undefined> {
    const { window } = this;
    const least = delivery === 'segments' && !this.hasBegun ? segmentsToBegin : 1;
    await window.until(() => window.listed(delivery).length >= least, timing.hls.firstSegmentMs);
    if (window.listed(delivery).length === 0) return undefined;
    if (delivery === 'segments') this.hasBegun = true;
    if (awaited) {
      if (awaited.number > window.newest + mostAhead) return 'tooFarAhead';
      await window.until(() => window.hasReached(awaited.number, awaited.part), this.waitMs);
    }
    return window.listed(delivery).length === 0 ? undefined : playlistOf(window, delivery);
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
    this.hasBegun = false;
    return false;
  }

  private get quietMs(): number {
    return quietTargets * this.window.targetSeconds * 1000;
  }

  private get waitMs(): number {
    return Math.min(this.quietMs, timing.hls.longestWaitMs);
  }
}

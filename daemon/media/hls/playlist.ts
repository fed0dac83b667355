/** The text of a live playlist (RFC 8216 and its second edition for parts). Names are relative to the playlist's. */
import type { LiveWindow, OpenSegment, Part } from './live-window.ts';

/** A player that takes parts stays this many of them behind the newest one; the least that is allowed. */
const partsOfHoldBack = 3;
/** Parts are listed for this many targets before the end: who is further behind takes whole segments. */
const targetsWithParts = 3;

export function playlistOf(window: LiveWindow): string {
  const { listed, open, targetSeconds, partTargetSeconds } = window;
  const first = listed[0];
  if (!first) throw new Error('a playlist needs a segment');
  const isIndependent = [...listed, ...(open ? [open] : [])].every((segment) => segment.isIndependent);
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${targetSeconds}`,
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${decimal(partsOfHoldBack * partTargetSeconds)}`,
    `#EXT-X-PART-INF:PART-TARGET=${decimal(partTargetSeconds)}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${first.discontinuities - (first.isDiscontinuous ? 1 : 0)}`,
    ...(isIndependent ? ['#EXT-X-INDEPENDENT-SEGMENTS'] : []),
  ];
  let secondsToEnd = listed.reduce((sum, segment) => sum + segment.seconds, 0);
  const body = listed.flatMap((segment) => {
    const hasParts = secondsToEnd <= targetsWithParts * targetSeconds;
    secondsToEnd -= segment.seconds;
    const parts = hasParts ? partsOf(segment) : [];
    return [...startOf(segment), ...parts, `#EXTINF:${decimal(segment.seconds)},`, `${segment.number}.ts`];
  });
  // Where nothing was made yet, the next part is the first one of the next segment.
  const coming = open ? `${open.number}.${open.parts.length}.ts` : `${window.newest + 1}.0.ts`;
  const tail = [
    ...(open && open.parts.length > 0 ? [...startOf(open), ...partsOf(open)] : []),
    `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${coming}"`,
  ];
  return `${[...head, ...body, ...tail].join('\n')}\n`;
}

function startOf({ isDiscontinuous, startedAt }: OpenSegment): string[] {
  const time = `#EXT-X-PROGRAM-DATE-TIME:${new Date(startedAt).toISOString()}`;
  return isDiscontinuous ? ['#EXT-X-DISCONTINUITY', time] : [time];
}

function partsOf({ number, parts }: OpenSegment): string[] {
  return parts.map((part, at) => `#EXT-X-PART:${attributes(part)},URI="${number}.${at}.ts"`);
}

function attributes({ seconds, isIndependent }: Part): string {
  return `DURATION=${decimal(seconds)}${isIndependent ? ',INDEPENDENT=YES' : ''}`;
}

/** Ticks of the 90 kHz clock need five places. */
function decimal(seconds: number): string {
  return seconds.toFixed(5);
}

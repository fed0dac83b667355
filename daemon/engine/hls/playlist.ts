/** Text of a live playlist (RFC 8216; its second edition for parts). Names are relative to the playlist's. */
import type { LiveWindow, OpenSegment, Part, Segment } from './live-window.ts';
import type { Delivery } from './segmenter.ts';

/** A player of parts stays this many parts behind the newest one, the minimum allowed. */
const partsOfHoldBack = 3;
/** Parts are listed for this many target durations before the end; players further behind use whole segments. */
const targetsWithParts = 3;

export function playlistOf(window: LiveWindow, delivery: Delivery): string {
  return delivery === 'parts' ? playlistWithParts(window) : playlistOfSegments(window);
}

/** Has no low-latency tags: some players use parts wherever they see them, and not all of those can play them. */
function playlistOfSegments(window: LiveWindow): string {
  const listed = window.listed('segments');
  const body = listed.flatMap((segment) => [...startOf(segment), ...endOf(segment)]);
  return `${[...headOf(window, listed, []), ...body].join('\n')}\n`;
}

function playlistWithParts(window: LiveWindow): string {
  const { open, targetSeconds, partTargetSeconds } = window;
  const listed = window.listed('parts');
  const head = headOf(
    window,
    [...listed, ...(open ? [open] : [])],
    [
      `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${decimal(partsOfHoldBack * partTargetSeconds)}`,
      `#EXT-X-PART-INF:PART-TARGET=${decimal(partTargetSeconds)}`,
    ],
  );
  let secondsToEnd = listed.reduce((sum, segment) => sum + segment.seconds, 0);
  const body = listed.flatMap((segment) => {
    const hasParts = secondsToEnd <= targetsWithParts * targetSeconds;
    secondsToEnd -= segment.seconds;
    const parts = hasParts ? partsOf(segment) : [];
    return [...startOf(segment), ...parts, ...endOf(segment)];
  });
  // If no part of a segment exists yet, the next part is the first of the next segment.
  const coming = open ? `${open.number}.${open.parts.length}.ts` : `${window.newest + 1}.0.ts`;
  const tail = [
    ...(open && open.parts.length > 0 ? [...startOf(open), ...partsOf(open)] : []),
    `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${coming}"`,
  ];
  return `${[...head, ...body, ...tail].join('\n')}\n`;
}

function headOf({ targetSeconds }: LiveWindow, segments: readonly OpenSegment[], control: readonly string[]): string[] {
  const [first] = segments;
  if (!first) throw new Error('a playlist needs a segment');
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${targetSeconds}`,
    ...control,
    `#EXT-X-MEDIA-SEQUENCE:${first.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${first.discontinuities - (first.isDiscontinuous ? 1 : 0)}`,
    ...(segments.every(({ isIndependent }) => isIndependent) ? ['#EXT-X-INDEPENDENT-SEGMENTS'] : []),
  ];
}

function endOf({ seconds, number }: Segment): string[] {
  return [`#EXTINF:${decimal(seconds)},`, `${number}.ts`];
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

/** Ticks of the 90 kHz clock need five decimals. */
function decimal(seconds: number): string {
  return seconds.toFixed(5);
}

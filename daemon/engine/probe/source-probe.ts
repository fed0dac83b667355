/**
 * Tests a source: observes the channel that already has it, or opens it on a probe channel, as a normal channel would.
 * Protocols, causes of failure and secrets are thus handled as in normal operation.
 */
import { connectionStates } from '../../contract/streams.ts';
import { noPublishers } from '../../media/protocol/desired.ts';
import type { TestOutcome } from '../../media/protocol/messages.ts';
import type { MediaStatus } from '../../media/protocol/reported.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { Channel, type ChannelPorts } from '../channel/channel.ts';
import { type StreamProbe, startStreamProbe } from '../ffmpeg/probe.ts';

export interface SourceProbeOptions {
  /** On which the source is observed. */
  readonly channel: Channel;
  /** The channel exists for this test only, so a failure of its input ends the test. */
  readonly isOwn: boolean;
  /** Path of ffprobe. */
  readonly ffprobe: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const tickMs = 1000;

/** Always resolves, at the latest after the timeout. */
export async function probeSource(options: SourceProbeOptions): Promise<TestOutcome> {
  const { channel, isOwn, timeoutMs, signal } = options;
  const outcome = Promise.withResolvers<TestOutcome>();
  const look = () => {
    const { conn, reason } = channel.input.status();
    if (conn >= connectionStates.failed) outcome.resolve({ isFound: false, conn, reason: reason ?? 'internal' });
  };
  const stopWatching = isOwn ? channel.watchInput(look) : undefined;
  if (isOwn) look();
  const probe = startStreamProbe(options.ffprobe);
  const stopFeeding = feed(channel, probe);
  const giveUp = () => {
    const { conn, reason, media } = channel.input.status();
    // What the engine itself detected is better than nothing.
    outcome.resolve(media ? { isFound: true, media } : { isFound: false, conn, reason: reason ?? 'timeout' });
  };
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  probe.result
    .then((media) => media && outcome.resolve({ isFound: true, media: merged(channel.input.status().media, media) }))
    .catch(giveUp);
  const found = await outcome.promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', giveUp);
  stopFeeding();
  stopWatching?.();
  probe.close();
  return found;
}

/** Merges ffprobe's view of video and audio with what only the engine knows. */
function merged(own: MediaStatus | undefined, probed: MediaStatus): MediaStatus {
  const { audio } = probed;
  const language = audio?.codec === own?.audio?.codec ? own?.audio?.language : undefined;
  return { ...own, ...probed, ...(audio && { audio: { ...audio, ...(language !== undefined && { language }) } }) };
}

const lookMs = 100;
/** Time in which the size of the picture becomes known once there is media. */
const sizeMs = 1500;

/**
 * Finds out whether the source delivers media, and as much about it as the engine itself detects, without ffprobe.
 * Always resolves, at the latest after the timeout.
 */
export async function watchSource(
  options: Pick<SourceProbeOptions, 'channel' | 'isOwn' | 'timeoutMs' | 'signal'>,
): Promise<TestOutcome> {
  const { channel, isOwn, timeoutMs, signal } = options;
  const outcome = Promise.withResolvers<TestOutcome>();
  let mediaSince = Number.POSITIVE_INFINITY;
  const look = (isLast: boolean) => {
    const { conn, reason, media } = channel.input.status();
    const nowMs = performance.now();
    if (media !== undefined) mediaSince = Math.min(mediaSince, nowMs);
    const isComplete = media?.video?.width !== undefined || nowMs - mediaSince >= sizeMs;
    if (media !== undefined && (isComplete || isLast)) outcome.resolve({ isFound: true, media });
    else if (isLast || (isOwn && conn >= connectionStates.failed)) {
      outcome.resolve({ isFound: false, conn, reason: reason ?? 'timeout' });
    }
  };
  const last = () => look(true);
  const stopWatching = channel.watchInput(() => look(false));
  const [looking, limit] = [setInterval(look, lookMs, false), setTimeout(last, timeoutMs)];
  signal.addEventListener('abort', last, { once: true });
  look(signal.aborted);
  const found = await outcome.promise;
  clearInterval(looking);
  clearTimeout(limit);
  signal.removeEventListener('abort', last);
  stopWatching();
  return found;
}

/** Opens the source on a channel with an id that no other channel has. */
export function openProbeChannel(id: number, source: FetchSource, ports: ChannelPorts) {
  const channel = new Channel(probeConfig(id, source), { ...ports, onChange: () => undefined });
  const timer = setInterval(() => channel.tick(performance.now()), tickMs);
  return {
    channel,
    close(): void {
      clearInterval(timer);
      channel.close('test over');
    },
  };
}

/** Reads the channel as a transport stream, which makes it convert if necessary. */
function feed(channel: Channel, probe: StreamProbe): () => void {
  let hasTables = false;
  const read = () => {
    if (!hasTables && channel.ts.tables.length > 0) hasTables = probe.write(channel.ts.tables);
    for (let unit = cursor.take(); unit; unit = cursor.take()) if (hasTables) probe.write(unit.data);
  };
  const cursor = channel.ts.ring.subscribe(read);
  read();
  return () => cursor.close();
}

function probeConfig(id: number, input: FetchSource) {
  return {
    id,
    name: 'test of a source',
    enabled: true,
    // Without keys nobody can connect: the key table does not contain this channel.
    pushKey: '',
    playKey: '',
    allow: noPublishers,
    takeover: false,
    inputId: id,
    input,
    outputs: [],
  };
}

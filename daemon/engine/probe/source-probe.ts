/**
 * Tests a source: observes the channel that already has it, or opens it on a probe channel, as a normal channel would.
 * Protocols, causes of failure and secrets are thus handled as in normal operation.
 */
import { connectionStates } from '../../contract/streams.ts';
import type { TestOutcome } from '../../media/protocol/messages.ts';
import type { MediaStatus } from '../../media/protocol/reported.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import { Channel, type ChannelPorts } from '../channel/channel.ts';
import { type StreamProbe, startStreamProbe } from '../ffmpeg/probe.ts';

export interface SourceProbeOptions {
  readonly stage: ProbeStage;
  readonly source: FetchSource;
  /** Path of ffprobe. */
  readonly ffprobe: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The channel on which the source is observed. */
export interface ProbeStage {
  readonly channel: Channel;
  /** Calls `look` on every change of the channel's state until `leave`, which the caller must call. */
  watch(look: () => void): void;
  leave(): void;
}

const tickMs = 1000;

/** Always resolves, at the latest after the timeout. */
export async function probeSource(options: SourceProbeOptions): Promise<TestOutcome> {
  const { stage, timeoutMs, signal } = options;
  const { channel } = stage;
  const outcome = Promise.withResolvers<TestOutcome>();
  stage.watch(() => {
    const { conn, reason } = channel.input.status();
    if (conn >= connectionStates.failed) outcome.resolve({ isFound: false, conn, reason: reason ?? 'internal' });
  });
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
  probe.close();
  return found;
}

/** Merges ffprobe's view of video and audio with what only the engine knows. */
function merged(own: MediaStatus | undefined, probed: MediaStatus): MediaStatus {
  const { audio } = probed;
  const language = audio?.codec === own?.audio?.codec ? own?.audio?.language : undefined;
  return { ...own, ...probed, ...(audio && { audio: { ...audio, ...(language !== undefined && { language }) } }) };
}

/** Creates a channel for this test only, with an id that no other channel has. */
export function scratchStage(id: number, source: FetchSource, ports: ChannelPorts): ProbeStage {
  let look: () => void = () => undefined;
  const channel = new Channel(scratch(id, source), { ...ports, onChange: () => queueMicrotask(look) });
  const timer = setInterval(() => channel.tick(performance.now()), tickMs);
  return {
    channel,
    watch(next) {
      look = next;
    },
    leave() {
      look = () => undefined;
      clearInterval(timer);
      channel.close('test over');
    },
  };
}

/** Uses a running channel that already has the source. */
export function sharedStage(channel: Channel): ProbeStage {
  return { channel, watch: () => undefined, leave: () => undefined };
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

function scratch(id: number, input: FetchSource) {
  return {
    id,
    name: 'test of a source',
    enabled: true,
    // Without keys nobody can connect: the key table does not contain this channel.
    pushKey: '',
    playKey: '',
    allow: { rtmp: false, srt: false },
    takeover: false,
    inputId: id,
    input,
    outputs: [],
  };
}

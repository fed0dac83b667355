/**
 * Tests a source: looks at the channel that has it, or opens it as a channel would, on one that nobody else sees. So
 * every protocol, every cause and every secret is handled as in earnest.
 */
import { connectionStates } from '../contract/streams.ts';
import type { FetchSource } from './addresses.ts';
import { Channel, type ChannelPorts } from './channel.ts';
import { type StreamProbe, startStreamProbe } from './ffmpeg/probe.ts';
import type { TestOutcome } from './protocol.ts';
import type { MediaStatus } from './status.ts';

export interface SourceProbeOptions {
  readonly stage: ProbeStage;
  readonly source: FetchSource;
  /** Path of ffprobe. */
  readonly ffprobe: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Where the source is looked at. */
export interface ProbeStage {
  readonly channel: Channel;
  /** Called on every change of the channel's state, until `leave`, which is the caller's to do. */
  watch(look: () => void): void;
  leave(): void;
}

const tickMs = 1000;

/** Resolves in any case, at the latest after the timeout. */
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
    // What we saw ourselves is better than nothing.
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

/** What ffprobe sees of picture and sound, with what the engine alone knows. */
function merged(own: MediaStatus | undefined, probed: MediaStatus): MediaStatus {
  const { audio } = probed;
  const language = audio?.codec === own?.audio?.codec ? own?.audio?.language : undefined;
  return { ...own, ...probed, ...(audio && { audio: { ...audio, ...(language !== undefined && { language }) } }) };
}

/** A channel for this test alone, with an id that no other has. */
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

/** A channel on air that has the source already. */
export function sharedStage(channel: Channel): ProbeStage {
  return { channel, watch: () => undefined, leave: () => undefined };
}

/** Reads the channel as a transport stream, which makes it convert where it has to. */
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
    // Nobody has these keys: the table of keys doesn't know this channel.
    pushKey: '',
    playKey: '',
    allow: { rtmp: false, srt: false },
    takeover: false,
    inputId: id,
    input,
    outputs: [],
  };
}

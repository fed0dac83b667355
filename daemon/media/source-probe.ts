/**
 * Tests a source: opens it as a channel would, on a channel that nobody else sees, and says what it brings or why it
 * doesn't. So every protocol, every cause and every secret is handled as in earnest.
 */
import { connectionStates } from '../contract/streams.ts';
import { Channel, type ChannelPorts } from './channel.ts';
import { type StreamProbe, startStreamProbe } from './ffmpeg/probe.ts';
import type { InputSource, LegReason, MediaStatus } from './protocol.ts';

export interface SourceProbeOptions {
  /** No other channel has it. */
  readonly channelId: number;
  readonly source: Exclude<InputSource, { protocol: 'push' }>;
  readonly ports: ChannelPorts;
  /** Path of ffprobe. */
  readonly ffprobe: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type ProbeOutcome =
  | { readonly isFound: true; readonly media: MediaStatus }
  /** `conn` is one of the contract's connection states: the last one in which it was. */
  | { readonly isFound: false; readonly conn: number; readonly reason: LegReason };

const tickMs = 1000;

/** Resolves in any case, at the latest after the timeout. */
export async function probeSource(options: SourceProbeOptions): Promise<ProbeOutcome> {
  const { channelId: id, source, ports, timeoutMs, signal } = options;
  const outcome = Promise.withResolvers<ProbeOutcome>();
  const look = () => {
    const { conn, reason } = channel.input.status();
    if (conn >= connectionStates.failed) outcome.resolve({ isFound: false, conn, reason: reason ?? 'internal' });
  };
  const channel = new Channel(scratch(id, source), { ...ports, onChange: () => queueMicrotask(look) });
  const probe = startStreamProbe(options.ffprobe);
  const stopFeeding = feed(channel, probe);
  const giveUp = () => {
    const { conn, reason, media } = channel.input.status();
    // What we saw ourselves is better than nothing.
    outcome.resolve(media ? { isFound: true, media } : { isFound: false, conn, reason: reason ?? 'timeout' });
  };
  const timers = [setInterval(() => channel.tick(performance.now()), tickMs), setTimeout(giveUp, timeoutMs)];
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  probe.result
    .then((media) => media && outcome.resolve({ isFound: true, media: { ...channel.input.status().media, ...media } }))
    .catch(giveUp);
  const found = await outcome.promise;
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener('abort', giveUp);
  stopFeeding();
  probe.close();
  channel.close('test over');
  return found;
}

/** Reads the channel as a transport stream, which makes it convert where it has to. */
function feed(channel: Channel, probe: StreamProbe): () => void {
  let hasTables = false;
  const cursor = channel.ts.ring.subscribe(() => {
    if (!hasTables && channel.ts.tables.length > 0) hasTables = probe.write(channel.ts.tables);
    for (let unit = cursor.take(); unit; unit = cursor.take()) if (hasTables) probe.write(unit.data);
  });
  return () => cursor.close();
}

function scratch(id: number, input: SourceProbeOptions['source']) {
  return {
    id,
    name: 'test of a source',
    enabled: true,
    // Nobody has these keys: the table of keys doesn't know this channel.
    pushKey: '',
    playKey: '',
    allow: { rtmp: false, srt: false },
    inputId: id,
    input,
    outputs: [],
  };
}

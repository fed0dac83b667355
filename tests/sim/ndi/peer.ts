/**
 * Another program on the network: sends sources whose pictures have one brightness, with a tone, and receives sources.
 * Started with the path of a library by `startPeer`, it answers each message with another one.
 */
import { dlopen, read } from 'bun:ffi';
import { Finder } from '../../../native/ndi/finder.ts';
import { loadLibrary, type NdiLibrary } from '../../../native/ndi/library.ts';
import { type AudioFrame, type Bandwidth, Receiver, type VideoFrame } from '../../../native/ndi/receiver.ts';
import { Sender } from '../../../native/ndi/sender.ts';
import { sendClapper } from './clapper.ts';
import { type Recorder, recordFrames } from './recorder.ts';
import { serveNetwork } from './serve-network.ts';

export type PeerCommand =
  | { readonly do: 'send'; readonly name: string; readonly luma: number; readonly size: Size; readonly groups: string }
  /** Sends what `clapper.ts` describes. */
  | { readonly do: 'clap'; readonly name: string; readonly size: Size }
  | { readonly do: 'stop'; readonly name: string }
  /** Writes a file with the frames, until the peer ends. */
  | { readonly do: 'record'; readonly from: string; readonly file: string }
  | { readonly do: 'receive'; readonly from: string; readonly bandwidth: Bandwidth }
  /** Answered with the brightness of the frames since the last query, without repetitions in a row. */
  | { readonly do: 'seen'; readonly from: string }
  /** Answered with what the newest frames were. */
  | { readonly do: 'formats'; readonly from: string }
  /** Answered with the number of receivers on the network; only the double can say that. */
  | { readonly do: 'receivers' }
  | { readonly do: 'names' };

interface Size {
  readonly width: number;
  readonly height: number;
}
/** Of the newest video and audio frame; undefined before there is one. */
export interface Formats {
  readonly video?: Pick<VideoFrame, 'width' | 'height' | 'fourCc' | 'rate'>;
  /** `peak` of the samples. */
  readonly audio?: Pick<AudioFrame, 'sampleRate' | 'channels' | 'samples'> & { readonly peak: number };
}

const usualSize: Size = { width: 128, height: 64 };
const framesPerSecond = 50;
const sound = { sampleRate: 48_000, channels: 2, samples: 48_000 / framesPerSecond };
export const tonePeak = 0.5;

function tone(): Uint8Array<ArrayBuffer> {
  const samples = new Float32Array(sound.samples * sound.channels);
  // 1 kHz: a whole number of periods, so that the frames join.
  for (let at = 0; at < samples.length; at++) samples[at] = tonePeak * Math.sin((2 * Math.PI * at) / 48);
  return new Uint8Array(samples.buffer);
}

function sender(library: Required<NdiLibrary>, { name, luma, size, groups }: PeerCommand & { do: 'send' }) {
  const sent = Sender.create(library.send, name, groups);
  if (!sent) return undefined;
  const data = new Uint8Array(new ArrayBuffer(size.width * size.height * 2));
  for (let at = 0; at < data.length; at++) data[at] = at % 2 === 0 ? 128 : luma;
  const audio = { ...sound, data: tone() };
  const timer = setInterval(() => {
    sent.video({ ...size, rate: { numerator: framesPerSecond, denominator: 1 }, data });
    sent.audio(audio);
  }, 1000 / framesPerSecond);
  return () => {
    clearInterval(timer);
    sent.close();
  };
}

function receiver(library: Required<NdiLibrary>, from: string, bandwidth: Bandwidth) {
  const received = new Receiver(library.receive, { source: from, bandwidth, name: 'peer' });
  const seen: number[] = [];
  let formats: Formats = {};
  const taker = {
    video({ data, width, height, fourCc, rate }: VideoFrame): void {
      // The middle of a row.
      const luma = read.u8(data as Parameters<typeof read.u8>[0], (width & ~1) + 1);
      if (seen.at(-1) !== luma && seen.length < 1000) seen.push(luma);
      formats = { ...formats, video: { width, height, fourCc, rate } };
    },
    audio({ data, sampleRate, channels, samples }: AudioFrame): void {
      let peak = 0;
      for (let at = 0; at < samples; at++) {
        peak = Math.max(peak, read.f32(data as Parameters<typeof read.f32>[0], at * 4));
      }
      formats = { ...formats, audio: { sampleRate, channels, samples, peak } };
    },
  };
  setInterval(() => {
    while (received.capture(0, taker) !== 'none');
  }, 5);
  return { seen: () => seen.splice(0), formats: () => formats };
}

function record(library: Required<NdiLibrary>, from: string, file: string): Recorder {
  const received = new Receiver(library.receive, { source: from, bandwidth: 'full', name: 'recorder' });
  const recorder = recordFrames(file);
  setInterval(() => {
    while (received.capture(0, recorder) !== 'none');
  }, 5);
  return recorder;
}

function countReceivers(path: string): number {
  const { double_count_receivers: count } = dlopen(path, {
    double_count_receivers: { args: [], returns: 'i32' },
  }).symbols;
  return count();
}

async function run(path: string): Promise<void> {
  // Only the double has a network that can be served.
  if (process.env.NDI_PEER_SERVES === '1') serveNetwork(path);
  const library = loadLibrary(path);
  if ('fault' in library || !library.send || !library.receive)
    throw new Error(`not usable: ${JSON.stringify(library)}`);
  const whole = { ...library, send: library.send, receive: library.receive };
  const finder = new Finder(library);
  const senders = new Map<string, () => unknown>();
  const receivers = new Map<string, ReturnType<typeof receiver>>();
  const recorders: Recorder[] = [];
  const answer = (command: PeerCommand): unknown => {
    if (command.do === 'names') return finder.names(1024);
    if (command.do === 'receivers') return countReceivers(path);
    if (command.do === 'send') {
      const end = sender(whole, command);
      if (end) senders.set(command.name, end);
      return end !== undefined;
    }
    if (command.do === 'clap') {
      const sent = Sender.create(library.send as NonNullable<typeof library.send>, command.name, '');
      const end = sent && sendClapper(sent, command.size);
      if (end) senders.set(command.name, end);
      return end !== undefined;
    }
    if (command.do === 'record') return void recorders.push(record(whole, command.from, command.file));
    if (command.do === 'stop') return senders.get(command.name)?.();
    if (command.do === 'receive')
      return receivers.set(command.from, receiver(whole, command.from, command.bandwidth)).size;
    if (command.do === 'formats') return receivers.get(command.from)?.formats() ?? {};
    return receivers.get(command.from)?.seen() ?? [];
  };
  process.on('message', (command: PeerCommand) => process.send?.({ answer: answer(command) }));
  process.on('disconnect', () => process.exit());
}

export type Peer = Awaited<ReturnType<typeof startPeer>>;

/** Commands must not overlap. */
export async function startPeer(library: string, environment: Readonly<Record<string, string>>) {
  let reply = Promise.withResolvers<unknown>();
  const child = Bun.spawn([process.execPath, import.meta.path, library], {
    env: { ...environment, PATH: process.env.PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: ({ answer }: { answer: unknown }) => reply.resolve(answer),
    onExit: () => reply.reject(new Error('the peer ended')),
  });
  const ask = (command: PeerCommand): Promise<unknown> => {
    reply = Promise.withResolvers();
    child.send(command);
    return reply.promise;
  };
  return {
    /** Whether the name was free. */
    send: async (name: string, luma: number, { groups = '', size = usualSize } = {}) =>
      (await ask({ do: 'send', name, luma, groups, size })) as boolean,
    clap: async (name: string, size: Size) => (await ask({ do: 'clap', name, size })) as boolean,
    record: (from: string, file: string) => ask({ do: 'record', from, file }),
    stop: (name: string) => ask({ do: 'stop', name }),
    receive: (from: string, bandwidth: Bandwidth = 'full') => ask({ do: 'receive', from, bandwidth }),
    seen: async (from: string) => (await ask({ do: 'seen', from })) as number[],
    formats: async (from: string) => (await ask({ do: 'formats', from })) as Formats,
    receivers: async () => (await ask({ do: 'receivers' })) as number,
    names: async () => (await ask({ do: 'names' })) as string[],
    async end() {
      child.kill();
      await child.exited;
    },
  };
}

if (import.meta.main) await run(process.argv[2] ?? '');

/**
 * Another program on the network: sends sources with pictures of one brightness, and receives sources. Started with
 * the path of a library by `startPeer`, it answers each message with another one.
 */
import { read } from 'bun:ffi';
import { Finder } from '../../../native/ndi/finder.ts';
import { layouts } from '../../../native/ndi/layout.ts';
import { loadLibrary, type NdiLibrary } from '../../../native/ndi/library.ts';
import { Struct } from '../../../native/ndi/memory.ts';

export type PeerCommand =
  | { readonly do: 'send'; readonly name: string; readonly luma: number; readonly groups?: string }
  | { readonly do: 'stop'; readonly name: string }
  | { readonly do: 'receive'; readonly from: string }
  /** Answered with the brightness of the frames since the last query, without repetitions in a row. */
  | { readonly do: 'seen'; readonly from: string }
  | { readonly do: 'names' };

const [width, height] = [128, 64];
const uyvy = 0x59565955;
const frameEveryMs = 20;

function sender(library: Required<NdiLibrary>, name: string, luma: number, groups: string | null) {
  const options = new Struct(layouts.sendCreate).text('name', name).text('groups', groups);
  const handle = library.send.NDIlib_send_create(options.memory);
  if (handle === null) return undefined;
  const data = new Uint8Array(new ArrayBuffer(width * height * 2));
  for (let at = 0; at < data.length; at++) data[at] = at % 2 === 0 ? 128 : luma;
  const frame = new Struct(layouts.videoFrame)
    .number('width', width)
    .number('height', height)
    .number('fourCc', uyvy)
    .number('rateNumerator', 50)
    .number('rateDenominator', 1)
    .number('format', 1)
    .number('stride', width * 2)
    .bytes('data', data);
  const timer = setInterval(() => library.send.NDIlib_send_send_video_v2(handle, frame.memory), frameEveryMs);
  return () => {
    clearInterval(timer);
    library.send.NDIlib_send_destroy(handle);
    // The library may read them for as long as the sender exists.
    return [options, frame];
  };
}

function receiver(library: Required<NdiLibrary>, from: string) {
  const options = new Struct(layouts.receiveCreate)
    .text('sourceName', from)
    .number('colorFormat', 1)
    .number('bandwidth', 100)
    .text('name', 'peer');
  const handle = library.receive.NDIlib_recv_create_v3(options.memory);
  if (handle === null) throw new Error('no receiver');
  const frame = new Struct(layouts.videoFrame);
  const seen: number[] = [];
  setInterval(() => {
    for (let type = 1; type !== 0; ) {
      type = library.receive.NDIlib_recv_capture_v2(handle, frame.memory, null, null, 0);
      if (type !== 1) continue;
      const data = frame.readPointer('data');
      // The middle of a row; frames without a picture have none.
      const luma = data === null ? -1 : read.u8(data, (frame.readNumber('width') & ~1) + 1);
      if (seen.at(-1) !== luma && seen.length < 1000) seen.push(luma);
      library.receive.NDIlib_recv_free_video_v2(handle, frame.memory);
    }
  }, 5);
  return { seen: () => seen.splice(0), options };
}

async function run(path: string): Promise<void> {
  const library = loadLibrary(path);
  if ('fault' in library || !library.send || !library.receive)
    throw new Error(`not usable: ${JSON.stringify(library)}`);
  const whole = { ...library, send: library.send, receive: library.receive };
  const finder = new Finder(library);
  const senders = new Map<string, () => unknown>();
  const receivers = new Map<string, ReturnType<typeof receiver>>();
  const answer = (command: PeerCommand): unknown => {
    if (command.do === 'names') return finder.names();
    if (command.do === 'send') {
      const end = sender(whole, command.name, command.luma, command.groups ?? null);
      if (end) senders.set(command.name, end);
      return end !== undefined;
    }
    if (command.do === 'stop') return senders.get(command.name)?.() !== undefined;
    if (command.do === 'receive') return receivers.set(command.from, receiver(whole, command.from)).size;
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
    send: async (name: string, luma: number, groups?: string) =>
      (await ask({ do: 'send', name, luma, ...(groups !== undefined && { groups }) })) as boolean,
    stop: (name: string) => ask({ do: 'stop', name }),
    receive: (from: string) => ask({ do: 'receive', from }),
    seen: async (from: string) => (await ask({ do: 'seen', from })) as number[],
    names: async () => (await ask({ do: 'names' })) as string[],
    async end() {
      child.kill();
      await child.exited;
    },
  };
}

if (import.meta.main) await run(process.argv[2] ?? '');

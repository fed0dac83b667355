/** Connects RTSP players to channels: an output opens a path on a port, and its players are clients of the channel. */
import { connectionStates } from '../../contract/streams.ts';
import type { MediaStatus } from '../../media/protocol/reported.ts';
import type { RtspServerStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { portFailureOf, portNotOpened } from '../connection/listen-failure.ts';
import { Mount } from './mount.ts';
import { RtpStream } from './rtp-stream.ts';
import { PathTaken, RtspServer, type RtspServerOptions } from './server.ts';

export interface RtspAdapter {
  /** Sets the address that outputs listen on; open ones move. */
  apply(bind: string): void;
  open(channel: Channel, outputId: number, address: RtspServerStream, events: AttemptEvents): Attempt;
  /** Called once per second. */
  tick(): void;
}

interface Opened {
  /** Ends an attempt that cannot continue. */
  finish(end: Termination): void;
  tick(): void;
}

const { streamFailed, disconnected } = connectionStates;
/** The stream cannot be carried in RTP packets, so retries cannot succeed. */
const impossible: Termination = {
  conn: streamFailed,
  reason: 'codecNotPossible',
  permanent: true,
  text: 'the codec has no place in an RTSP output',
};
const moved: Termination = {
  conn: disconnected,
  reason: 'closedByPeer',
  permanent: false,
  text: 'the hub listens on another address',
};

const random = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

export function createRtspAdapter(options: RtspServerOptions): RtspAdapter {
  const server = new RtspServer(options);
  const opened = new Set<Opened>();
  let bind: string | undefined;

  return {
    apply(next) {
      if (next === bind) return;
      bind = next;
      for (const one of [...opened]) one.finish(moved);
    },
    open(channel, outputId, { port, key, maxClients, username, password }, events) {
      const stream = new RtpStream(channel.flv, random);
      const mount = new Mount({
        ...{ path: key, maxClients, username, password, stream },
        isComplete: () => knowsAll(stream, channel.input.current?.media()),
        enter(session) {
          const entry = channel.addClient({
            protocol: 'rtsp',
            peer: session.peer,
            outputId,
            bytes: () => session.bytes,
            skipped: () => session.skipped,
            queueMs: () => session.lagMs,
            srt: () => undefined,
            close: (reason) => session.end(reason),
          });
          return 'refused' in entry ? undefined : entry;
        },
      });
      const close = (reason: string) => {
        opened.delete(one);
        server.remove(port, mount, reason);
      };
      const one: Opened = {
        finish(end) {
          if (!opened.has(one)) return;
          close(end.text);
          events.ended(end);
        },
        tick() {
          stream.trim();
          if (isImpossible(channel)) one.finish(impossible);
        },
      };
      opened.add(one);
      const failure = isImpossible(channel) ? impossible : listen(server, bind ?? '0.0.0.0', port, mount);
      if (failure) one.finish(failure);
      else events.connected();
      return {
        get bytes() {
          return mount.bytes;
        },
        get skipped() {
          return mount.skipped;
        },
        get clients() {
          return mount.clients;
        },
        get lacks() {
          return lacksSound(stream, channel.input.current?.media()) ? 'soundLeftOut' : undefined;
        },
        close,
      };
    },
    tick() {
      server.tick();
      for (const one of [...opened]) one.tick();
    },
  };
}

function listen(server: RtspServer, hostname: string, port: number, mount: Mount): Termination | undefined {
  try {
    server.add(hostname, port, mount);
    return undefined;
  } catch (error) {
    const isTaken = error instanceof PathTaken;
    const failure = isTaken ? ({ reason: 'busy', error: error.message } as const) : portFailureOf(error);
    return portNotOpened(`RTSP can't listen on port ${port}`, port, failure);
  }
}

/** RTSP outputs carry H.264, HEVC and AAC. Transport streams are converted to FLV first, which may also fail. */
function isImpossible(channel: Channel): boolean {
  const media = channel.input.current?.media();
  if (channel.isImpossible('flv')) return true;
  if (media?.video) return media.video.codec !== 'h264' && media.video.codec !== 'hevc';
  return media?.audio !== undefined && media.audio.codec !== 'aac';
}

function lacksSound({ tracks }: RtpStream, media: MediaStatus | undefined): boolean {
  return media?.video !== undefined && media.audio !== undefined && media.audio.codec !== 'aac' && !tracks.audio;
}

function knowsAll(stream: RtpStream, media: MediaStatus | undefined): boolean {
  if (!media || (media.video && !stream.tracks.video)) return false;
  return !media.audio || !!stream.tracks.audio || lacksSound(stream, media);
}

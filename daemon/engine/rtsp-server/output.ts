/** An output that RTSP players pull, as an attempt: opens a path on a port. Its players are clients of the channel. */

import type { MediaStatus } from '../../media/protocol/reported.ts';
import type { RtspServerStream } from '../../sources/stream-address.ts';
import type { Channel } from '../channel/channel.ts';
import type { Attempt, AttemptEvents, Termination } from '../connection/connection.ts';
import { portFailureOf, portNotOpened } from '../connection/listen-failure.ts';
import { impossibleIn } from '../connection/terminations.ts';
import type { OpenOutput, RtspAdapter } from './adapter.ts';
import { Mount } from './mount.ts';
import { RtpStream } from './rtp-stream.ts';
import { PathTaken } from './server.ts';

const impossible = impossibleIn('an RTSP output');
const random = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

export function openRtspOutput(
  rtsp: RtspAdapter,
  address: RtspServerStream,
  channel: Channel,
  events: AttemptEvents,
  outputId: number,
): Attempt {
  const { port, key: path, maxClients, username, password } = address;
  const stream = new RtpStream(channel.flv, random);
  const mount = new Mount({
    ...{ path, maxClients, username, password, stream },
    isComplete: () => knowsAll(stream, channel.input.current?.media()),
    enter(session) {
      const entry = channel.addClient({
        protocol: 'rtsp',
        peer: session.peer,
        outputId,
        bytes: () => session.bytes,
        skipped: () => session.skipped,
        queueMs: () => session.lagMs,
        close: (reason) => session.end(reason),
      });
      return 'refused' in entry ? undefined : entry;
    },
  });
  const close = (reason: string) => {
    rtsp.opened.delete(output);
    rtsp.server.remove(port, mount, reason);
  };
  const output: OpenOutput = {
    finish(end) {
      close(end.text);
      events.ended(end);
    },
    tick() {
      stream.ring.trim();
      if (isImpossible(channel)) output.finish(impossible);
    },
  };
  rtsp.opened.add(output);
  const failure = isImpossible(channel) ? impossible : listen(rtsp, port, mount);
  if (failure) output.finish(failure);
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
}

function listen({ server, bind }: RtspAdapter, port: number, mount: Mount): Termination | undefined {
  try {
    server.add(bind, port, mount);
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

/** Everything that streams come and go through, opened once and set as the hub wants it. */
import type { Log } from '../lib/log.ts';
import { type OutgoingRules, systemLookup } from '../lib/outgoing.ts';
import type { Callers } from './callers.ts';
import type { Cast } from './cast.ts';
import type { Channel } from './channel.ts';
import { createHttpDoor } from './http-door.ts';
import { createKeyGuard } from './key-guard.ts';
import { createNdiPort, type NdiPort, wantsNdi } from './ndi/port.ts';
import { createEngineOutgoing, type EngineOutgoing } from './outgoing.ts';
import { readSps } from './read-sps.ts';
import { createRtmpDoor } from './rtmp-door.ts';
import { createRtspDoor, type RtspDoor } from './rtsp-door.ts';
import type { FfmpegTools } from './rtsp-input.ts';
import { createSrtDoor, type SrtDoor } from './srt-door.ts';
import type { EnginePart } from './status.ts';
import { createUdpDoor, type UdpDoor } from './udp-door.ts';
import type { EngineSettings, WantedChannel } from './wanted.ts';

/** Those that outputs and fetched inputs go through. */
export interface Doors {
  readonly srt: SrtDoor;
  readonly udp: UdpDoor;
  readonly rtsp: RtspDoor;
  readonly tools: FfmpegTools;
  readonly ndi: NdiPort;
  readonly outgoing: EngineOutgoing;
  /** The channel of the engine that has a stream for others. */
  readonly feeder: (id: number) => Channel | undefined;
}

export interface EngineDoors extends Doors {
  /** Lets the hub in to what it passes on. */
  openPreview(): void;
  /** Where RTMP, HTTP and RTSP listen, and which channels ask for NDI; what didn't change isn't touched. */
  apply(settings: EngineSettings, channels: readonly WantedChannel[]): void;
  /** Tries again what failed: a port that was occupied, a part that was installed. */
  retry(): void;
  /** Once a second. */
  tick(): void;
  close(reason: string): Promise<void>;
}

export interface DoorsOptions {
  readonly log: Log;
  readonly cast: Cast;
  readonly callers: Callers;
  /** Paths of the endpoints' programs. */
  readonly srtEndpoint: string;
  readonly udpEndpoint: string;
  readonly tools: FfmpegTools;
  readonly onPart: (part: EnginePart) => void;
  readonly onPartDropped: (name: EnginePart['name']) => void;
}

/** Until the hub has said what it wants. */
const nothingPrivate: OutgoingRules = { allowsPrivate: false, setting: '', closedPorts: [] };

export function openDoors({ log, cast, callers, tools, onPart, onPartDropped, ...options }: DoorsOptions): EngineDoors {
  const { socketPath } = tools;
  const channels = () => cast.all();
  const find = (key: string) => cast.byKey(key);
  const outgoing = createEngineOutgoing(() => settings?.outgoing ?? nothingPrivate, systemLookup);
  const keyGuard = createKeyGuard({ log, now: performance.now.bind(performance) });
  const rtmp = createRtmpDoor({ log: log.in('rtmp'), find, callers, keyGuard, onPart });
  const http = createHttpDoor({
    ...{ find, onPart, callers, keyGuard },
    preview: { socketPath: socketPath('preview'), channel: (id) => cast.channel(id) },
  });
  const srt = createSrtDoor({
    binary: options.srtEndpoint,
    socketPath: socketPath('srt'),
    log: log.in('srt'),
    channel: (id) => cast.any(id),
    ...{ channels, readSps, keyGuard, onPart, outgoing },
  });
  const udp = createUdpDoor({
    binary: options.udpEndpoint,
    socketPath: socketPath('udp'),
    log: log.in('udp'),
    ...{ channels, onPart, outgoing },
  });
  const rtsp = createRtspDoor({ log: log.in('rtsp'), boundKey: callers.boundKey, keyGuard });
  const ndi = createNdiPort({ env: process.env, onPart: (part) => (part ? onPart(part) : onPartDropped('ndi')) });
  let settings: EngineSettings | undefined;

  function listen(): void {
    if (!settings) return;
    const { bind, rtmpPort, hlsPort } = settings;
    rtmp.listen(bind, rtmpPort);
    http.listen(bind, hlsPort);
    rtsp.apply(bind);
  }

  return {
    ...{ srt, udp, rtsp, tools, ndi, outgoing },
    feeder: (id) => cast.feeder(id),
    openPreview: () => http.openPreview(),
    apply(next, wanted) {
      settings = next;
      callers.trust(next.trustedProxies);
      listen();
      ndi.want(wanted.some(wantsNdi));
    },
    retry() {
      listen();
      srt.retry();
      ndi.retry();
    },
    tick() {
      srt.tick();
      udp.tick();
      http.tick();
      rtsp.tick();
    },
    async close(reason) {
      rtmp.close(reason);
      http.close();
      await Promise.all([srt.close(), udp.close()]);
    },
  };
}

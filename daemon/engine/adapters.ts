/** All protocol servers and clients for streams, opened once and configured by the hub. */
import type { Log } from '../lib/log.ts';
import { type OutgoingRules, systemLookup } from '../lib/outgoing.ts';
import type { DesiredChannel, EngineSettings } from '../media/protocol/desired.ts';
import type { EnginePart } from '../media/protocol/reported.ts';
import type { Channel } from './channel/channel.ts';
import type { ChannelRegistry } from './channel/channel-registry.ts';
import type { FfmpegTools } from './ffmpeg/process.ts';
import { createHttpAdapter } from './hls/adapter.ts';
import { createNdiPort, type NdiPort, wantsNdi } from './ndi/port.ts';
import type { Callers } from './net/callers.ts';
import { createKeyGuard } from './net/key-guard.ts';
import { createEngineOutgoing, type EngineOutgoing } from './net/outgoing.ts';
import { createRtmpAdapter } from './rtmp/adapter.ts';
import { createRtspAdapter, type RtspAdapter } from './rtsp-server/adapter.ts';
import { createSrtAdapter, type SrtAdapter } from './srt/adapter.ts';
import { createUdpAdapter, type UdpAdapter } from './udp/adapter.ts';

/** Adapters for outputs and pulled inputs. */
export interface Adapters {
  readonly srt: SrtAdapter;
  readonly udp: UdpAdapter;
  readonly rtsp: RtspAdapter;
  readonly tools: FfmpegTools;
  readonly ndi: NdiPort;
  readonly outgoing: EngineOutgoing;
  /** Returns the channel that provides a stream to others. */
  readonly sourceChannel: (id: number) => Channel | undefined;
}

export interface EngineAdapters extends Adapters {
  /** Opens the socket for streams that the hub passes on. */
  openPreview(): void;
  /** Sets where RTMP, HTTP and RTSP listen, and whether channels use NDI. Unchanged parts are not touched. */
  apply(settings: EngineSettings, channels: readonly DesiredChannel[]): void;
  /** Retries what failed: a port that was occupied, a component that was installed. */
  retry(): void;
  /** Called once per second. */
  tick(): void;
  close(reason: string): Promise<void>;
}

export interface AdaptersOptions {
  readonly log: Log;
  readonly registry: ChannelRegistry;
  readonly callers: Callers;
  /** Paths of the endpoint programs. */
  readonly srtEndpoint: string;
  readonly udpEndpoint: string;
  readonly tools: FfmpegTools;
  readonly onPart: (part: EnginePart) => void;
  readonly onPartDropped: (name: EnginePart['name']) => void;
}

/** Applies until the hub has sent its settings. */
const nothingPrivate: OutgoingRules = { allowsPrivate: false, setting: '', closedPorts: [] };

export function openAdapters({
  log,
  registry,
  callers,
  tools,
  onPart,
  onPartDropped,
  ...options
}: AdaptersOptions): EngineAdapters {
  const { socketPath } = tools;
  const channels = () => registry.all();
  const find = (key: string) => registry.byKey(key);
  const outgoing = createEngineOutgoing(() => settings?.outgoing ?? nothingPrivate, systemLookup);
  const keyGuard = createKeyGuard({ log, now: performance.now.bind(performance) });
  const rtmp = createRtmpAdapter({ log: log.in('rtmp'), find, callers, keyGuard, onPart });
  const http = createHttpAdapter({
    ...{ find, onPart, callers, keyGuard },
    preview: { socketPath: socketPath('preview'), channel: (id) => registry.channel(id) },
  });
  const srt = createSrtAdapter({
    binary: options.srtEndpoint,
    socketPath: socketPath('srt'),
    log: log.in('srt'),
    channel: (id) => registry.any(id),
    ...{ channels, keyGuard, onPart, outgoing },
  });
  const udp = createUdpAdapter({
    binary: options.udpEndpoint,
    socketPath: socketPath('udp'),
    log: log.in('udp'),
    ...{ channels, onPart, outgoing },
  });
  const rtsp = createRtspAdapter({ log: log.in('rtsp'), boundKey: callers.boundKey, keyGuard });
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
    sourceChannel: (id) => registry.sourceChannel(id),
    openPreview: () => http.openPreview(),
    apply(next, desired) {
      settings = next;
      callers.trust(next.trustedProxies);
      listen();
      ndi.want(desired.some(wantsNdi));
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

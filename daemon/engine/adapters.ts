/** All protocol servers and clients for streams, opened once and configured by the hub. */
import { dirname, join } from 'node:path';
import type { Log } from '../lib/log.ts';
import { type OutgoingRules, systemLookup } from '../lib/outgoing.ts';
import type { DesiredChannel, EngineSettings } from '../media/protocol/desired.ts';
import type { EnginePart } from '../media/protocol/reported.ts';
import type { ChannelRegistry } from './channel/channel-registry.ts';
import type { FfmpegTools } from './ffmpeg/process.ts';
import { createHttpAdapter } from './hls/adapter.ts';
import { lazyNdiRuntime } from './ndi/lazy-runtime.ts';
import { createNdiPort, wantsNdi } from './ndi/port.ts';
import type { Callers } from './net/callers.ts';
import { createKeyGuard } from './net/key-guard.ts';
import { createEngineOutgoing } from './net/outgoing.ts';
import { createRtmpAdapter } from './rtmp/adapter.ts';
import { createRtspAdapter } from './rtsp-server/adapter.ts';
import { createSrtAdapter } from './srt/adapter.ts';
import { createUdpAdapter } from './udp/adapter.ts';

export type EngineAdapters = ReturnType<typeof openAdapters>;
/** For outputs and pulled inputs. */
export type Adapters = Pick<EngineAdapters, 'srt' | 'udp' | 'rtsp' | 'tools' | 'ndi' | 'outgoing' | 'sourceChannel'>;

interface AdaptersOptions {
  readonly log: Log;
  readonly registry: ChannelRegistry;
  readonly callers: Callers;
  readonly dataDir: string;
  /** Paths of the endpoint programs. */
  readonly rtmpEndpoint: string;
  readonly srtEndpoint: string;
  readonly udpEndpoint: string;
  readonly tools: FfmpegTools;
  readonly onPart: (part: EnginePart) => void;
  readonly onPartDropped: (name: EnginePart['name']) => void;
}

/** Applies until the hub has sent its settings. */
const nothingPrivate: OutgoingRules = { allowsPrivate: false, setting: '', closedPorts: [] };

export function openAdapters(options: AdaptersOptions) {
  const { log, registry, callers, tools, onPart, onPartDropped } = options;
  const { socketPath } = tools;
  const channels = () => registry.all();
  const find = (key: string) => registry.byKey(key);
  const outgoing = createEngineOutgoing(() => settings?.outgoing ?? nothingPrivate, systemLookup);
  const keyGuard = createKeyGuard({ log, now: performance.now.bind(performance) });
  const rtmp = createRtmpAdapter({
    binary: options.rtmpEndpoint,
    socketPath: socketPath('rtmp'),
    log: log.in('rtmp'),
    ...{ find, callers, keyGuard, onPart },
  });
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
  const ndi = createNdiPort({
    ...{ env: process.env, dataDir: options.dataDir },
    open: (path, onLoaded) =>
      lazyNdiRuntime(async () =>
        (await import('./ndi/runtime.ts')).createNdiRuntime({
          ...{ path, onLoaded, log: log.in('ndi'), ffmpeg: tools.ffmpeg, defaults: () => settings?.ndi },
          folder: join(dirname(socketPath('ndi')), 'ndi'),
        }),
      ),
    onPart: (part) => (part ? onPart(part) : onPartDropped('ndi')),
  });
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
    /** Returns the channel that provides a stream to others. */
    sourceChannel: (id: number) => registry.sourceChannel(id),
    /** Opens the socket for streams that the hub passes on. */
    openPreview: () => http.openPreview(),
    /** Sets where RTMP, HTTP and RTSP listen, and whether channels use NDI. Unchanged parts are not touched. */
    apply(next: EngineSettings, desired: readonly DesiredChannel[]): void {
      settings = next;
      callers.trust(next.trustedProxies);
      listen();
      ndi.want(desired.some(wantsNdi));
    },
    /** Retries what failed: a port that was occupied, a component that was installed. */
    retry(): void {
      listen();
      srt.retry();
      ndi.retry();
    },
    /** Restarts an endpoint by an operator's request. */
    restart: (endpoint: 'srt' | 'udp') => (endpoint === 'srt' ? srt : udp).restart('restarted by an operator'),
    /** Called once per second. */
    tick(): void {
      rtmp.tick();
      srt.tick();
      udp.tick();
      http.tick();
      rtsp.tick();
    },
    async close(reason: string): Promise<void> {
      http.close();
      await Promise.all([rtmp.close(reason), srt.close(), udp.close()]);
    },
  };
}

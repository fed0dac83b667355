/** Channels in API form: the configuration and the status reported by the media engine. Pure. */
import type {
  Channel,
  ChannelClient,
  ChannelFailover,
  ChannelInput,
  ChannelOutput,
  ChannelState,
} from '../../contract/channels.ts';
import type { InputRole } from '../../contract/failover.ts';
import { limits } from '../../contract/limits.ts';
import { isMulticast } from '../../contract/rules.ts';
import type { MediaInfo } from '../../contract/stream-fields.ts';
import {
  connectionStates,
  nodeTypes,
  type Protocol,
  protocolBits,
  type RunPart,
  sourceStates,
} from '../../contract/streams.ts';
import { windowOf } from '../../lib/list-page.ts';
import { ndiOutputId } from '../../media/protocol/desired.ts';
import type {
  ChannelStatus,
  ClientStatus,
  ConnectionStatus,
  InputStatus,
  MediaStatus,
  OutputStatus,
} from '../../media/protocol/reported.ts';
import { isRtspServer, labelOf, type StreamAddress } from '../../sources/stream-address.ts';
import { formatStreamUrl } from '../../sources/stream-url.ts';
import type { ConfiguredChannel, ConfiguredDevice, ConfiguredInput, ConfiguredOutput } from './configuration.ts';
import { hasReport, viewReport } from './transport-report.ts';

/** Status of a channel at one moment. */
export interface Live {
  readonly isEngineRunning: boolean;
  /** Whether the engine has applied the latest configuration. */
  readonly isApplied: boolean;
  readonly status: ChannelStatus | undefined;
  /** Whether NDI is needed but the engine has no runtime for it. */
  readonly lacksNdi: boolean;
  /** Since when a part of the channel has been in its state; undefined if that is unknown. */
  readonly since: (what: RunPart, outputId: number) => number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Windows {
  readonly 'output-start'?: number | undefined;
  readonly 'output-count'?: number | undefined;
  readonly 'client-start'?: number | undefined;
  readonly 'client-count'?: number | undefined;
}

export function viewChannel(channel: ConfiguredChannel, live: Live, windows: Windows): Channel {
  const input = activeInput(channel, live);
  const statusOf = new Map(live.status?.outputs.map((status) => [status.id, status]));
  const clients = live.status?.clients ?? [];
  const outputs = windowOf(channel.outputs, windows['output-start'], windows['output-count'] ?? limits.innerPage);
  const shown = windowOf(clients, windows['client-start'], windows['client-count'] ?? limits.innerPage);
  const ndi = statusOf.get(ndiOutputId);
  return {
    id: channel.id,
    name: channel.name,
    state: stateOf(channel, live),
    ...viewSince(live.since('channel', 0)),
    config: viewConfig(channel),
    kbps: input.kbps,
    'living-time-s': input['living-time-s'],
    input,
    ...(channel.backup && { failover: viewFailover(channel, channel.backup, live) }),
    outputs: {
      start: outputs.start,
      total: channel.outputs.length,
      list: outputs.list.map((output) => viewOutput(output, channel, statusOf.get(output.id), live)),
    },
    clients: {
      start: shown.start,
      total: clients.length,
      list: shown.list.map((client) => viewClient(client, live.now)),
    },
    ...(channel.allowNdiHx && { ndi: viewNdi(channel, ndi, live) }),
    applied: live.isEngineRunning && live.isApplied,
    revision: channel.revision,
  };
}

const viewSince = (since: number | undefined) => since !== undefined && { since };

/** The same for users who may not edit the channel. */
export function withoutPushKey<T extends Channel>({ config: { 'push-key': key, ...config }, ...channel }: T) {
  return { ...channel, config: { ...config, 'push-key-set': key !== undefined } };
}

/** `waiting` also applies before the engine's first report of the channel. */
export function stateOf(
  channel: ConfiguredChannel,
  { isEngineRunning, status }: Pick<Live, 'isEngineRunning' | 'status'>,
): ChannelState {
  if (!channel.enabled) return 'disabled';
  if (!isEngineRunning) return 'engineDown';
  const { conn, state } = status?.input ?? { conn: connectionStates.waiting, state: sourceStates.offline };
  if (conn === connectionStates.connected) return isOnSlate(channel, status) ? 'slate' : 'live';
  if (conn === connectionStates.waitingForData && state === sourceStates.running) return 'stale';
  if (state === sourceStates.failed || state === sourceStates.addFailed || state === sourceStates.unsupported) {
    return 'failed';
  }
  return 'waiting';
}

function isOnSlate({ backup }: ConfiguredChannel, status: ChannelStatus | undefined): boolean {
  return backup !== undefined && status?.failover?.active === 'slate';
}

function viewConfig(channel: ConfiguredChannel): Channel['config'] {
  return {
    enable: channel.enabled,
    'play-key': channel.playKey,
    'push-key': channel.pushKey,
    protocol: {
      rtmp: channel.allowRtmp,
      srt: channel.allowSrt,
      ndihx: channel.allowNdiHx,
      prefer: channel.preferredProtocol,
      takeover: channel.takeover,
    },
    ndi: { enable: channel.allowNdiHx, ...channel.ndi },
    ...(channel.slate !== undefined && { 'slate-picture': channel.slate }),
  };
}

/** HTTP and HLS share one bit. */
const bitOf = (protocol: string): number => {
  const name = protocol === 'hls' ? 'http' : protocol;
  return name in protocolBits ? protocolBits[name as Protocol] : 0;
};

type ConnectionView = Pick<
  ChannelInput,
  'conn-state' | 'state' | 'reason' | 'refused' | 'kbps' | 'total-bytes' | 'living-time-s' | 'report'
>;

function viewConnection(status: ConnectionStatus, now: number): ConnectionView {
  return {
    'conn-state': status.conn,
    state: status.state,
    ...(status.reason !== undefined && { reason: status.reason }),
    ...(status.refused && { refused: { addr: status.refused.peer, time: status.refused.at } }),
    kbps: status.kbps,
    'total-bytes': status.bytes,
    'living-time-s': status.since > 0 ? Math.max(0, Math.floor((now - status.since) / 1000)) : 0,
    ...(hasReport(status) && { report: viewReport(status) }),
  };
}

/** A connection that the engine does not report. */
function idleConnection(isOn: boolean, { isEngineRunning }: Live): ConnectionView {
  const reason = !isOn ? 'switchedOff' : isEngineRunning ? undefined : 'engineDown';
  return {
    'conn-state': connectionStates.waiting,
    state: isOn && isEngineRunning ? sourceStates.initializing : sourceStates.offline,
    ...(reason !== undefined && { reason }),
    kbps: 0,
    'total-bytes': 0,
    'living-time-s': 0,
  };
}

export function viewMedia({ container, video, audio, programs, tracks }: MediaStatus): MediaInfo {
  return {
    container,
    ...(video && { video: { ...video } }),
    ...(audio && {
      audio: {
        codec: audio.codec,
        ...(audio.sampleRate !== undefined && { 'sample-rate': audio.sampleRate }),
        ...(audio.channels !== undefined && { channels: audio.channels }),
        ...(audio.language !== undefined && { language: audio.language }),
      },
    }),
    ...(programs !== undefined && { programs }),
    ...(tracks && { tracks: tracks.map((track) => ({ ...track })) }),
  };
}

/** The input that the outputs carry. */
function activeInput(channel: ConfiguredChannel, live: Live): ChannelInput {
  const role = (channel.backup && live.status?.failover?.active) ?? 'main';
  const input = { main: channel.input, backup: channel.backup, slate: undefined }[role];
  const device = role === 'main' ? channel.device : undefined;
  return viewInput({ role, input, device, isOn: channel.enabled }, live.status?.input, live);
}

function viewFailover(channel: ConfiguredChannel, backup: ConfiguredInput, live: Live): ChannelFailover {
  const status = live.status?.failover;
  const { input, device, enabled: isOn } = channel;
  return {
    active: status?.active ?? 'main',
    // Until the engine knows of the backup, it reports one input.
    main: viewInput({ role: 'main', input, device, isOn }, status?.main ?? live.status?.input, live),
    backup: viewInput({ role: 'backup', input: backup, device: undefined, isOn }, status?.backup, live),
    'switched-at': status?.switchedAt ?? 0,
    reason: status?.switchReason ?? 'none',
    switches: status?.switches ?? 0,
    ...(status?.returnsAt !== undefined && { 'returns-at': status.returnsAt }),
    rule: channel.failover,
  };
}

interface InputPlace {
  readonly role: InputRole;
  /** Undefined for a publisher or the slate. */
  readonly input: ConfiguredInput | undefined;
  /** The device that is the publisher. */
  readonly device: ConfiguredDevice | undefined;
  readonly isOn: boolean;
}

function viewInput(
  { role, input, device, isOn }: InputPlace,
  status: InputStatus | undefined,
  live: Live,
): ChannelInput {
  const address = input?.address ?? device?.source;
  return {
    role,
    id: input?.id ?? device?.id ?? 0,
    name: input?.name ?? device?.name ?? '',
    type: input ? nodeTypes.customInput : device ? nodeTypes.inputDevice : nodeTypes.dynamicInput,
    protocol: bitOf(address?.protocol ?? status?.protocol ?? ''),
    addr: address ? labelOf(address) : (status?.peer ?? ''),
    ...(status ? viewConnection(status, live.now) : idleConnection(isOn, live)),
    ...(status?.media && { media: viewMedia(status.media) }),
    reconnects: status?.reconnects ?? 0,
    ...(status?.ccErrors !== undefined && { 'cc-errors': status.ccErrors }),
  };
}

function modeOf(address: StreamAddress): string {
  if (address.protocol === 'rtmp') return 'push';
  if (address.protocol === 'srt') return address.mode;
  if ('url' in address) return 'pull';
  if (address.protocol === 'rtsp') return 'server';
  if (address.protocol === 'ndi') return 'ndi';
  return isMulticast(address.host) ? 'multicast' : 'unicast';
}

function viewOutput(
  output: ConfiguredOutput,
  channel: ConfiguredChannel,
  status: OutputStatus | undefined,
  live: Live,
): ChannelOutput {
  return {
    id: output.id,
    name: output.name,
    type: nodeTypes.customOutput,
    protocol: bitOf(output.address.protocol),
    enable: output.enabled,
    ...viewSince(live.since('output', output.id)),
    mode: modeOf(output.address),
    // Outputs that share a port differ in their path.
    addr: isRtspServer(output.address) ? formatStreamUrl(output.address) : labelOf(output.address),
    ...(status ? viewConnection(status, live.now) : idleConnection(channel.enabled && output.enabled, live)),
    reconnects: status?.reconnects ?? 0,
    ...(status?.retryInMs !== undefined && { 'retry-in-ms': status.retryInMs }),
    skipped: status?.skipped ?? 0,
    ...(status?.clients !== undefined && { clients: status.clients }),
  };
}

function viewNdi(
  { name, enabled }: ConfiguredChannel,
  status: OutputStatus | undefined,
  live: Live,
): NonNullable<Channel['ndi']> {
  const connection = status ? viewConnection(status, live.now) : idleConnection(enabled, live);
  // Without a runtime it would never start, whatever the input delivers.
  const isPermanent =
    enabled && live.isEngineRunning && live.lacksNdi && connection['conn-state'] === connectionStates.waiting;
  return { name, ...connection, ...(isPermanent && noRuntime) };
}

const noRuntime = {
  'conn-state': connectionStates.creationFailed,
  state: sourceStates.failed,
  reason: 'partMissing',
} satisfies Partial<ConnectionView>;

function viewClient(client: ClientStatus, now: number): ChannelClient {
  return {
    id: client.id,
    type: nodeTypes.dynamicOutput,
    ...(client.outputId !== undefined && { 'output-id': client.outputId }),
    protocol: bitOf(client.protocol),
    addr: client.peer,
    ...viewConnection(client, now),
    skipped: client.skipped,
    'queue-ms': client.queueMs,
  };
}

/** Reads channels: the configuration joined with the engine's current status. */

import type { Channel, ChannelState, ChannelTotals, channelApi, History, Quality } from '../../contract/channels.ts';
import type { QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { connectionStates, type RunPart } from '../../contract/streams.ts';
import type { SystemStatus } from '../../contract/system.ts';
import { RequestError } from '../../ipc/request-table.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { pageOf } from '../../lib/list-page.ts';
import { notExist } from '../../lib/refusals.ts';
import type { MediaPort } from '../../media/port.ts';
import type { EngineReply, EngineRequest, RateHistory } from '../../media/protocol/messages.ts';
import { type ChannelStatus, type ConnectionName, ownClients } from '../../media/protocol/reported.ts';
import { timing } from '../../timing.ts';
import type { LicenseLimits } from '../license/license.ts';
import type { Configuration, ConfiguredChannel } from './configuration.ts';
import { minuteAverages, noHistory } from './history.ts';
import { qualityToWire } from './transport-report.ts';
import { stateOf, viewChannel, type Windows } from './view.ts';

interface LiveDeps {
  readonly configuration: () => Configuration;
  readonly media: Pick<MediaPort, 'status' | 'request'>;
  readonly now: () => number;
  readonly license: () => LicenseLimits;
  readonly since: (channelId: number, what: RunPart, outputId: number) => number | undefined;
}

/** The event stream replaces the console's data of a channel: all of its outputs, and a limited number of clients. */
const parts: Windows = { 'output-count': limits.outputsPerChannel, 'client-count': 0 };
const streamed: Windows = { 'output-count': limits.outputsPerChannel, 'client-count': limits.shownClients };

export type ChannelReads = ReturnType<typeof createChannelReads>;

export function createChannelReads({ configuration, media, now, license, since }: LiveDeps) {
  const liveOf = (id: number) => {
    const { engine, applied, channels, parts } = media.status();
    const lacksNdi = parts.some(({ name, ok }) => name === 'ndi' && !ok);
    const isEngineRunning = engine === 'running';
    return {
      ...{ isEngineRunning, isApplied: applied, status: channels.get(id), lacksNdi, now: now() },
      since: (what: RunPart, outputId: number) => since(id, what, outputId),
    };
  };
  const isIn = (state: ChannelState) => (channel: ConfiguredChannel) => stateOf(channel, liveOf(channel.id)) === state;
  const find = (id: number) => {
    const channel = configuration().channels.find((one) => one.id === id);
    if (!channel) throw notExist('channel', id);
    return channel;
  };
  /** Undefined if the engine does not respond: a history then has gaps instead of failing. */
  const historyOf = async (channelId: number | null): Promise<RateHistory | undefined> => {
    const reply = await ask(media, { what: 'history', channelId });
    return reply?.what === 'history' ? reply.history : undefined;
  };

  return {
    async dashboard(query: QueryOf<typeof channelApi.dashboard>) {
      const { channels } = configuration();
      const shown = query.live ? channels.filter(isIn('live')) : channels;
      const page = pageOf(shown, query);
      const list = page.list.map((channel) => viewChannel(channel, liveOf(channel.id), query));
      const minutes = query.history ? { 'mbps-m': minuteAverages(await historyOf(null)) } : {};
      const network = { 'mbps-s': mbpsOf(media.status().channels), ...minutes };
      return { global: channelTotals(channels, isIn, license().channels), network, ...page, list };
    },
    async query(query: QueryOf<typeof channelApi.query>): Promise<Channel & { history?: History }> {
      const channel = find(query.id);
      const history = query.history ? { history: historyToWire(await historyOf(query.id), now()) } : {};
      return { ...viewChannel(channel, liveOf(channel.id), query), ...history };
    },
    /** Returns the quality of one connection over time. */
    async quality(query: QueryOf<typeof channelApi.quality>): Promise<Quality> {
      const channel = find(query.id);
      const connection = connectionOf(query, channel, media.status().channels.get(channel.id));
      const minutes = query.minutes ?? limits.historyMinutes;
      const reply = await ask(media, { what: 'quality', channelId: channel.id, connection, minutes });
      return qualityToWire(reply?.what === 'quality' ? reply.history : undefined, now());
    },
    /** Returns every channel as the event stream shows it. */
    views: (): Channel[] =>
      configuration().channels.map((channel) => viewChannel(channel, liveOf(channel.id), streamed)),
    /** Returns one of these; undefined if there is no such channel. */
    viewOf(id: number): Channel | undefined {
      const channel = configuration().channels.find((one) => one.id === id);
      return channel && viewChannel(channel, liveOf(id), streamed);
    },
    /** The same with all outputs and no clients. */
    runViews: (): Channel[] =>
      configuration().channels.map((channel) => viewChannel(channel, liveOf(channel.id), parts)),
    /** Returns the values of the hub's status that are derived from streams. */
    totals(): Pick<SystemStatus['system'], 'channel' | 'output' | 'srt' | 'client'> {
      const { channels, outputCount } = configuration();
      const statuses = media.status().channels;
      return {
        channel: channelTotals(channels, isIn, license().channels),
        output: { ...outputTotals(channels, statuses), 'used-num': outputCount, 'limit-num': license().outputs },
        srt: { 'used-num': srtCount(channels), 'limit-num': license().srt },
        client: {
          'live-num': [...statuses.values()].reduce((sum, { clients }) => sum + clients.length, 0),
          'limit-num': limits.channels * limits.clientsPerChannel,
        },
      };
    },
  };
}

/** Throws if the channel does not have the connection. */
function connectionOf(
  { output, client }: QueryOf<typeof channelApi.quality>,
  channel: ConfiguredChannel,
  status: ChannelStatus | undefined,
): ConnectionName {
  if (output !== undefined && client !== undefined) {
    throw fieldError('client', 'conflict', 'send either output or client');
  }
  if (output !== undefined) {
    if (!channel.outputs.some(({ id }) => id === output)) throw notExist(`output of '${channel.name}'`, output);
    return { output };
  }
  if (client === undefined) return 'input';
  if (!status?.clients.some(({ id }) => id === client)) throw notExist(`client of '${channel.name}'`, client);
  return { client };
}

async function ask(media: LiveDeps['media'], request: EngineRequest): Promise<EngineReply | undefined> {
  try {
    return await media.request(request, timing.engineCall.readMs);
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function historyToWire(history: RateHistory | undefined, now: number): History {
  if (!history) return noHistory(now);
  return { 'step-s': history.stepSeconds, end: history.end, in: [...history.in], out: [...history.out] };
}

function channelTotals(
  channels: readonly ConfiguredChannel[],
  isIn: (state: ChannelState) => (channel: ConfiguredChannel) => boolean,
  limit: number,
): ChannelTotals {
  return {
    'enable-num': channels.filter(({ enabled }) => enabled).length,
    'limit-num': limit,
    'live-num': channels.filter(isIn('live')).length,
    'slate-num': channels.filter(isIn('slate')).length,
    'limit-create-num': limits.channels,
    'used-num': channels.length,
  };
}

function outputTotals(channels: readonly ConfiguredChannel[], statuses: ReadonlyMap<number, ChannelStatus>) {
  const enabled = channels.flatMap((channel) => (channel.enabled ? channel.outputs.filter((one) => one.enabled) : []));
  const reported = [...statuses.values()].flatMap(({ outputs }) => outputs);
  const live = reported.filter(({ conn }) => conn === connectionStates.connected);
  return { 'enable-num': enabled.length, 'live-num': live.length };
}

/** As the license counts them: inputs in use, and enabled outputs. */
function srtCount(channels: readonly ConfiguredChannel[]): number {
  const on = channels.filter(({ enabled }) => enabled);
  const inputs = new Set(
    on.flatMap(({ input, backup }) =>
      [input, backup].flatMap((one) => (one?.address.protocol === 'srt' ? [one.id] : [])),
    ),
  );
  const outputs = on.flatMap((channel) =>
    channel.outputs.filter((one) => one.enabled && one.address.protocol === 'srt'),
  );
  return inputs.size + outputs.length;
}

/** Total incoming and outgoing bitrate in Mbit/s. */
function mbpsOf(statuses: ReadonlyMap<number, ChannelStatus>): number {
  const connections = [...statuses.values()].flatMap(({ input, outputs, clients }) => [
    input,
    ...outputs,
    ...ownClients(clients),
  ]);
  return Math.round(connections.reduce((sum, { kbps }) => sum + kbps, 0)) / 1000;
}

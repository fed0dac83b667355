/** Channels with inputs and outputs of a real hub, and the API's status of each connection. */
import type { Channel } from '../../daemon/contract/channels.ts';
import type { RunEvent } from '../../daemon/contract/run-history.ts';
import { type ConnectionStateName, connectionStates, sourceStates } from '../../daemon/contract/streams.ts';
import type { ConnectionReason } from '../../daemon/media/protocol/reported.ts';
import { untilSeen } from '../support/until.ts';
import type { HubProcess } from './hub-process.ts';

export interface Desired {
  readonly conn: ConnectionStateName;
  /** Undefined: no reason. */
  readonly reason: ConnectionReason | undefined;
  readonly state?: keyof typeof sourceStates;
}

export interface ConnectionNow {
  readonly 'conn-state': number;
  readonly state: number;
  readonly reason?: string | undefined;
  readonly reconnects: number;
  readonly kbps: number;
}

/** One connection of a channel: its input, or an output. */
export interface RigConnection {
  readonly id: number;
  readonly channel: number;
  now(): Promise<ConnectionNow>;
  /** Resolves with the milliseconds until the API reported this. */
  until(desired: Desired, withinMs?: number): Promise<number>;
  /** It is connected, and data flows. */
  untilGood(withinMs?: number): Promise<number>;
  /** Changes the address, as a user does. */
  change(config: object): Promise<void>;
}

export interface RigChannel {
  readonly id: number;
  readonly pushKey: string;
  readonly playKey: string;
  readonly push: { readonly rtmp: string; readonly srt: string };
  readonly play: { readonly rtmp: string; readonly srt: string; readonly ts: string; readonly hls: string };
  /** For a channel without a pulled input: the publisher. */
  readonly input: RigConnection;
  /** Resolves with the milliseconds until the hub reported it as live. */
  untilLive(withinMs?: number): Promise<number>;
  addOutput(config: object): Promise<RigConnection>;
}

/** Connection states and reasons that tests expected and saw. */
export const proven = { states: new Set<string>(), reasons: new Set<string>() };

const nameOf = (code: number): string =>
  Object.entries(connectionStates).find(([, value]) => value === code)?.[0] ?? String(code);

/** What the rig needs of a hub, which may also run in another system. */
export type RigHub = Pick<HubProcess, 'api' | 'ports'>;

export class RelayRig<Hub extends RigHub = HubProcess> {
  readonly hub: Hub;
  private made = 0;

  constructor(hub: Hub) {
    this.hub = hub;
  }

  async addChannel(enable = true): Promise<RigChannel> {
    const name = `rig-${process.pid}-${++this.made}`;
    const [pushKey, playKey] = [`${name}-push`, `${name}-play`];
    const config = { 'push-key': pushKey, 'play-key': playKey, enable };
    const { id } = await this.hub.api<{ id: number }>('/api/channel/add', { name: `Channel ${this.made}`, config });
    const { rtmp, srt, hls } = this.hub.ports;
    const viaRtmp = (key: string) => `rtmp://127.0.0.1:${rtmp}/live/${key}`;
    const viaSrt = (key: string) => `srt://127.0.0.1:${srt}?mode=caller&streamid=${key}&latency=120000&pkt_size=1316`;
    const web = `http://127.0.0.1:${hls}/live/${playKey}`;
    return {
      ...{ id, pushKey, playKey },
      push: { rtmp: viaRtmp(pushKey), srt: viaSrt(pushKey) },
      play: { rtmp: viaRtmp(playKey), srt: viaSrt(playKey), ts: `${web}.ts`, hls: `${web}/index.m3u8` },
      input: this.connection(
        id,
        { id: 0, what: 'input' },
        async () => (await this.view(id)).input,
        () => Promise.reject(new Error('no address')),
      ),
      untilLive: (withinMs) =>
        timed(
          () => this.view(id),
          ({ state }) => state === 'live',
          withinMs,
          `channel ${id} is live`,
        ),
      addOutput: (output) => this.addOutput(id, output),
    };
  }

  /** A channel with a pulled input. */
  async addInput(config: object): Promise<RigConnection & { readonly of: RigChannel }> {
    const of = await this.addChannel();
    const body = { name: `Input ${++this.made}`, config };
    const { id } = await this.hub.api<{ id: number }>('/api/input/source/add', body);
    await this.hub.api('/api/channel/input/set', { id: of.id, input: id });
    const change = async (next: object) => void (await this.hub.api('/api/input/source/set', { id, config: next }));
    return { ...this.connection(of.id, { id, what: 'input' }, async () => (await this.view(of.id)).input, change), of };
  }

  /** State changes of a channel's parts since a time, in milliseconds since 1970. */
  private async eventsSince(channel: number, time: number): Promise<readonly RunEvent[]> {
    const { list } = await this.hub.api<{ list: RunEvent[] }>(`/api/channel/events?id=${channel}&count=100`);
    return list.filter((event) => event.time >= time);
  }

  view(id: number): Promise<Channel> {
    return this.hub.api<Channel>(`/api/channel/query?id=${id}&output-count=64&client-count=256`);
  }

  private async addOutput(channel: number, config: object): Promise<RigConnection> {
    const body = { name: `Output ${++this.made}`, config, channel };
    const { id } = await this.hub.api<{ id: number }>('/api/output/add', body);
    await this.hub.api('/api/channel/output/enable', { id: channel, output: id, enable: true });
    const now = async () => {
      const found = (await this.view(channel)).outputs.list.find((output) => output.id === id);
      if (!found) throw new Error(`channel ${channel} has no output ${id}`);
      return found;
    };
    const change = async (next: object) => void (await this.hub.api('/api/output/set', { id, config: next }));
    return this.connection(channel, { id, what: 'output' }, now, change);
  }

  private connection(
    channel: number,
    { id, what }: { readonly id: number; readonly what: 'input' | 'output' },
    now: () => Promise<ConnectionNow>,
    change: RigConnection['change'],
  ): RigConnection {
    const seen: string[] = [];
    let waitedUntil = Date.now();
    const note = (connection: ConnectionNow) => {
      const text = `${nameOf(connection['conn-state'])}/${connection.reason ?? '-'}/${connection.state}`;
      if (seen.at(-1) !== text) seen.push(text);
    };
    const wait = async (
      fits: (connection: ConnectionNow) => boolean,
      withinMs: number,
      what: string,
      hasPassed: () => Promise<boolean> = () => Promise.resolve(false),
    ) => {
      const look = async () => {
        const connection = await now();
        note(connection);
        return { connection, holds: fits(connection) || (await hasPassed()), states: seen };
      };
      const took = await timed(look, ({ holds }) => holds, withinMs, what);
      waitedUntil = Date.now();
      return took;
    };
    /** A lost connection is retried after 250 ms. A busy test may ask too late; the run history keeps it. */
    const wasLost = async (reason: string | undefined) => {
      const events = await this.eventsSince(channel, waitedUntil);
      return events.some(
        (event) =>
          event.to === 'disconnected' &&
          event.reason === reason &&
          event.what === what &&
          (what === 'input' || event['output-id'] === id),
      );
    };
    return {
      ...{ id, channel, now, change },
      async until({ conn, reason, state }, withinMs = 20_000) {
        const fits = (connection: ConnectionNow) =>
          connection['conn-state'] === connectionStates[conn] &&
          connection.reason === reason &&
          (state === undefined || connection.state === sourceStates[state]);
        const hasPassed = conn === 'disconnected' ? () => wasLost(reason) : undefined;
        const took = await wait(fits, withinMs, `${conn}, ${reason ?? 'no reason'}`, hasPassed);
        proven.states.add(conn);
        if (reason) proven.reasons.add(reason);
        return took;
      },
      untilGood: (withinMs = 30_000) =>
        wait(
          (connection) => connection['conn-state'] === connectionStates.connected && connection.kbps > 0,
          withinMs,
          'it is good again',
        ),
    };
  }
}

async function timed<T>(...wait: Parameters<typeof untilSeen<T>>): Promise<number> {
  const began = performance.now();
  await untilSeen(...wait);
  return performance.now() - began;
}

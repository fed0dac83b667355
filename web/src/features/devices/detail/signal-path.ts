/** Who feeds whom: a device, its channels, and what feeds those or gets their streams. Pure. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Channel, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { nodeTypes } from '../../../../../daemon/contract/streams.ts';
import { channelPath, devicePath } from '../../../lib/paths.ts';
import { deviceLooks, stateOf } from '../../../shared/devices/device-look.ts';
import { channelLooks, connectionLook, outputLook } from '../../../shared/streams/state-look.ts';
import type { Look } from '../../../ui/data/StateMark.tsx';

export type NodeKind = 'device' | 'channel' | 'input' | 'output' | 'players';

export interface PathNode {
  readonly key: string;
  readonly kind: NodeKind;
  /** Absent for an encoder that publishes with the push key, and for players. */
  readonly name?: string;
  /** Absent if the user may not see it. */
  readonly look?: Look;
  /** Its page, or that of its channel; absent for the device whose page this is, and if the user may not see it. */
  readonly path?: string;
  readonly kbps?: number;
  /** Of players, decoders that play the channel included. */
  readonly count?: number;
  readonly isHere: boolean;
}

export interface SignalPath {
  readonly key: string;
  /** From the source to the receivers. */
  readonly stages: readonly [PathNode[], PathNode[], PathNode[]];
}

interface Known {
  /** Undefined if the user may not see channels, or until they are loaded. */
  readonly channels: readonly Channel[] | undefined;
  readonly devices: readonly Device[];
}

export function signalPaths(device: Device, known: Known): SignalPath[] {
  const here = deviceNode(device, true);
  const fed = owners(device['owner-i-d'], device['owner-i']).map(({ id, name }): SignalPath => {
    const channel = known.channels?.find((one) => one.id === id);
    return { key: `to ${id}`, stages: [[here], [channelNode(id, name, channel)], receiversOf(id, channel, known)] };
  });
  const played = owners(device['owner-o-d'], device['owner-o']).map(({ id, name }): SignalPath => {
    const channel = known.channels?.find((one) => one.id === id);
    return { key: `from ${id}`, stages: [sourcesOf(channel, known), [channelNode(id, name, channel)], [here]] };
  });
  return [...fed, ...played];
}

function owners(ids: readonly number[] = [], names: readonly string[] = []) {
  return ids.map((id, at) => ({ id, name: names[at] ?? '' }));
}

function deviceNode(device: Device, isHere: boolean): PathNode {
  const kbps = device.figures['stream-kbps'];
  return {
    ...{ key: `device ${device.sn}`, kind: 'device', name: device.name, isHere },
    look: deviceLooks[stateOf(device)],
    ...(!isHere && { path: devicePath(device.sn) }),
    ...(kbps !== undefined && { kbps }),
  };
}

function channelNode(id: number, name: string, channel: Channel | undefined): PathNode {
  return {
    ...{ key: `channel ${id}`, kind: 'channel', name: channel?.name ?? name, isHere: false },
    ...(channel && { look: channelLooks[channel.state], path: channelPath(id), kbps: channel.kbps }),
  };
}

function receiversOf(id: number, channel: Channel | undefined, { devices }: Known): PathNode[] {
  const decoders = devices.filter((device) => device['owner-o-d']?.includes(id));
  const outputs = (channel?.outputs.list ?? []).map((output): PathNode => {
    const { id: outputId, name, enable, kbps } = output;
    return {
      ...{ key: `output ${outputId}`, kind: 'output', name, look: outputLook(output), path: channelPath(id) },
      ...(enable && { kbps }),
      isHere: false,
    };
  });
  const count = channel?.clients.total ?? 0;
  const players: PathNode[] =
    count > 0 ? [{ key: 'players', kind: 'players', path: channelPath(id), count, isHere: false }] : [];
  return [...decoders.map((device) => deviceNode(device, false)), ...outputs, ...players];
}

/** The inputs of the channel; with a backup both, the one on air first. */
function sourcesOf(channel: Channel | undefined, { devices }: Known): PathNode[] {
  if (channel === undefined) return [];
  const { input, failover } = channel;
  const inputs =
    failover === undefined
      ? [input]
      : failover.active === 'backup'
        ? [failover.backup, failover.main]
        : [failover.main, failover.backup];
  return inputs.map((one) => inputNode(channel.id, one, devices));
}

function inputNode(channelId: number, input: ChannelInput, devices: readonly Device[]): PathNode {
  const { id, type, name, kbps } = input;
  const device = type === nodeTypes.inputDevice ? devices.find((one) => one.id === id) : undefined;
  if (device !== undefined) return deviceNode(device, false);
  return {
    ...{ key: `input ${input.role}`, kind: 'input', look: connectionLook(input['conn-state']), kbps, isHere: false },
    ...(id !== 0 && { name }),
    path: channelPath(channelId),
  };
}

export const kindTexts: Record<NodeKind, MessageDescriptor> = {
  device: msg`Device`,
  channel: msg`Channel`,
  input: msg`Input`,
  output: msg`Output`,
  players: msg`Players`,
};

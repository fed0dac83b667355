/** What ends or is interrupted when devices restart or stop sending. Pure. */

import type { Channel } from '../../../../../daemon/contract/channels.ts';
import type { DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';

interface FedChannel {
  readonly name: string;
  /** Undefined if the user may not see the channel, or until it is loaded. */
  readonly receivers: { readonly players: number; readonly outputs: number } | undefined;
}

export interface Impact {
  /** Channels that get nothing from these devices then. */
  readonly fed: readonly FedChannel[];
  /** Names of the channels that these devices play. */
  readonly played: readonly string[];
  /** Number of devices that record. */
  readonly recording: number;
}

export function impactOf(
  action: DeviceAction,
  devices: readonly Device[],
  channels: readonly Channel[] | undefined,
): Impact {
  const fed = devices.flatMap((device) =>
    (device['owner-i-d'] ?? []).map((id, at): FedChannel => {
      const channel = channels?.find((one) => one.id === id);
      const name = channel?.name ?? device['owner-i']?.[at] ?? '';
      if (channel === undefined) return { name, receivers: undefined };
      const outputs = channel.outputs.list.filter(({ enable }) => enable).length;
      return { name, receivers: { players: channel.clients.total, outputs } };
    }),
  );
  const isReboot = action === 'reboot';
  const played = isReboot ? devices.flatMap((device) => device['owner-o'] ?? []) : [];
  return {
    fed,
    played: [...new Set(played)],
    recording: isReboot ? devices.filter(({ status }) => status.recording === true).length : 0,
  };
}

/** Whether to ask before a single device does it. */
export function needsQuestion(action: DeviceAction, device: Device): boolean {
  if (action === 'reboot' || action === 'rename') return true;
  return (action === 'live-stop' || action === 'quick-stop') && (device['owner-i-d'] ?? []).length > 0;
}

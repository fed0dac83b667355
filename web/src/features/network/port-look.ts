/** How the state of an Ethernet port is shown. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconAlertTriangle,
  IconCircleFilled,
  IconHelpCircle,
  IconHourglassLow,
  IconLock,
  IconPlugConnectedX,
  IconPlugX,
} from '@tabler/icons-react';
import type { EthernetPort } from '../../../../daemon/contract/network-fields.ts';
import type { PortState } from '../../../../daemon/contract/network-states.ts';
import type { Look } from '../../ui/data/StateMark.tsx';

export const portLooks: Readonly<Record<PortState, Look>> = {
  connected: { tone: 'live', icon: IconCircleFilled, text: msg`Connected` },
  connecting: { tone: 'info', icon: IconHourglassLow, text: msg`Waiting for an address` },
  disconnected: { tone: 'off', icon: IconPlugConnectedX, text: msg`Not connected` },
  failed: { tone: 'fault', icon: IconAlertTriangle, text: msg`No address obtained` },
  noCable: { tone: 'off', icon: IconPlugX, text: msg`No cable` },
  unmanaged: { tone: 'warn', icon: IconLock, text: msg`Managed by another program` },
  absent: { tone: 'off', icon: IconPlugX, text: msg`Not present` },
  unknown: { tone: 'warn', icon: IconHelpCircle, text: msg`State unknown` },
};

/** As printed next to the socket. */
export function portName(port: EthernetPort): string {
  return port.toUpperCase();
}

/** Link speed; `speed` in Mbit/s, 0: unknown. */
export function speedText(i18n: I18n, speed: number): string {
  if (speed === 0) return '–';
  return speed >= 1000 ? i18n._(msg`${speed / 1000} Gbit/s`) : i18n._(msg`${speed} Mbit/s`);
}

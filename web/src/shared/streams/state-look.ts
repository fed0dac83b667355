/** Maps states to color, icon and text: one table for channels, one for connections. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconAlertTriangle,
  IconCircleDashed,
  IconCircleFilled,
  IconCircleX,
  IconHourglassLow,
  IconPhotoOff,
  IconPlayerStop,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react';
import type { ChannelOutput, ChannelState } from '../../../../daemon/contract/channels.ts';
import { type ConnectionStateName, connectionStates } from '../../../../daemon/contract/streams.ts';
import type { Look } from '../../ui/data/StateMark.tsx';

export interface StateLook extends Look {
  /** Sorting by state lists channels that need attention first. */
  readonly rank: number;
}

/** Of channels and connections alike. */
const waiting: Look = { tone: 'info', icon: IconHourglassLow, text: msg`Waiting` };

export const channelLooks: Record<ChannelState, StateLook> = {
  failed: { tone: 'fault', icon: IconCircleX, text: msg`Failed`, rank: 0 },
  engineDown: { tone: 'fault', icon: IconPlugConnectedX, text: msg`Engine down`, rank: 1 },
  stale: { tone: 'warn', icon: IconAlertTriangle, text: msg`No data`, rank: 2 },
  slate: { tone: 'fault', icon: IconPhotoOff, text: msg`Slate`, rank: 0 },
  live: { tone: 'live', icon: IconCircleFilled, text: msg`Live`, rank: 3 },
  waiting: { ...waiting, rank: 4 },
  disabled: { tone: 'off', icon: IconPlayerStop, text: msg`Stopped`, rank: 5 },
};

export const stoppedLook: StateLook = { tone: 'off', icon: IconPlayerStop, text: msg`Stopped`, rank: 9 };
const fault = (text: MessageDescriptor): StateLook => ({ tone: 'fault', icon: IconCircleX, text, rank: 0 });

export const connectionLooks: Record<ConnectionStateName, StateLook> = {
  waiting: { ...waiting, rank: 4 },
  connecting: { tone: 'info', icon: IconRefresh, text: msg`Connecting`, rank: 3 },
  waitingForData: { tone: 'info', icon: IconHourglassLow, text: msg`Waiting for data`, rank: 3 },
  connected: { tone: 'live', icon: IconCircleFilled, text: msg`Running`, rank: 5 },
  failed: fault(msg`Failed`),
  disconnected: fault(msg`Disconnected`),
  refused: fault(msg`Refused`),
  dnsFailed: fault(msg`Name not found`),
  tcpFailed: fault(msg`Not reachable`),
  handshakeFailed: fault(msg`Handshake failed`),
  streamFailed: fault(msg`Stream refused`),
  authorizationFailed: fault(msg`Not authorized`),
  creationFailed: fault(msg`Could not be created`),
};

const names = new Map<number, ConnectionStateName>(
  Object.entries(connectionStates).map(([name, code]) => [code, name as ConnectionStateName]),
);

export function connectionLook(code: number): StateLook {
  return connectionLooks[names.get(code) ?? 'failed'];
}

export function outputLook(output: Pick<ChannelOutput, 'enable' | 'conn-state'>): StateLook {
  return output.enable ? connectionLook(output['conn-state']) : stoppedLook;
}

/** An output that should be running but is not, although its channel has something to send. */
export function isOutputFaulty(output: Pick<ChannelOutput, 'enable' | 'conn-state'>): boolean {
  return output.enable && output['conn-state'] >= connectionStates.failed;
}

const unused: StateLook = { tone: 'off', icon: IconCircleDashed, text: msg`Not in use`, rank: 8 };

/** Of an output in a list of all; undefined if no channel has it. */
export function outputRunLook(run: Pick<ChannelOutput, 'enable' | 'conn-state'> | undefined): StateLook {
  return run === undefined ? unused : outputLook(run);
}

/** Of an input in a list of all; undefined if no channel that is not stopped uses it. */
export function inputRunLook(run: { readonly 'conn-state': number } | undefined): StateLook {
  return run === undefined ? unused : connectionLook(run['conn-state']);
}

/** How port forwards and their states are shown. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { IconCircleFilled, IconCircleX, IconHourglassLow, IconPlayerStop } from '@tabler/icons-react';
import { type ForwardReason, forwardStates } from '../../../../../daemon/contract/forward-states.ts';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import type { Look } from '../../../ui/data/StateMark.tsx';

type ForwardState = 'connected' | 'waiting' | 'failed' | 'stopped';

export const forwardLooks: Readonly<Record<ForwardState, Look>> = {
  connected: { tone: 'live', icon: IconCircleFilled, text: msg`Connected` },
  waiting: { tone: 'info', icon: IconHourglassLow, text: msg`Waiting` },
  failed: { tone: 'fault', icon: IconCircleX, text: msg`Failed` },
  stopped: { tone: 'off', icon: IconPlayerStop, text: msg`Stopped` },
};

export function stateOf({ state, started }: Pick<Forward, 'state' | 'started'>): ForwardState {
  if (state === forwardStates.failed) return 'failed';
  if (!started) return 'stopped';
  return state === forwardStates.connected ? 'connected' : 'waiting';
}

export const forwardReasonTexts: Readonly<Record<ForwardReason, MessageDescriptor>> = {
  deviceOffline: msg`The device is offline`,
  portRefused: msg`The device refused the last connection`,
  portTimeout: msg`The port of the device did not answer in time`,
  portNotAllowed: msg`The agent of the device does not allow this port`,
  tooBusy: msg`The device does not accept more connections`,
  tooManyConnections: msg`A client was refused: too many connections`,
  portOccupied: msg`The port of the hub is in use by another program`,
  portForbidden: msg`The operating system does not allow the hub to open this port`,
  noAddress: msg`The hub does not have this address at present`,
  noPermission: msg`Permission lost`,
  unused: msg`Idle limit reached`,
  restarted: msg`The hub was restarted`,
};

/** What usually listens at a port of a device. */
const services: Readonly<Record<number, string>> = { 22: 'SSH', 80: 'HTTP', 443: 'HTTPS', 554: 'RTSP', 8080: 'HTTP' };

export function portText(port: number): string {
  const service = services[port];
  return service === undefined ? String(port) : `${port} (${service})`;
}

/** Host and port at which clients connect; undefined while it is not known. */
export function placeOf({ address, port, 'local-port': chosen }: Forward): string | undefined {
  const open = port || chosen;
  if (open === 0) return undefined;
  return `${address.includes(':') ? `[${address}]` : address}:${open}`;
}

const schemes: Readonly<Record<number, string>> = { 80: 'http', 443: 'https', 554: 'rtsp', 8080: 'http' };

/** What a client of the usual service needs: a URL, or the command for SSH; undefined for other ports. */
export function clientText(forward: Forward): string | undefined {
  const place = placeOf(forward);
  const remote = forward['remote-port'];
  if (place === undefined) return undefined;
  if (remote === 22) return `ssh -p ${forward.port || forward['local-port']} ${forward.address}`;
  const scheme = schemes[remote];
  return scheme === undefined ? undefined : `${scheme}://${place}/`;
}

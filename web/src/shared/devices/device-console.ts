/** The web page of a device, which the hub opens in a tab of its own. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { offlineProblems } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';

export const consoleText = msg`Open web page`;

/** The tab knows nothing of this page: what a device sends is not trusted. */
export function openConsole({ sn }: Pick<Device, 'sn'>): void {
  window.open(`/socket/sc-remote/${encodeURIComponent(sn)}/`, '_blank', 'noopener');
}

/** Why it cannot be opened now; undefined if it can. A device with a wrong password has a page where that is changed. */
export function consoleBlocked({
  api,
  connection,
  problem,
}: Pick<Device, 'api' | 'connection' | 'problem'>): MessageDescriptor | undefined {
  if (api === 'stream') return msg`This device is a stream and has no web page.`;
  if (problem === 'overLicense') return msg`The license allows fewer devices than are accepted.`;
  const isAway = connection === 'offline' && (problem === undefined || offlineProblems.includes(problem));
  return isAway ? msg`The device is offline.` : undefined;
}

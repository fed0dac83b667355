/** `DeviceFacts` of `get-summary-info` and `get-device-status` of USB Fusion. */
import type { DeviceFacts, DeviceIdentity } from '../../contract/device-facts.ts';
import type { Answer } from '../answer.ts';
import { upgradeOf } from '../api-path/facts.ts';
import { inputOf, portOf, identityOf as summaryIdentity } from '../mwapi/facts.ts';
import { rounded } from '../units.ts';

/** Rejects an answer without serial number. */
export const identityOf = (summary: Answer): DeviceIdentity => ({ ...summaryIdentity(summary), api: 'mwapiPath' });

export const recordingOf = (status: Answer | undefined): boolean | undefined =>
  status?.part('info').part('recordStatus').flag('recording');

const inputs = ['input-hdmi-1-state', 'input-hdmi-2-state', 'input-web-camera-state'];

/** `status`: answer of `get-device-status`; `update`: of `upgrade/state`. */
export function factsOf(summary: Answer, status?: Answer, update?: Answer): DeviceFacts {
  const device = summary.part('device');
  const memory = device.number('memory-usage');
  const signals = inputs.map((input) => inputOf(device.text(input))).filter((signal) => signal !== undefined);
  const signal = signals.find(({ state }) => state === 'present') ?? signals[0];
  const upgrade = upgradeOf(update);
  return {
    identity: identityOf(summary),
    ethernet: summary.has('ethernet') ? portOf(summary.part('ethernet')) : undefined,
    usb: summary.has('rndis') ? portOf(summary.part('rndis')) : undefined,
    'uptime-s': device.number('up-time'),
    cpu: device.number('cpu-usage'),
    memory: memory === undefined ? undefined : rounded(memory),
    temperature: device.number('core-temp'),
    signal,
    recording: recordingOf(status),
    streams: [],
    disks: [],
    warnings: signal?.state === 'none' ? ['noSignal'] : [],
    tasks: upgrade === undefined ? [] : ['updating'],
    upgrade,
  };
}

/** What an upgrade would do to which devices. Pure. */
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { Firmware } from '../../../../../daemon/contract/firmware.ts';
import { compareVersions } from '../../../../../daemon/contract/firmware-names.ts';
import type { UpgradeFault } from '../../../../../daemon/contract/upgrade-states.ts';

/** What the hub says of a device before an upgrade. */
export interface Verdict {
  readonly sn: string;
  readonly reason?: UpgradeFault | undefined;
}

export interface Candidate {
  readonly device: Device;
  /** Why it gets no upgrade; undefined: it can. */
  readonly reason: UpgradeFault | undefined;
  /** Whether it runs a higher version, whose settings may be lost. */
  readonly isLower: boolean;
}

/** Those that can be upgraded first, each part in the order of the devices. */
export function candidatesOf(
  devices: readonly Device[],
  verdicts: readonly Verdict[],
  { version }: Pick<Firmware, 'version'>,
): Candidate[] {
  const reasons = new Map(verdicts.map(({ sn, reason }) => [sn, reason]));
  const all = devices
    .filter(({ sn }) => reasons.has(sn))
    .map((device) => {
      const reason = reasons.get(device.sn);
      return { device, reason, isLower: reason === undefined && compareVersions(version, device['firmware-ver']) < 0 };
    });
  return [...all.filter(({ reason }) => reason === undefined), ...all.filter(({ reason }) => reason !== undefined)];
}

/** Whether `force` would let further devices be upgraded. */
export const wouldForce = (candidates: readonly Candidate[]): boolean =>
  candidates.some(({ reason }) => reason === 'sameVersion' || reason === 'lowerVersion');

/** Files for the product of at least one of the devices, the highest release first, then the pre-releases. */
export function filesFor(devices: readonly Device[], list: readonly Firmware[]): Firmware[] {
  const products = new Set(devices.map((device) => device['product-id']));
  return list
    .filter((one) => products.has(one['product-id']) && !one['is-missing'])
    .toSorted(
      (a, b) =>
        Number(a['is-pre-release']) - Number(b['is-pre-release']) ||
        compareVersions(b.version, a.version) ||
        a['product-id'] - b['product-id'],
    );
}

/** Names of the channels that the devices send to, each once. */
export function channelsOf(devices: readonly Device[]): string[] {
  return [...new Set(devices.flatMap((device) => device['owner-i'] ?? []))];
}

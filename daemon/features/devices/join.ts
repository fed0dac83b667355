/**
 * Devices whose agents dial the hub: the registration. Nothing is stored before the invitation code was checked, and the
 * attempts to guess it are limited by address and by serial number.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { deviceApis } from '../../contract/device-catalog.ts';
import { regStates } from '../../contract/device-states.ts';
import { limits } from '../../contract/limits.ts';
import { oneLine } from '../../devices/units.ts';
import { HubError } from '../../lib/hub-error.ts';
import { networkOf } from '../../lib/local-network.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import type { Claim, RegistrationState } from '../../link/handshake.ts';
import type { Admission } from '../../link/link-server.ts';
import type { Applicant } from './add.ts';
import type { DeviceContext } from './service.ts';
import type { DeviceRow } from './store.ts';
import { createTries } from './tries.ts';

/** Those that wait for approval, with or without a link. */
const maxPending = 1024;
const minuteMs = 60_000;
const ofAddress = { maxTries: 5, withinMs: minuteMs };
const ofSerial = { maxTries: 20, withinMs: 60 * minuteMs };

interface JoinDeps extends Pick<DeviceContext, 'inventory' | 'log' | 'now'> {
  readonly apply: (applicant: Applicant) => number;
  readonly clash: (applicant: Applicant, remote: string) => void;
  /** Undefined if none is needed. */
  readonly invitationCode: () => string | undefined;
}

export function createDeviceJoin({ inventory, log, now, apply, clash, invitationCode }: JoinDeps) {
  const byAddress = createTries({ ...ofAddress, now });
  const bySerial = createTries({ ...ofSerial, now });

  const pending = () => {
    let count = 0;
    for (const { row } of inventory.devices().values()) if (row.regState === regStates.pending) count += 1;
    return count;
  };
  /** Returns undefined if the device may apply. */
  const refusalOf = ({ serial, details }: Claim, remote: string): Admission | undefined => {
    const network = networkOf(remote);
    if (!byAddress.mayTry(network) || !bySerial.mayTry(serial)) {
      log.warn('too many attempts to register', { peer: remote, serial });
      return { retryMs: minuteMs };
    }
    const code = invitationCode();
    if (code !== undefined && !isSame(details.invitationCode ?? '', code)) {
      byAddress.note(network);
      bySerial.note(serial);
      log.warn('a device sent a wrong invitation code', { peer: remote, serial });
      return { state: 'wrongCode' };
    }
    return pending() < maxPending ? undefined : { retryMs: minuteMs };
  };

  return {
    /** Decides about a device that has proven its key. */
    admit(claim: Claim, remote: string): Admission {
      const applicant = applicantOf(claim);
      if (applicant === undefined) return { state: 'illegal' };
      // Another one that states the serial number of a known device needs the code like a new one.
      const isKnown = inventory.devices().get(claim.serial)?.row.agentKey === claim.key;
      const refusal = isKnown ? undefined : refusalOf(claim, remote);
      if (refusal !== undefined) return refusal;
      try {
        return { state: linkStateOf(apply(applicant)) };
      } catch (error) {
        if (!(error instanceof HubError)) throw error;
        if (error.result === 'tooMany') return { retryMs: minuteMs };
        if (error.result !== 'verifyFailed') return { state: 'illegal' };
        // If the disk is full, the next attempt is noted.
        unlessNoSpace(() => clash(applicant, remote));
        return { state: 'exists' };
      }
    },
  };
}

/** The state of an open link after a change of the device; undefined: it was deleted. */
export function linkStateAfter(row: DeviceRow | undefined): RegistrationState {
  if (row === undefined) return 'deleted';
  // It was added by its address since.
  return row.link === 'agent' ? linkStateOf(row.regState) : 'exists';
}

type RegState = (typeof regStates)[keyof typeof regStates];

const linkStates: Readonly<Record<RegState, RegistrationState>> = {
  [regStates.accepted]: 'accepted',
  [regStates.rejected]: 'refused',
  [regStates.pending]: 'waiting',
};

const linkStateOf = (state: number): RegistrationState => linkStates[state as RegState];

/** Returns undefined for details that no agent sends. */
function applicantOf({ role, serial, key, details }: Claim): Applicant | undefined {
  const { name = '', api, model = '', hardwareVersion = '', firmwareVersion = '', user = '', password = '' } = details;
  const known = deviceApis.find((one) => one === api);
  const productId = Number(details.productId ?? 0);
  if (role !== 'device' || known === undefined || !Number.isSafeInteger(productId) || productId < 0) return undefined;
  if (user.length > limits.deviceLogin.user || password.length > limits.deviceLogin.password) return undefined;
  return {
    identity: {
      ...{ sn: serial, name: oneLine(name), api: known, 'product-id': productId, model: oneLine(model) },
      ...{ 'hardware-ver': oneLine(hardwareVersion), 'firmware-ver': oneLine(firmwareVersion) },
    },
    ...{ agentKey: key, user, password },
  };
}

/** In a time that does not tell how much is right. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

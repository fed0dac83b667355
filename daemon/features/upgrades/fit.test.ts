import { describe, expect, test } from 'bun:test';
import { families } from '../../contract/device-catalog.ts';
import type { DeviceFacts } from '../../contract/device-facts.ts';
import { regStates } from '../../contract/device-states.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { type Candidate, misfit, type Wanted } from './fit.ts';

const facts: DeviceFacts = { identity: identityOf('B313'), streams: [], disks: [], warnings: [], tasks: [] };
const device: Candidate = {
  ...{ regState: regStates.accepted, isOverLicense: false, api: 'usapi', module: families.ultraEncode },
  ...{ model: 'Ultra Encode AIO', productId: 787, hardwareVersion: 'B', firmwareVersion: '2.3.43' },
  ...{ isOnline: true, facts, isUpgrading: false },
};
const wanted: Wanted = { productId: 787, hardware: 'B', version: '2.4.288', force: false };
const withFacts = (more: Partial<DeviceFacts>) => ({ facts: { ...facts, ...more } });

describe('firmware fits', () => {
  const rows: readonly [string, Partial<Candidate>, Partial<Wanted>][] = [
    ['the same product and hardware', {}, {}],
    ['a device that does not state its hardware', { hardwareVersion: '' }, {}],
    ['an offline hub view without facts', { facts: undefined }, {}],
    ['the same version with force', { firmwareVersion: '2.4.288' }, { force: true }],
    ['a lower version with force', { firmwareVersion: '3.0.0' }, { force: true }],
    ['disks, a password and an access point', withFacts({ 'cur-status': 0x10 | 0x40 | 0x1_0000 }), {}],
  ];
  test.each([...rows])('%s', (_, of, more) => {
    expect(misfit({ ...device, ...of }, { ...wanted, ...more })).toBeUndefined();
  });
});

describe('firmware does not fit', () => {
  const rows: readonly [string, Partial<Candidate>, Partial<Wanted>, string][] = [
    ['a pending device', { regState: regStates.pending }, {}, 'notAccepted'],
    ['a rejected device', { regState: regStates.rejected }, {}, 'notAccepted'],
    ['a device beyond the license', { isOverLicense: true }, {}, 'overLicense'],
    ['a device of another make', { module: families.others, api: 'onvif' }, {}, 'unsupported'],
    ['a device whose upload is not known', { module: families.director, api: 'v1' }, {}, 'unsupported'],
    ['another product', { productId: 772 }, {}, 'otherModel'],
    ['another hardware', { hardwareVersion: 'A' }, {}, 'otherModel'],
    ['another product also with force', { productId: 772 }, { force: true }, 'otherModel'],
    ['a device that is being upgraded', { isUpgrading: true }, {}, 'upgrading'],
    ['an offline device', { isOnline: false }, {}, 'offline'],
    ['a device that records', withFacts({ recording: true }), {}, 'busy'],
    ['a device that is live', withFacts({ living: true }), {}, 'busy'],
    ['a device that formats its disk', withFacts({ tasks: ['formatting'] }), {}, 'busy'],
    ['a device that an app uses', withFacts({ 'cur-status': 0x2_0000 }), {}, 'busy'],
    ['a device that looks for firmware', withFacts({ 'cur-status': 0x200_0000 }), {}, 'busy'],
    ['a busy device also with force', withFacts({ living: true }), { force: true }, 'busy'],
    ['the same version', { firmwareVersion: '2.4.288.0' }, {}, 'sameVersion'],
    ['a lower version', { firmwareVersion: '2.10.0' }, {}, 'lowerVersion'],
  ];
  test.each([...rows])('%s', (_, of, more, fault) => {
    expect(misfit({ ...device, ...of }, { ...wanted, ...more })).toBe(fault as never);
  });
});

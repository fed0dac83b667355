/** Simulated devices for a test file, with transports to them. */
import { afterEach } from 'bun:test';
import type { Transport } from '../../../daemon/devices/driver.ts';
import { type DeviceAddress, directTransport } from '../../../daemon/devices/transport.ts';
import { createOutgoing, systemLookup } from '../../../daemon/lib/outgoing.ts';
import { timing } from '../../../daemon/timing.ts';
import { privateAllowed } from '../../support/outgoing.ts';
import { type Simulator, serveDevice } from './serve.ts';

const outgoing = createOutgoing({ rules: () => privateAllowed, lookup: systemLookup, ...timing.outgoing });

export const transportTo = (address: DeviceAddress): Transport => directTransport(address, outgoing);

/** Times for drivers in tests: a simulated device needs no more to settle. */
export const quickTimes = {
  answerMs: 1000,
  actMs: 1000,
  settleMs: 5000,
  settleStepMs: 5,
  settingsMs: 0,
  updateMs: 0,
  encoderRenameMs: 15,
  decoderRenameMs: 60,
  rebootMs: 70,
  fileMs: 2000,
} as const;

export const unaborted = new AbortController().signal;

/** Devices that are started with the returned function end after each test. */
export function simulatedDevices(): <D extends Simulator>(device: D) => { device: D; transport: Transport } {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  return (device) => {
    const served = serveDevice(device);
    closing.push(served.close);
    return { device, transport: transportTo(served.address) };
  };
}

/** What every `NetPort` does: the tests of the double and of NetworkManager. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until, untilSeen } from '../../../tests/support/until.ts';
import type { EthernetPort } from '../../contract/network-fields.ts';
import type { ChangeFailed } from '../confirmed-change/kind.ts';
import type { MissingPart } from '../missing-part.ts';
import type { NetPort, PortConfig } from './port.ts';

/** What the tests do around a port. `eth1` is in a network with a DHCP server. */
export interface NetRig {
  readonly port: NetPort;
  readonly hardware: Readonly<Record<EthernetPort, string>>;
  /** Two addresses of the network of `eth1` that no host has, and one that another host has. */
  readonly free: readonly [string, string];
  readonly taken: string;
  /** A free address of the network of `eth2`. */
  readonly other: string;
  setCable(port: EthernetPort, isIn: boolean): void;
  setDhcp(answers: boolean): Promise<void>;
  /** Ends NetworkManager as a crash does. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const seconds = 1;

export function describeNet(create: () => Promise<NetRig>): void {
  let rig: NetRig;
  const fixed = (address: string): PortConfig => ({ fixed: { address, prefix: 24, gateway: '' }, dns: [] });
  const dhcp: PortConfig = { fixed: null, dns: [] };
  const change = (config: PortConfig, port: EthernetPort = 'eth1') => [{ port, hardware: rig.hardware[port], config }];
  const device = async (port: EthernetPort = 'eth1') => {
    const { devices } = await rig.port.read();
    const found = devices.find(({ hardware }) => hardware === rig.hardware[port]);
    if (found === undefined) throw new Error(`there is no ${port}`);
    return found;
  };
  const addressOf = async (port: EthernetPort = 'eth1') =>
    (await device(port)).addresses.find((one) => one.includes('.'));
  const isAt = (address: string) => untilSeen(addressOf, (seen) => seen === `${address}/24`);
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: ChangeFailed) => error.failure,
    );
  const makeFinal = async (config: PortConfig, port: EthernetPort = 'eth1') => {
    const data = await rig.port.prepare(change(config, port), 60);
    await rig.port.apply(data);
    expect(await rig.port.seal(data)).toBe(true);
    await rig.port.save(data);
  };

  beforeAll(async () => {
    rig = await create();
    await makeFinal(fixed(rig.free[0]));
    await makeFinal(fixed(rig.other), 'eth2');
  });
  afterAll(() => rig.close());

  test('a port shows its link, its addresses and what it is set to', async () => {
    expect(await device()).toMatchObject({ state: 'connected', hasLink: true, config: fixed(rig.free[0]) });
    expect(await addressOf()).toBe(`${rig.free[0]}/24`);
    expect((await rig.port.read()).configs).toEqual({ eth1: fixed(rig.free[0]), eth2: fixed(rig.other) });
    const { name } = await device();
    expect((await rig.port.traffic()).get(name)?.txBytes).toBeGreaterThan(0);
  });

  test('a change that is not sealed undoes itself, and can then not be sealed', async () => {
    const data = await rig.port.prepare(change(fixed(rig.free[1])), seconds);
    await rig.port.apply(data);
    expect(await addressOf()).toBe(`${rig.free[1]}/24`);
    await isAt(rig.free[0]);
    expect(await rig.port.seal(data)).toBe(false);
    await rig.port.revert(data);
    expect(await addressOf()).toBe(`${rig.free[0]}/24`);
  });

  test('a change is undone at once by reverting it, also twice', async () => {
    const data = await rig.port.prepare(change(fixed(rig.free[1])), 60);
    await rig.port.apply(data);
    await rig.port.revert(data);
    expect(await addressOf()).toBe(`${rig.free[0]}/24`);
    await rig.port.revert(data);
    expect((await rig.port.read()).configs.eth1).toEqual(fixed(rig.free[0]));
  });

  test('an address comes from the DHCP server, with DNS servers of its own', async () => {
    const data = await rig.port.prepare(change({ fixed: null, dns: ['192.0.2.53'] }), 60);
    await rig.port.apply(data);
    expect(await device()).toMatchObject({ state: 'connected', config: { fixed: null, dns: ['192.0.2.53'] } });
    expect((await device()).dns).toEqual(['192.0.2.53']);
    await rig.port.revert(data);
    await isAt(rig.free[0]);
  });

  test('an address that another host has is refused', async () => {
    const data = await rig.port.prepare(change(fixed(rig.taken)), 60);
    expect(await failure(rig.port.apply(data))).toBe('addressInUse');
    await rig.port.revert(data);
    await isAt(rig.free[0]);
  });

  test('without a DHCP server, the change fails', async () => {
    await rig.setDhcp(false);
    const data = await rig.port.prepare(change(dhcp), 60);
    expect(await failure(rig.port.apply(data))).toBe('noDhcp');
    await rig.port.revert(data);
    await rig.setDhcp(true);
    await isAt(rig.free[0]);
  });

  test('a port without a cable can be set, and uses it once the cable is in', async () => {
    rig.setCable('eth2', false);
    await until(async () => !(await device('eth2')).hasLink);
    await makeFinal(dhcp, 'eth2');
    expect((await device('eth2')).state).toBe('noCable');
    rig.setCable('eth2', true);
    await until(async () => (await device('eth2')).state === 'connected');
    await makeFinal(fixed(rig.other), 'eth2');
  });

  test('a listener is told when a cable is pulled and plugged in', async () => {
    let calls = 0;
    const stop = rig.port.watch(() => calls++);
    rig.setCable('eth2', false);
    await until(async () => calls > 0 && !(await device('eth2')).hasLink);
    rig.setCable('eth2', true);
    await until(async () => (await device('eth2')).state === 'connected');
    stop();
  });

  test('after a crash of NetworkManager, a change can be undone but not sealed', async () => {
    const data = await rig.port.prepare(change(fixed(rig.free[1])), 60);
    await rig.port.apply(data);
    await rig.stop();
    const missing = await rig.port.read().then(
      () => undefined,
      (error: MissingPart) => error.part,
    );
    expect(missing).toBe('networkManager');
    await rig.start();
    await isAt(rig.free[1]);
    expect(await rig.port.seal(data)).toBe(false);
    await rig.port.revert(data);
    await isAt(rig.free[0]);
    expect((await rig.port.read()).configs.eth1).toEqual(fixed(rig.free[0]));
  });

  test('a confirmed change is stored again after a crash that came before it was stored', async () => {
    const data = await rig.port.prepare(change(fixed(rig.free[1])), 60);
    await rig.port.apply(data);
    expect(await rig.port.seal(data)).toBe(true);
    await rig.stop();
    await rig.start();
    await rig.port.save(data);
    await isAt(rig.free[1]);
    expect((await rig.port.read()).configs.eth1).toEqual(fixed(rig.free[1]));
    await makeFinal(fixed(rig.free[0]));
  });

  test('a reset deletes fixed addresses, also that of a change on trial, and leaves the ports with DHCP', async () => {
    const data = await rig.port.prepare(change(fixed(rig.free[1])), 60);
    await rig.port.apply(data);
    await rig.port.reset();
    await rig.port.reset();
    await until(async () => (await device()).state === 'connected' && (await device()).config?.fixed === null);
    // The mechanism that would have undone the change is gone as well.
    expect(await rig.port.seal(data)).toBe(false);
    expect((await rig.port.read()).configs).toEqual({ eth1: dhcp, eth2: dhcp });
    expect(await addressOf()).not.toBe(`${rig.free[0]}/24`);
  });
}

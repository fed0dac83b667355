/** Static routes, interfaces on USB and DHCP servers that send nonsense, with a real NetworkManager. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { createBus } from '../../daemon/appliance/dbus/bus.ts';
import { createNetworkManager } from '../../daemon/appliance/net/network-manager.ts';
import type { NetPort, PortChange } from '../../daemon/appliance/net/port.ts';
import { forNetworkManager } from '../../daemon/appliance/nm-bus.ts';
import { describeRoutes } from '../../daemon/appliance/routes/contract-for-test.ts';
import { createRoutes } from '../../daemon/appliance/routes/network-manager.ts';
import type { RoutesPort } from '../../daemon/appliance/routes/port.ts';
import { createUsb } from '../../daemon/appliance/usb/network-manager.ts';
import type { UsbPort } from '../../daemon/appliance/usb/port.ts';
import { createWifi } from '../../daemon/appliance/wifi/network-manager.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { until } from '../support/until.ts';
import { inLab, type Lab, networks, nmcli, profilesFolder, run } from './lab.ts';

const { lan, wan } = networks;
const devices = { eth1: lan.port, eth2: wan.port };
const fixed = (port: 'eth1' | 'eth2', network: typeof lan | typeof wan): PortChange => ({
  ...{ port, hardware: `mac:${network.mac}` },
  config: { fixed: { address: `${network.net}.20`, prefix: 24, gateway: network.peer }, dns: [] },
});
const byDhcp: PortChange = { port: 'eth2', hardware: `mac:${wan.mac}`, config: { fixed: null, dns: [] } };

async function set(net: NetPort, ...changes: readonly PortChange[]): Promise<void> {
  const data = await net.prepare(changes, 60);
  await net.apply(data);
  await net.seal(data);
  await net.save(data);
}

const hostile: Bun.Subprocess[] = [];

/** A DHCP server whose answers lead everything to itself, for very long, with names that are none. */
async function hostileDhcp(namespace: string, { device, net }: { device: string; net: string }): Promise<void> {
  const pidFile = `/run/world/${namespace}.hostile.pid`;
  rmSync(pidFile, { force: true });
  const server = Bun.spawn(
    [
      ...['ip', 'netns', 'exec', namespace, 'dnsmasq', '--conf-file=/dev/null', '--no-resolv', '--no-hosts'],
      ...['--keep-in-foreground', '--user=root', '--group=', `--interface=${device}`, '--bind-interfaces', '--no-ping'],
      ...['--dhcp-authoritative', `--dhcp-range=${net}.100,${net}.150,255.255.255.0,infinite`],
      `--dhcp-option=121,0.0.0.0/1,${net}.1,128.0.0.0/1,${net}.1,192.168.50.0/25,${net}.1,192.168.50.128/25,${net}.1,0.0.0.0/0,${net}.1`,
      `--dhcp-option=12,$(reboot)<script>`,
      `--dhcp-option=15,a b;"'<script>.example`,
      ...[`--dhcp-leasefile=/run/world/${namespace}.hostile`, `--pid-file=${pidFile}`],
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  );
  hostile.push(server);
  // A client that asks earlier would ask again only after its time limit.
  await until(() => existsSync(pidFile));
}

inLab('routes and USB by NetworkManager, in a world of their own', import.meta.path, (lab: Lab) => {
  let net: NetPort;
  let routes: RoutesPort;
  let usb: UsbPort;
  let server: Bun.Server<undefined>;
  /** Its address in the first network. */
  let console = '';
  beforeAll(async () => {
    await lab.start();
    const bus = createBus('/run/dbus/system_bus_socket');
    net = createNetworkManager(bus);
    routes = createRoutes(forNetworkManager(bus));
    usb = createUsb(forNetworkManager(bus));
    await set(net, fixed('eth1', lan), fixed('eth2', wan));
    server = Bun.serve({ port: 0, fetch: () => new Response('here') });
    console = `http://${lan.net}.20:${server.port}/`;
  });
  afterAll(async () => {
    await server.stop(true);
    for (const child of hostile) child.kill();
    await lab.stop();
  });
  const kernel = () => run('ip -4 route show');

  describeRoutes('NetworkManager', async () => ({
    ...{ port: routes, devices, gateways: { eth1: lan.peer, eth2: wan.peer } },
    restart: () => lab.cutPower(),
  }));

  describe('beyond what every machine does', () => {
    const office = { destination: '10.20.0.0/16', gateway: lan.peer, interface: 'eth1' } as const;

    test('N16: a route is in the kernel without an interruption, and survives a change of the address', async () => {
      await routes.write({ devices, routes: [office] });
      await until(() => kernel().includes(`10.20.0.0/16 via ${lan.peer} dev eth0`));
      const changed = fixed('eth1', lan);
      await set(net, { ...changed, config: { fixed: { address: `${lan.net}.21`, prefix: 24, gateway: '' }, dns: [] } });
      // It needs the address, which the kernel first has to find unused.
      await until(() => kernel().includes(`10.20.0.0/16 via ${lan.peer} dev eth0`));
      await set(net, changed);
      await routes.write({ devices, routes: [] });
      await until(() => !kernel().includes('10.20.0.0/16'));
    });

    test('N17: a DHCP server cannot take the network of the console, or everything, to itself', async () => {
      await lab.stopDhcp('wan');
      await hostileDhcp('wan', { device: 'peer', net: wan.net });
      await set(net, byDhcp);
      const { devices: found } = await net.read();
      const port = found.find(({ name }) => name === wan.port);
      expect(port?.addresses[0]).toStartWith(`${wan.net}.1`);
      // It tries to.
      await until(() => kernel().includes(`192.168.50.0/25 via ${wan.peer} dev eth1`));
      expect(kernel()).toContain(`128.0.0.0/1 via ${wan.peer} dev eth1`);
      // Neither those in the network of the console nor those behind a router notice.
      expect(await lab.reaches('lan', console)).toBe(true);
      expect(run(`ip route get ${lan.net}.7 from ${lan.net}.20`)).toContain('dev eth0');
      expect(run(`ip route get 203.0.113.7 from ${lan.net}.20`)).toContain(`via ${lan.peer} dev eth0`);
      expect(run('hostname').trim()).toBe('world');
      expect(JSON.stringify(found)).not.toContain('<script>');
    });

    test('N17: nor can it if the console has its address from a DHCP server, too', async () => {
      const stop = net.guard(createLog('error'));
      await set(net, { ...fixed('eth1', lan), config: { fixed: null, dns: [] } });
      const leased = async (name: string) =>
        (await net.read()).devices.find((one) => one.name === name)?.addresses[0]?.split('/')[0] ?? '';
      const [own, other] = [await leased(lan.port), await leased(wan.port)];
      const route = (to: string, from: string) => run(`ip route get ${to} from ${from}`);
      await until(() => route(`${lan.net}.7`, own).includes('dev eth0'));
      expect(route('203.0.113.7', own)).toContain(`via ${lan.peer} dev eth0`);
      await until(() => route(`${wan.net}.7`, other).includes('dev eth1'));
      const here = `http://${own}:${server.port}/`;
      await until(() => lab.reaches('lan', here));
      // The other server then assigns an address of the same network.
      hostile.at(-1)?.kill();
      await hostile.at(-1)?.exited;
      run(`ip -n wan addr add ${lan.net}.1/24 dev peer`);
      await hostileDhcp('wan', { device: 'peer', net: lan.net });
      await set(net, byDhcp);
      await until(async () => (await leased(wan.port)).startsWith(`${lan.net}.1`));
      await until(() => route(`${lan.net}.7`, own).includes('dev eth0'));
      expect(await lab.reaches('lan', here)).toBe(true);
      // What a renewed lease or a reconnection takes away comes back.
      run('nmcli device reapply eth0');
      await until(() => route(`${lan.net}.7`, own).includes('dev eth0') && run('ip rule').includes(own));
      expect(await lab.reaches('lan', here)).toBe(true);
      stop();
      hostile.at(-1)?.kill();
      await hostile.at(-1)?.exited;
      run(`ip -n wan addr del ${lan.net}.1/24 dev peer`);
      await set(net, fixed('eth1', lan), fixed('eth2', wan));
    });

    test('N19: a Wi-Fi network is stored with its key, which is in a file for root alone, and read back', async () => {
      const wifi = createWifi(forNetworkManager(createBus('/run/dbus/system_bus_socket')));
      const ssid = Buffer.from('"\n[ipv4] 演播室').toString('hex');
      const network = { ssid, security: 'wpa', key: 'a key of 8 or more', isHidden: false } as const;
      await wifi.store(network);
      expect(await wifi.keyOf(ssid)).toBe(network.key);
      const before = lab.profiles();
      await wifi.store(network);
      expect(lab.profiles()).toBe(before);
      await wifi.store({ ...network, key: 'another key', isHidden: true });
      expect(await wifi.keyOf(ssid)).toBe('another key');
      expect((await wifi.read()).known).toEqual([{ ssid, security: 'wpa', isHidden: true }]);
      expect(lab.profiles()).not.toContain(network.key);
      await wifi.store({ ssid, security: 'open', key: undefined, isHidden: false });
      expect((await wifi.read()).known).toEqual([{ ssid, security: 'open', isHidden: false }]);
      expect(run(`find ${profilesFolder} -type f -perm /077`)).toBe('');
      expect(await wifi.forget(ssid)).toBe(true);
    });

    test('an interface on USB gets its address by DHCP when it is plugged in, and is gone when it is not', async () => {
      await usb.prepare();
      await usb.prepare();
      expect(await usb.read()).toEqual([]);
      run('ip netns add phone');
      run('ip link add usb0 type veth peer name gadget netns phone');
      run('ip -n phone addr add 192.168.42.1/24 dev gadget');
      run('ip -n phone link set gadget up');
      await hostileDhcp('phone', { device: 'gadget', net: '192.168.42' });
      await until(async () => (await usb.read())[0]?.state === 'connected');
      const [device] = await usb.read();
      expect(device).toMatchObject({ name: 'usb0', addresses: [expect.stringMatching(/^192\.168\.42\.1\d\d\/24$/)] });
      expect(await lab.reaches('lan', console)).toBe(true);
      expect((await net.read()).devices.map(({ name }) => name)).not.toContain('usb0');
      run('ip link del usb0');
      await until(async () => (await usb.read()).length === 0);
      expect(kernel()).not.toContain('192.168.42');
    });

    test('N18: an interface on USB that is pulled while it waits for its address leaves no trace', async () => {
      const before = { profiles: nmcli('-t -f UUID connection'), files: lab.profiles(), routes: kernel() };
      run('ip netns add mute');
      run('ip link add usb1 type veth peer name gadget netns mute');
      run('ip -n mute link set gadget up');
      await until(async () => (await usb.read())[0]?.state === 'connecting');
      run('ip link del usb1');
      await until(async () => (await usb.read()).length === 0);
      const after = { profiles: nmcli('-t -f UUID connection'), files: lab.profiles(), routes: kernel() };
      expect(after).toEqual(before);
    });
  });
});

/**
 * A machine with two Ethernet ports and a real NetworkManager, in namespaces: a test file that calls `inLab` runs itself
 * again there. Behind each port is a network with a peer, which has a DHCP server: `lan` at eth0, `wan` at eth1.
 */
import { test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Subprocess } from 'bun';
import { timeDivisorName } from '../../daemon/timing.ts';
import { addLog, until } from '../support/until.ts';

const name = 'SIGNALBOX_TEST_WORLD';
const isInside = process.env[name] === 'own';
const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const namespaces = ['--net', '--mount', '--pid', '--ipc', '--uts', '--propagation=private'];
const world = ['unshare', ...asUser, ...namespaces, '--fork', '--kill-child', '--mount-proc', '--'];
const limitMs = 120_000;
/** Of the times of the tests and of the hubs that they start: a second to confirm a change takes 50 ms. */
export const timeDivisor = 20;

/** Registers the tests of `inside`, which run in a world of their own. Skipped where the kernel permits none. */
export function inLab(title: string, file: string, inside: (lab: Lab) => void): void {
  if (isInside) {
    inside(new Lab());
    return;
  }
  const canHaveOne = Bun.spawnSync([...world, 'ip', 'link', 'set', 'lo', 'up']).success;
  const runAgain = async () => {
    const again = [process.execPath, 'test', '--timeout=30000', file];
    const child = Bun.spawn([...world, join(import.meta.dir, 'world.sh'), ...again], {
      ...{ cwd: dirname(file), env: { ...process.env, [name]: 'own', [timeDivisorName]: String(timeDivisor) } },
      ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    });
    const [out, text] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if ((await child.exited) !== 0) throw new Error(`${out}\n${text}`);
    console.log(text.replaceAll(/^(?!\(pass\)).*\n/gm, ''));
  };
  test.skipIf(!canHaveOne)(title, runAgain, limitMs);
}

/** The networks: name of the peer's namespace, the port of the machine, and the addresses. */
export const networks = {
  lan: { port: 'eth0', peer: '192.168.50.1', net: '192.168.50', mac: '02:00:5e:00:50:01' },
  wan: { port: 'eth1', peer: '10.77.0.1', net: '10.77.0', mac: '02:00:5e:00:77:01' },
} as const;
export type NetworkName = keyof typeof networks;

export const busAddress = 'unix:path=/run/dbus/system_bus_socket';
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>${busAddress}</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
<allow send_requested_reply="true"/><allow receive_type="method_call"/><allow receive_type="signal"/>
<allow receive_type="method_return"/><allow receive_type="error"/></policy></busconfig>`;
const managerConfig = `[main]
plugins=keyfile
no-auto-default=*
dhcp=internal
auth-polkit=false
dns=default
rc-manager=file
hostname-mode=none
[keyfile]
unmanaged-devices=interface-name:lo
[logging]
level=INFO
`;
const managerFile = '/etc/NetworkManager/NetworkManager.conf';
const bootIdFile = '/run/world/boot-id';
export const profilesFolder = '/etc/NetworkManager/system-connections';
const memoryFolder = '/run/NetworkManager';

/** One world; the test file that runs in it starts what it needs. */
export class Lab {
  #bus: Subprocess | undefined;
  #manager: Subprocess | undefined;
  #log = '';
  readonly #dhcp = new Map<NetworkName, Subprocess>();

  /** Networks, DHCP servers, bus and NetworkManager. */
  async start(): Promise<void> {
    addLog('NetworkManager', () => this.#log);
    for (const [peer, { port, peer: address, mac }] of Object.entries(networks)) {
      run(`ip netns add ${peer}`);
      run(`ip link add ${port} address ${mac} type veth peer name peer netns ${peer}`);
      for (const step of ['link set lo up', `addr add ${address}/24 dev peer`, 'link set peer up']) {
        run(`ip -n ${peer} ${step}`);
      }
      // A peer that asked for an address before the machine had it asks again soon.
      const again = `/proc/sys/net/ipv4/neigh/peer/retrans_time_ms`;
      Bun.spawnSync(['ip', 'netns', 'exec', peer, 'sh', '-c', `echo 50 > ${again}`]);
      await this.startDhcp(peer as NetworkName);
    }
    await this.startBus();
    await this.startManager();
  }

  async startBus(): Promise<void> {
    writeFileSync('/run/world/bus.conf', busConfig);
    this.#bus = background([
      'dbus-daemon',
      '--config-file=/run/world/bus.conf',
      '--nofork',
      '--nopidfile',
      '--nosyslog',
    ]);
    await until(() => existsSync('/run/dbus/system_bus_socket'));
  }

  async stopBus(): Promise<void> {
    await end(this.#bus);
    rmSync('/run/dbus/system_bus_socket', { force: true });
  }

  async startManager(): Promise<void> {
    writeFileSync(managerFile, managerConfig);
    const manager = Bun.spawn(['NetworkManager', '--debug', `--config=${managerFile}`], {
      stdout: 'pipe',
      stderr: 'pipe',
    });
    this.#manager = manager;
    void this.#read(manager.stdout);
    void this.#read(manager.stderr);
    await until(() => nmcli('-t -f RUNNING general').startsWith('running'));
  }

  /** Ends NetworkManager as a crash does, or as a restart of its unit does. */
  async stopManager(how: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await end(this.#manager, how);
  }

  /** NetworkManager does not answer until it is thawed. */
  freezeManager(isFrozen: boolean): void {
    this.#manager?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  }

  /** A power cut of the machine, and its next start: what is not on the disk is lost. */
  async cutPower(): Promise<void> {
    await this.stopManager('SIGKILL');
    rmSync(memoryFolder, { recursive: true, force: true });
    mkdirSync(memoryFolder);
    for (const { port } of Object.values(networks)) run(`ip addr flush dev ${port}`);
    writeFileSync(bootIdFile, `${crypto.randomUUID()}\n`);
    await this.startManager();
  }

  async startDhcp(network: NetworkName): Promise<void> {
    const { peer, net } = networks[network];
    const server = background([
      ...[
        'ip',
        'netns',
        'exec',
        network,
        'dnsmasq',
        '--conf-file=/dev/null',
        '--no-resolv',
        '--no-hosts',
        '--keep-in-foreground',
      ],
      ...['--user=root', '--group=', '--interface=peer', '--bind-interfaces', '--no-ping', '--dhcp-authoritative'],
      ...[`--dhcp-range=${net}.100,${net}.150,255.255.255.0,2m`, `--dhcp-option=6,${peer}`],
      ...[`--dhcp-leasefile=/run/world/${network}.leases`, `--pid-file=/run/world/${network}.pid`],
    ]);
    this.#dhcp.set(network, server);
    await until(() => existsSync(`/run/world/${network}.pid`));
  }

  async stopDhcp(network: NetworkName): Promise<void> {
    await end(this.#dhcp.get(network));
    rmSync(`/run/world/${network}.pid`, { force: true });
  }

  setCable(network: NetworkName, isIn: boolean): void {
    run(`ip -n ${network} link set peer ${isIn ? 'up' : 'down'}`);
  }

  /** Gives the peer of a network another address, besides its own. */
  addAddress(network: NetworkName, address: string): void {
    run(`ip -n ${network} addr add ${address} dev peer`);
  }

  delAddress(network: NetworkName, address: string): void {
    run(`ip -n ${network} addr del ${address} dev peer`);
  }

  /** Whether the machine answers at the address, as the peer of a network sees it. */
  async reaches(from: NetworkName, url: string): Promise<boolean> {
    return (await this.fetch(from, url)) !== undefined;
  }

  /** What the peer of a network gets from the machine; undefined without an answer. */
  async fetch(from: NetworkName, url: string, { body, headers = {} }: Sent = {}): Promise<Received | undefined> {
    const sent = body === undefined ? [] : ['--json', JSON.stringify(body)];
    const sentHeaders = Object.entries(headers).flatMap(([header, value]) => ['--header', `${header}: ${value}`]);
    const command = [
      'curl',
      '--silent',
      '--include',
      '--max-time',
      '2',
      '--connect-timeout',
      '0.25',
      ...sent,
      ...sentHeaders,
      url,
    ];
    const child = Bun.spawn(['ip', 'netns', 'exec', from, ...command], { stdout: 'pipe', stderr: 'ignore' });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) return undefined;
    const [head = '', json = ''] = text.split(/\r\n\r\n(.*)/s);
    const cookies = [...head.matchAll(/^set-cookie: ([^;]+)/gim)].map(([, one = '']) => one);
    return { json: json.startsWith('{') ? JSON.parse(json) : undefined, cookies };
  }

  /** The text of all profiles on the disk. */
  profiles(): string {
    return [...new Bun.Glob('*').scanSync({ cwd: profilesFolder, dot: true })]
      .toSorted()
      .map((file) => readFileSync(join(profilesFolder, file), 'utf8'))
      .join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all([end(this.#manager), end(this.#bus), ...[...this.#dhcp.values()].map((server) => end(server))]);
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of stream) this.#log = (this.#log + decoder.decode(part, { stream: true })).slice(-200_000);
  }
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Received {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
  readonly cookies: readonly string[];
}

export function run(command: string): string {
  const { success, stdout, stderr } = Bun.spawnSync(command.split(' '));
  if (!success) throw new Error(`${command}: ${stderr}`);
  return stdout.toString();
}

export function nmcli(args: string): string {
  return Bun.spawnSync(['nmcli', ...args.split(' ')]).stdout.toString();
}

function background(command: readonly string[]): Subprocess {
  return Bun.spawn([...command], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
}

async function end(child: Subprocess | undefined, how: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
  child?.kill(how);
  await child?.exited;
}

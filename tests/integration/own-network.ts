/** Runs a test file again in a separate network namespace, with a link to a neighbor in another one. */
import { test } from 'bun:test';
import { dirname } from 'node:path';
import type { Subprocess } from 'bun';
import { until } from '../support/until.ts';

const name = 'SIGNALBOX_TEST_NETWORK';
const isInside = process.env[name] === 'own';
const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const ownNetwork = ['unshare', ...asUser, '--net', '--'];

/** Registers the tests of `inside` in a separate network. Skipped if namespaces cannot be created. */
export function inOwnNetwork(title: string, file: string, inside: () => void): void {
  if (isInside) {
    inside();
    return;
  }
  const canHaveOne = Bun.spawnSync([...ownNetwork, 'ip', 'link', 'set', 'lo', 'up']).success;
  const runAgain = async () => {
    const child = Bun.spawn([...ownNetwork, process.execPath, 'test', file], {
      ...{ cwd: dirname(file), env: { ...process.env, [name]: 'own' } },
      ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    });
    const [out, text] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if ((await child.exited) !== 0) throw new Error(`${out}\n${text}`);
    console.log(out.split('\n').slice(1).join('\n'));
  };
  test.skipIf(!canHaveOne)(title, runAgain, 240_000);
}

export const addresses = {
  IPv4: { far: '192.0.2.2', before: '192.0.2.1/24', after: '192.0.2.9/24', group: '239.255.42.7', any: '0.0.0.0' },
  IPv6: { far: '2001:db8::2', before: '2001:db8::1/64', after: '2001:db8::9/64', group: 'ff15::4207', any: '::' },
} as const;
const families = Object.values(addresses);

/** The interface `near` is local, `far` is the neighbor's. */
export class Neighbour {
  private readonly holder: Subprocess;

  private constructor(holder: Subprocess) {
    this.holder = holder;
  }

  static async start(): Promise<Neighbour> {
    const holder = Bun.spawn(['unshare', '--net', 'sleep', 'infinity']);
    // It has its own namespace once it has executed the other program.
    const namespace = (of: string) => Bun.spawnSync(['readlink', `/proc/${of}/ns/net`]).stdout.toString();
    await until(() => namespace(String(holder.pid)) !== namespace('self'));
    ip('link set lo up');
    const neighbour = new Neighbour(holder);
    neighbour.connect();
    return neighbour;
  }

  /** The command prefix that runs a command at the far end. */
  get there(): readonly string[] {
    return ['nsenter', `--net=/proc/${this.holder.pid}/ns/net`];
  }

  /** Creates the link, with the first addresses at both ends. */
  connect(): void {
    ip(`link add near type veth peer name far netns ${this.holder.pid}`);
    for (const { before, far } of families) {
      ip(`address add ${onNear(before)}`);
      this.farIp(`address add ${far}/${far.includes(':') ? '64 dev far nodad' : '24 dev far'}`);
    }
    ip('link set near up');
    this.farIp('link set lo up');
    this.farIp('link set far up');
    ip('route add 239.0.0.0/8 dev near');
    this.farIp('route add 239.0.0.0/8 dev far');
  }

  /** Gives both ends addresses of a private network, the neighbor several. */
  joinNetwork(near: string, far: readonly string[]): void {
    ip(`address add ${near} dev near`);
    for (const address of far) this.farIp(`address add ${address} dev far`);
  }

  /** Whether both ends have a link-local address that no other machine of the link has. */
  get isReadyForIPv6(): boolean {
    return [
      ['ip', ...linkLocalOf('near')],
      [...this.there, 'ip', ...linkLocalOf('far')],
    ].every((words) => {
      const text = Bun.spawnSync(words).stdout.toString();
      return text.includes('fe80:') && !text.includes('tentative');
    });
  }

  disconnect(): void {
    ip('link del near');
  }

  /** Gives this machine another address of the same family. */
  move({ before, after }: { readonly before: string; readonly after: string }): void {
    ip(`address del ${before} dev near`);
    ip(`address add ${onNear(after)}`);
  }

  async stop(): Promise<void> {
    this.holder.kill('SIGKILL');
    await this.holder.exited;
    Bun.spawnSync(['ip', 'link', 'del', 'near']);
  }

  private farIp(text: string): void {
    command([...this.there, 'ip', ...text.split(' ')]);
  }
}

const linkLocalOf = (end: string) => ['-6', 'address', 'show', 'dev', end, 'scope', 'link'];

function onNear(address: string): string {
  return `${address} dev near${address.includes(':') ? ' nodad' : ''}`;
}

function ip(text: string): void {
  command(['ip', ...text.split(' ')]);
}

function command(words: readonly string[]): void {
  const done = Bun.spawnSync([...words]);
  if (!done.success) throw new Error(`${words.join(' ')}: ${done.stderr}`);
}

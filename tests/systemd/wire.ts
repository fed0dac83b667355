/** A network cable from the port eth0 of the guest to another machine, in network namespaces. */
import type { Subprocess } from 'bun';
import { until } from '../support/until.ts';
import { run } from './guest.ts';

export class Wire {
  readonly #far: Subprocess;

  private constructor(far: Subprocess) {
    this.#far = far;
  }

  static async start(): Promise<Wire> {
    const far = Bun.spawn(['unshare', '--net', 'sleep', 'infinity']);
    // It has its own namespace once it has executed the other program.
    const namespace = (of: string) => Bun.spawnSync(['readlink', `/proc/${of}/ns/net`]).stdout.toString();
    await until(() => namespace(String(far.pid)) !== namespace('self'));
    await run('ip', 'link', 'set', 'lo', 'up');
    const wire = new Wire(far);
    await wire.plugIn();
    return wire;
  }

  /** The port is as after power-on: without addresses. The far end has 192.0.2.2/24 and 198.51.100.2/24. */
  async plugIn(): Promise<void> {
    const ends = ['type', 'veth', 'peer', 'name', 'far', 'netns', String(this.#far.pid)];
    // A port keeps its hardware address.
    await run('ip', 'link', 'add', 'eth0', 'address', '02:00:00:00:00:01', ...ends);
    for (const address of ['192.0.2.2/24', '198.51.100.2/24'])
      await this.#there('address', 'add', address, 'dev', 'far');
    await this.#there('link', 'set', 'far', 'up');
  }

  /** What the kernel knows of the network is gone, as without power. */
  async unplug(): Promise<void> {
    await run('ip', 'link', 'del', 'eth0');
  }

  /** Whether the machine at the far end can connect to this port. */
  async connects(address: string, port: number): Promise<boolean> {
    const connect = `exec 3<>/dev/tcp/${address}/${port}`;
    const child = Bun.spawn([...this.#atFarEnd, 'timeout', '2', 'bash', '-c', connect], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    return (await child.exited) === 0;
  }

  async stop(): Promise<void> {
    this.#far.kill('SIGKILL');
    await this.#far.exited;
  }

  get #atFarEnd(): readonly string[] {
    return ['nsenter', `--net=/proc/${this.#far.pid}/ns/net`];
  }

  #there(...words: readonly string[]): Promise<string> {
    return run(...this.#atFarEnd, 'ip', ...words);
  }
}

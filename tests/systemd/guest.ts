/** A bare Debian 12 with its own systemd, in namespaces of this machine, with the program that `make dist` made. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cookieNames } from '../../daemon/contract/auth.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import type { ApiResponse } from '../integration/hub-process.ts';
import type { RigHub } from '../integration/relay-rig.ts';
import { addLog, until } from '../support/until.ts';

const root = join(import.meta.dir, '../..');
const folder = join(root, 'build/systemd-test');
export const adminPassword = 'integration-only';
const callMs = 10_000;

/** boot.sh mounts the control groups only for itself. */
const removeGroups = 'mount -t cgroup2 cgroup2 "$0" && find "$0/signalbox-test-$1" -depth -type d -exec rmdir {} +';

/** Throws unless the command succeeds. */
export async function run(...command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${out}${err}`);
  return out;
}

/** What `make dist` made for this machine. */
export async function distFolder(): Promise<string> {
  return join(root, 'build/dist', (await run('dpkg', '--print-architecture')).trim());
}

/** `appliance` has the packages of one, too. Neither has the program installed. */
export type Base = 'base' | 'appliance';

export class Guest implements RigHub {
  readonly ports: { readonly http: number; readonly rtmp: number; readonly srt: number; readonly hls: number };
  readonly #base: Base;
  readonly #changes: string;
  #machine: Bun.Subprocess | undefined;
  #pid = 0;
  #cookie = '';

  private constructor(base: Base, changes: string) {
    this.#base = base;
    this.#changes = changes;
    this.ports = { http: base === 'appliance' ? 80 : 8880, rtmp: 1935, srt: 8000, hls: 8080 };
    addLog('journal of the guest', () => this.#journal());
  }

  /** Boots a new system that has the program's folder in /srv/dist. */
  static async start(base: Base = 'base'): Promise<Guest> {
    const guest = new Guest(base, mkdtempSync(join(folder, 'guest-')));
    guest.write('/etc/default/signalbox', `SIGNALBOX_ADMIN_PASSWORD=${adminPassword}\n`);
    guest.write('/etc/hostname', 'signalbox-test\n');
    cpSync(await distFolder(), join(guest.#changes, 'upper/srv/dist'), { recursive: true });
    await guest.#boot();
    return guest;
  }

  /** Before the guest boots. */
  private write(path: string, text: string): void {
    const file = join(this.#changes, 'upper', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Where this machine sees a path of the running guest. */
  path(path: string): string {
    return `/proc/${this.#pid}/root${path}`;
  }

  /** Writes a file while the guest runs. */
  put(path: string, content: string | Uint8Array): void {
    const file = this.path(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  async #boot(): Promise<void> {
    this.#machine = Bun.spawn([join(import.meta.dir, 'boot.sh'), join(folder, this.#base), this.#changes], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const { pid } = this.#machine;
    // boot.sh becomes a program with one child, the first process of the guest.
    const isBooted = () => {
      if (this.#machine?.exitCode !== null) throw new Error('the guest did not boot');
      this.#pid = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10) || 0;
      return this.#pid !== 0 && this.#inside('systemctl', 'is-system-running').stdout.toString() === 'running\n';
    };
    await until(isBooted, 30_000, 'every unit of the guest has started');
  }

  #inside(...command: readonly string[]): Bun.SyncSubprocess<'pipe', 'pipe'> {
    const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--root', `--wd=/proc/${this.#pid}/root`];
    return Bun.spawnSync(['nsenter', `--target=${this.#pid}`, ...namespaces, '--', ...command], {
      stdout: 'pipe',
      stderr: 'pipe',
    });
  }

  /** Runs a command in the guest as root. Throws unless it succeeds. */
  run(...command: readonly string[]): string {
    const { success, stdout, stderr } = this.#inside(...command);
    if (!success) throw new Error(`${command.join(' ')}\n${stdout}${stderr}`);
    return stdout.toString().trim();
  }

  /** Whether a command succeeds in the guest. */
  succeeds(...command: readonly string[]): boolean {
    return this.#inside(...command).success;
  }

  /** The value of a property of a unit, such as MainPID. */
  unit(name: string, property: string): string {
    return this.run('systemctl', 'show', '--value', `--property=${property}`, name);
  }

  /** Returns a process of the guest by its program, as this machine numbers it; 0 if there is none. */
  process(program: string): number {
    return processTree(this.#pid).find((pid) => commandLine(pid)[0]?.endsWith(`/${program}`)) ?? 0;
  }

  #journal(): string {
    return this.#inside('journalctl', '--no-pager', '--boot', '--output=short-precise').stdout.toString();
  }

  /** Waits until the hub answers, and signs in as Admin. */
  async login(): Promise<void> {
    const health = () =>
      this.answer('/api/health').then(
        ({ result }) => result === 0,
        () => false,
      );
    await until(health, callMs, 'the hub answers');
    const body = { id: 'Admin', password: adminPassword };
    this.#cookie = `${cookieNames.sid}=${(await this.api<{ token: string }>('/api/login', body)).token}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.http}`;
  }

  headers(): Record<string, string> {
    return { cookie: this.#cookie };
  }

  async api<T = ApiResponse>(path: string, body?: object): Promise<T> {
    const answer = await this.answer<T>(path, body);
    if (answer.result !== 0) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
    return answer;
  }

  async answer<T = ApiResponse>(path: string, body?: object): Promise<T & ApiResponse> {
    const response = await fetch(`${this.url}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...this.headers(), ...(body && { 'content-type': 'application/json' }) },
      keepalive: false,
      signal: AbortSignal.timeout(callMs),
    });
    return (await response.json()) as T & ApiResponse;
  }

  /** Resolves when the guest has booted again. */
  async reboot(): Promise<void> {
    this.run('systemctl', 'reboot');
    await this.untilRebooted();
  }

  /** The same for a guest that was asked to reboot otherwise. */
  async untilRebooted(): Promise<void> {
    await this.#machine?.exited;
    if (this.#machine?.signalCode !== 'SIGHUP') throw new Error(`the guest ended by ${this.#machine?.signalCode}`);
    this.#pid = 0;
    await this.#boot();
  }

  /** All processes of the guest end at once. Resolves when it has booted again; `meanwhile` runs before. */
  async cutPower(meanwhile: () => Promise<void>): Promise<void> {
    process.kill(this.#pid, 'SIGKILL');
    await this.#machine?.exited;
    this.#pid = 0;
    await meanwhile();
    await this.#boot();
  }

  async stop(): Promise<void> {
    // With its first process, all others of the guest end.
    if (this.#pid !== 0) process.kill(this.#pid, 'SIGKILL');
    else this.#machine?.kill('SIGKILL');
    await this.#machine?.exited;
    await run('unshare', '--mount', 'sh', '-c', removeGroups, join(this.#changes, 'groups'), basename(this.#changes));
    rmSync(this.#changes, { recursive: true, force: true });
  }
}

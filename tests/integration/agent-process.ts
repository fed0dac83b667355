/** The agent as a process of its own. */
import { timeDivisorName } from '../../daemon/timing.ts';
import { mainProgram } from '../support/main-program.ts';
import { addLog, until } from '../support/until.ts';

interface AgentProcessOptions {
  /** Host and port of the hub's link. */
  readonly hub: string;
  readonly code: string;
  /** URLs of the devices. */
  readonly devices: readonly string[];
  readonly passwordFile: string;
  /** Folder of its keys. */
  readonly state: string;
  /** Divisor of the waiting times; the heartbeat has its own minimum. */
  readonly timeDivisor: number;
  /** Options for cases of their own. */
  readonly more?: readonly string[];
}

const agents = new Set<AgentProcess>();

export async function killAgents(): Promise<void> {
  await Promise.all([...agents].map((agent) => agent.kill('SIGKILL')));
}

export class AgentProcess {
  readonly #child;
  readonly #read: Promise<void>;
  readonly #forget: () => void;
  #output = '';

  constructor({ hub, code, devices, passwordFile, state, timeDivisor, more = [] }: AgentProcessOptions) {
    const how = ['--hub', hub, '--code', code, '--password-file', passwordFile, '--state', state, ...more];
    const places = devices.flatMap((url) => ['--device', url]);
    this.#child = Bun.spawn([process.execPath, mainProgram, 'agent', ...how, ...places], {
      ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      env: { PATH: process.env.PATH ?? '', [timeDivisorName]: String(timeDivisor) },
    });
    this.#forget = addLog('agent', () => this.#output);
    const { stdout, stderr } = this.#child;
    this.#read = Promise.all([this.#take(stdout), this.#take(stderr)]).then(() => {});
    agents.add(this);
  }

  get pid(): number {
    return this.#child.pid;
  }

  get output(): string {
    return this.#output;
  }

  async says(text: string): Promise<void> {
    await until(() => this.#output.includes(text), 20_000, `the agent says “${text}”`);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    agents.delete(this);
    this.#child.kill(signal);
    const code = await this.#child.exited;
    await this.#read;
    this.#forget();
    return code;
  }

  exited(): Promise<number> {
    return this.#child.exited;
  }

  async #take(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of stream) this.#output += decoder.decode(part, { stream: true });
  }
}

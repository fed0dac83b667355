/** A machine beside the hub: a process in a network namespace of its own, with a cable to an interface of the hub. */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { answers, blast, echo, echoes, type Protocol } from './traffic.ts';

/** What the process does when it is told. */
const acts = {
  async answers(services: readonly (readonly [Protocol, string, number])[]): Promise<boolean[]> {
    return Promise.all(services.map((service) => answers(...service)));
  },
  async echo(protocol: Protocol, port: number): Promise<void> {
    await echo(protocol, port);
  },
  blast,
  /** Opens a connection that `isOpen` asks for later. */
  async open(host: string, port: number): Promise<boolean> {
    const socket = connect({ host, port });
    const isOpen = await echoes(socket, true);
    held.set(port, socket);
    return isOpen;
  },
  async isOpen(port: number): Promise<boolean> {
    const socket = held.get(port);
    return socket !== undefined && (await echoes(socket));
  },
  /** How many of so many connections that are opened at once answer. */
  async crowd(host: string, port: number, count: number): Promise<number> {
    const all = await Promise.all(Array.from({ length: count }, () => answers('tcp', host, port)));
    return all.filter(Boolean).length;
  },
};
const held = new Map<number, Socket>();

type Acts = typeof acts;
type Act = { [N in keyof Acts]: readonly [N, ...Parameters<Acts[N]>] }[keyof Acts];

if (import.meta.main) {
  for await (const line of console) {
    const [name, ...args] = JSON.parse(line) as Act;
    const act = acts[name] as (...given: unknown[]) => Promise<unknown>;
    console.log(JSON.stringify((await act(...args)) ?? null));
  }
}

export interface Cable {
  /** Interface of the hub. */
  readonly name: string;
  /** IPv4 and IPv6, with prefix length. */
  readonly hub: readonly string[];
  readonly peer: readonly string[];
}

export type Peer = Awaited<ReturnType<typeof plugIn>>;

/** Starts the process and connects it. */
export async function plugIn({ name, hub, peer }: Cable) {
  const child = Bun.spawn(['unshare', '--net', process.execPath, join(import.meta.dir, 'peer.ts')], {
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let turn: Promise<unknown> = Promise.resolve();
  const nextLine = async (): Promise<string> => {
    while (!text.includes('\n')) {
      const { value, done } = await lines.read();
      if (done) throw new Error(`the peer at ${name} has ended`);
      text += value;
    }
    const [line = ''] = text.split('\n', 1);
    text = text.slice(line.length + 1);
    return line;
  };
  const ask = <N extends keyof Acts>(act: N, ...args: Parameters<Acts[N]>): ReturnType<Acts[N]> => {
    const answer = turn.then(async () => {
      child.stdin.write(`${JSON.stringify([act, ...args])}\n`);
      await child.stdin.flush();
      return JSON.parse(await nextLine());
    });
    turn = answer.catch(() => {});
    return answer as ReturnType<Acts[N]>;
  };
  // It runs in its own namespace once it answers.
  await ask('answers', []);
  const far = ['nsenter', `--net=/proc/${child.pid}/ns/net`, 'ip'];
  run(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'port', 'netns', String(child.pid)]);
  for (const address of hub)
    run(['ip', 'address', 'add', address, 'dev', name, ...(address.includes(':') ? ['nodad'] : [])]);
  for (const address of peer)
    run([...far, 'address', 'add', address, 'dev', 'port', ...(address.includes(':') ? ['nodad'] : [])]);
  run(['ip', 'link', 'set', name, 'up']);
  run([...far, 'link', 'set', 'lo', 'up']);
  run([...far, 'link', 'set', 'port', 'up']);
  return {
    ask,
    async leave(): Promise<void> {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

function run(command: readonly string[]): void {
  const done = Bun.spawnSync([...command]);
  if (!done.success) throw new Error(`${command.join(' ')}: ${done.stderr}`);
}

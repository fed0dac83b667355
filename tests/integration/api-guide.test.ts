/** Runs every command of docs/api.md on a real hub with an encoder, and compares what they print with the document. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leasePort } from '../support/ports.ts';
import { until, untilSeen } from '../support/until.ts';
import { adminPassword, type HubProcess } from './hub-process.ts';
import { publish } from './live-media.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(60_000);

const text = readFileSync(join(import.meta.dir, '../../docs/api.md'), 'utf8');
const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
  language,
  code,
}));
const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);
/** What each block of commands prints, if the document says so. */
const printed = blocks.flatMap(({ language }, at) => {
  if (language !== 'sh') return [];
  const next = blocks[at + 1];
  return [next?.language === 'json' ? (JSON.parse(next.code) as unknown) : undefined];
});
const programOf = (language: string) => blocks.find((block) => block.language === language)!.code;

const secret = 'webhook-secret';
const rigHub = openRigHub({ name: 'api-guide', timeDivisor: 1 });
const folder = mkdtempSync(join(tmpdir(), 'sb-guide-'));
const hooks: Bun.Subprocess[] = [];
afterAll(() => {
  for (const hook of hooks) hook.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program of the document that receives webhooks; returns its port. */
async function startHook(command: string[], code: string, name: string): Promise<number> {
  const port = leasePort();
  const path = join(folder, name);
  writeFileSync(path, code);
  const env = { PATH: process.env.PATH ?? '', SECRET: secret };
  hooks.push(Bun.spawn([...command, path, String(port)], { env, stdout: 'ignore', stderr: 'ignore' }));
  const isOpen = () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).then(
      () => true,
      () => false,
    );
  await until(isOpen, 10_000, `${name} listens`);
  return port;
}

interface Run {
  readonly outputs: string[];
  readonly errors: string;
}

const isUpload = (code: string) => code.includes('firmware/begin-upload');
const firmware = 'no firmware';

/** Runs all blocks in one shell, as a reader would, and returns what each printed. */
async function runAll(hub: HubProcess, variables: Record<string, string>): Promise<Run> {
  const mark = '--- next block ---';
  const script = commands.map((code) => `${code}\necho '${mark}'\n`).join('');
  const child = Bun.spawn(['bash', '-c', script], {
    ...{ cwd: folder, stdin: Buffer.from(`${adminPassword}\n`), stdout: 'pipe', stderr: 'pipe' },
    env: { PATH: process.env.PATH ?? '', HUB: hub.url, SECRET: secret, ...variables },
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { outputs: output.split(`${mark}\n`), errors };
}

// Before the commands: the last of them moves the hub to another port.
test('docs/api.md lists the metrics of a hub with their meanings', async () => {
  const response = await fetch(`${rigHub.hub.url}/metrics`, { headers: rigHub.hub.headers() });
  const all = await response.text();
  const types = new Map([...all.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const shown = [...all.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [
    name,
    types.get(name),
    help,
  ]);
  const rows = [...text.matchAll(/^\| `((?:signalbox|process)_\w+)` *\| (\w+) *\| (.*?) *\|$/gm)];
  const documented = rows.map(([, ...cells]) => cells);
  expect(shown.length).toBeGreaterThan(30);
  expect(documented).toEqual(shown as string[][]);
});

describe('docs/api.md', () => {
  let run: Run;
  beforeAll(async () => {
    const { hub } = rigHub;
    await hub.api('/api/settings/set', { outgoing: { 'private-webhook': true } });
    const hook = await startHook(['python3'], programOf('python'), 'hook.py');
    writeFileSync(join(folder, 'firmware-787-0-B-2.4.288.mwf'), firmware);
    const done = runAll(hub, {
      TARGET: `srt://127.0.0.1:${leasePort()}?mode=caller`,
      HOOK: `http://127.0.0.1:${hook}/`,
      PORT: String(leasePort()),
    });
    const added = () => hub.api<{ list: { id: number }[] }>('/api/channel/dashboard').then(({ list }) => list.length);
    await untilSeen(added, (count) => count === 1, 20_000, 'the guide adds its channel');
    publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/studio-push-key`);
    run = await done;
  });

  test('its commands run to the end', () => {
    expect(run.errors).toBe('');
    expect(run.outputs).toHaveLength(commands.length + 1);
    const { done, total } = JSON.parse(run.outputs[commands.findIndex(isUpload)] ?? '');
    expect([done, total]).toEqual([firmware.length, firmware.length]);
  });

  test('they print what it says', () => {
    expect(printed.filter((value) => value !== undefined).length).toBeGreaterThan(5);
    for (const [at, value] of printed.entries()) {
      if (value === undefined) continue;
      expect([commands[at], JSON.parse(run.outputs[at] || 'null')]).toEqual([commands[at], value]);
    }
  });
});

describe('its receivers of webhooks', () => {
  const body = '{"event":"test"}';
  const now = () => String(Math.floor(Date.now() / 1000));
  const signed = (time: string, key = secret) =>
    new Bun.CryptoHasher('sha256', key).update(`${time}.${body}`).digest('hex');
  /** Time, signature, and whether the event is to be accepted. */
  const events = () => {
    const [time, old] = [now(), String(Number(now()) - 3600)];
    return [
      [time, signed(time), true],
      [time, signed(time, 'another secret'), false],
      [time, '', false],
      [old, signed(old), false],
    ] as const;
  };

  test.each([
    ['python', ['python3'], 'check.py'],
    ['js', [process.execPath], 'check.mjs'],
  ] as const)('accept in %s what the hub signed, and nothing else', async (language, command, name) => {
    const port = await startHook([...command], programOf(language), name);
    for (const [time, signature, isGood] of events()) {
      const headers = { 'signalbox-timestamp': time, 'signalbox-signature': signature };
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
      expect([time, signature, status]).toEqual([time, signature, isGood ? 204 : 401]);
    }
  });

  test('accept in a shell what the hub signed, and nothing else', () => {
    const verify = commands.find((code) => code.startsWith('verify()'))!;
    for (const [time, signature, isGood] of events()) {
      const { exitCode } = Bun.spawnSync(['bash', '-c', `${verify}\nverify "$1" "$2"`, 'verify', time, signature], {
        ...{ stdin: Buffer.from(body), env: { PATH: process.env.PATH ?? '', SECRET: secret } },
      });
      expect([time, signature, exitCode === 0]).toEqual([time, signature, isGood]);
    }
  });
});

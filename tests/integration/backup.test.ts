import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainProgram } from '../support/main-program.ts';
import { startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

/** Runs another role of the program on the hub's data folder. */
function run(dataDir: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', SIGNALBOX_DATA_DIR: dataDir, SIGNALBOX_BIND: '127.0.0.1' };
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, mainProgram, ...args], { env });
  return { exitCode, text: `${stdout}${stderr}` };
}

test('a copy that is taken while the hub runs restores the hub as it was, with its secrets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-backup-'));
  const copy = join(folder, 'copy');
  const hub = await startHub({});
  try {
    await hub.login();
    const config = { 'push-key': 'push-before', enable: true };
    const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Kept', config });
    await hub.api('/api/output/add', {
      ...{ name: 'With a secret', channel: id },
      config: { url: 'rtmp://127.0.0.1:9/live', key: 'secret-key' },
    });
    expect(run(hub.dataDir, 'health')).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining(`:${hub.ports.http}\n`),
    });
    expect(run(hub.dataDir, 'backup', copy)).toMatchObject({ exitCode: 0 });
    expect(run(hub.dataDir, 'backup', copy)).toMatchObject({ exitCode: 2 });
    await hub.api('/api/channel/add', { name: 'Added later' });

    await hub.kill('SIGTERM');
    expect(run(hub.dataDir, 'health')).toMatchObject({ exitCode: 1 });
    for (const name of readdirSync(hub.dataDir)) rmSync(join(hub.dataDir, name), { recursive: true });
    for (const name of readdirSync(copy)) renameSync(join(copy, name), join(hub.dataDir, name));
    await hub.restart();
    await hub.login();
    const { list } = await hub.api<{ list: { name: string; config: { 'push-key': string } }[] }>(
      '/api/channel/dashboard?count=10',
    );
    expect(list.map(({ name, config: { 'push-key': key } }) => [name, key])).toEqual([['Kept', 'push-before']]);
    const outputs = await hub.api<{ list: { config: { key: string } }[] }>('/api/output/list?count=10');
    expect(outputs.list.map((output) => output.config.key)).toEqual(['secret-key']);
  } finally {
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

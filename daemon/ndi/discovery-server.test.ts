import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../lib/log.ts';
import { createDiscoveryServer } from './discovery-server.ts';

test('settings that fail to take effect do not stop those after them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-server-'));
  let fails = true;
  const server = createDiscoveryServer({
    ...{ dataDir: folder, log: createLog('error', () => undefined), folders: [folder] },
    onChange() {
      if (fails) throw new Error('no');
    },
  });
  await expect(server.apply({ enabled: true, port: 1 })).rejects.toThrow('no');
  fails = false;
  await server.apply({ enabled: false, port: 1 });
  expect(server.state()).toEqual({ state: 'disabled' });
  await server.close();
  rmSync(folder, { recursive: true });
});

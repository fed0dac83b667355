import { expect, test } from 'bun:test';
import { createLog } from '../../lib/log.ts';
import { createNdiPanels, type PanelSettings } from './panels.ts';

const off: PanelSettings = { enabled: false, address: '', port: 9990, allow: [], model: '', version: '2.7' };
type Service = Parameters<typeof createNdiPanels>[0];

test('settings that fail to take effect do not stop those after them', async () => {
  let told = 0;
  let fails = true;
  const core = { tell: () => void told++ } as unknown as Service['core'];
  const panels = createNdiPanels({ core } as Service, {
    settings() {
      if (fails) throw new Error('no');
      return off;
    },
    hubName: () => '',
    clock: { after: () => () => undefined },
    log: createLog('error', () => undefined),
  });
  await expect(panels.apply()).rejects.toThrow('no');
  fails = false;
  await panels.apply();
  expect(told).toBe(1);
  await panels.close();
});

import { expect, test } from 'bun:test';
import { ndiServerGroup, videohubGroup } from './ndi.ts';

test('the operation log has its own words for the discovery server, other than those for panels', () => {
  const server = ndiServerGroup(() => undefined, true);
  expect(server.describe({ enabled: true, port: 5959 })).toEqual([{ word: 'ndiServerOn', value: '5959' }]);
  expect(server.describe(server.initial)).toEqual([{ word: 'ndiServerOff' }]);
  const panels = videohubGroup(() => undefined, true);
  expect(panels.describe(panels.initial)).toEqual([{ word: 'panelsOff' }]);
});

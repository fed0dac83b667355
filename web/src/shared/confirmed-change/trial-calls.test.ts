import { expect, test } from 'bun:test';
import { answerCalls } from '../../ui/render-for-test.tsx';
import type { Trial } from './trial.ts';
import { askTrial, confirmTrial } from './trial-calls.ts';

const trial: Trial = {
  ...{ kind: 'web', token: undefined, revision: 7, beganAt: 0, endsAt: 60_000, addresses: ['https://hub.test/'] },
};
const settings = (more: object) => answerCalls({ '/api/settings/get': { result: 0, ...more } });

test('a change of the console that is neither kept nor undone waits', async () => {
  settings({ unconfirmed: { web: 60_000 }, revision: { web: 7 } });
  expect(await askTrial(trial)).toEqual({ state: 'waiting' });
});

test.each([
  ['the settings are those of the change', 7, 'confirmed'],
  ['the hub has returned to those before', 8, 'expired'],
] as const)('once it no longer waits, its end is known: %s', async (_, web, outcome) => {
  settings({ revision: { web } });
  expect(await askTrial(trial)).toEqual({ state: 'ended', outcome });
});

test('it is confirmed in the settings, other changes by their token', async () => {
  const asked = answerCalls({});
  await confirmTrial(trial);
  await confirmTrial({ ...trial, kind: 'network', token: 'T' });
  expect(asked).toEqual([
    { path: '/api/settings/confirm', body: { group: 'web' } },
    { path: '/api/network/confirm', body: { token: 'T' } },
  ]);
});

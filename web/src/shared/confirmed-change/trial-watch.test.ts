import { expect, test } from 'bun:test';
import { createTrialWatch, returnMs, type Said, type TrialView } from './trial-watch.ts';

const origin = 'http://192.0.2.10';
const endsAt = 60_000;

function watch(addresses: readonly string[], said: (Said | undefined)[], { now = 1000 } = {}) {
  const views: TrialView[] = [];
  let confirmed = 0;
  const look = createTrialWatch({
    ...{ trial: { kind: 'network', token: 'T', beganAt: 0, endsAt, addresses }, origin, now: () => now },
    ask: async () => said.shift(),
    async confirm() {
      confirmed += 1;
      throw new Error('the address has just gone');
    },
    onView: (view) => void views.push(view),
  });
  return { views, look, confirmed: () => confirmed };
}

test('where the address stays, the change is confirmed once it is in effect, not before', async () => {
  const { look, views, confirmed } = watch([`${origin}/`], [{ state: 'applying' }, { state: 'waiting' }]);
  await look();
  expect(confirmed()).toBe(0);
  await look();
  expect(confirmed()).toBe(1);
  expect(views).toEqual([
    { phase: 'trying', answers: true },
    { phase: 'trying', answers: true },
  ]);
});

test('an answer at an address that the console leaves does not confirm the change', async () => {
  const { look, confirmed } = watch(['http://192.0.2.20/'], [{ state: 'waiting' }]);
  await look();
  expect(confirmed()).toBe(0);
});

test('how it ended is shown as the hub says it', async () => {
  const { look, views } = watch(['http://192.0.2.20/'], [{ state: 'ended', outcome: 'failed', failure: 'noDhcp' }]);
  await look();
  expect(views).toEqual([{ phase: 'ended', outcome: 'failed', failure: 'noDhcp' }]);
});

test('a hub that does not answer is lost only after it has had time to return', async () => {
  const soon = watch(['http://192.0.2.20/'], [undefined], { now: endsAt + returnMs - 1 });
  await soon.look();
  expect(soon.views).toEqual([{ phase: 'trying', answers: false }]);
  const late = watch(['http://192.0.2.20/'], [undefined], { now: endsAt + returnMs });
  await late.look();
  expect(late.views).toEqual([{ phase: 'lost' }]);
});

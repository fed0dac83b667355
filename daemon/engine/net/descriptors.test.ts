import { expect, test } from 'bun:test';
import { closeSync, openSync } from 'node:fs';
import { createDescriptors, ownDescriptors } from './descriptors.ts';

function setup(limit: number, inUse: number) {
  let used = inUse;
  const reported: string[] = [];
  const descriptors = createDescriptors({
    count: { limit, used: () => used },
    onPart: ({ reason = '', message = '' }) => reported.push(`${reason}: ${message}`),
    onPartDropped: (name) => reported.push(`${name} dropped`),
  });
  const tick = (now: number) => {
    used = now;
    descriptors.tick();
  };
  return { descriptors, reported, tick };
}

test('players are refused when only the reserve is left, also between two counts', () => {
  const { descriptors, reported } = setup(256, 100);
  const refusals = Array.from({ length: 120 }, () => descriptors.refusesPlayer());
  expect(refusals.filter((refusal) => refusal === undefined)).toHaveLength(92);
  expect(refusals.at(-1)).toContain('few file descriptors');
  expect(reported).toHaveLength(1);
  expect(reported[0]).toStartWith('fewLeft: fewer than 64 of 256 ');
  expect(reported[0]).toContain('LimitNOFILE');
});

test('players are accepted again once clearly more than the reserve is free', () => {
  const { descriptors, reported, tick } = setup(256, 100);
  tick(200);
  tick(190);
  expect(descriptors.refusesPlayer()).toBeDefined();
  tick(159);
  expect(descriptors.refusesPlayer()).toBeUndefined();
  expect(reported).toEqual([expect.stringContaining('fewLeft'), 'descriptors dropped']);
});

test('a large limit has a reserve of 256, and without a limit players are never refused', () => {
  expect(setup(65_536, 65_279).descriptors.refusesPlayer()).toBeUndefined();
  expect(setup(65_536, 65_280).descriptors.refusesPlayer()).toBeDefined();
  expect(setup(Number.POSITIVE_INFINITY, 1_000_000).descriptors.refusesPlayer()).toBeUndefined();
});

test('the open descriptors of this process are counted', () => {
  const { limit, used } = ownDescriptors();
  const before = used();
  const files = Array.from({ length: 20 }, () => openSync('/dev/null', 'r'));
  const during = used();
  for (const file of files) closeSync(file);
  expect(during - before).toBeGreaterThanOrEqual(20);
  expect(limit).toBeGreaterThan(during);
});

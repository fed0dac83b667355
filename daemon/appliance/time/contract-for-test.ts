/** What every clock does, also the double. */
import { expect, test } from 'bun:test';
import { untilSeen } from '../../../tests/support/until.ts';
import { byHub } from '../helper/operations.ts';
import type { TimePort } from './port.ts';

interface Servers {
  /** Answers. */
  readonly good: string;
  /** Does not. */
  readonly dead: string;
}

export function describeTime(create: () => TimePort, { good, dead }: Servers): void {
  test('follows the server that answers, and shows the other as unreachable', async () => {
    const time = create();
    await time.apply({ ntp: { enabled: true, servers: [good, dead] } }, byHub);
    expect(await time.ntp()).toEqual({ enabled: true, servers: [good, dead] });
    const { offsetMs, sources } = await untilSeen(
      () => time.synchronization(),
      ({ state }) => state === 'synchronized',
      15_000,
      'the clock follows NTP',
    );
    expect(Math.abs(offsetMs ?? Number.POSITIVE_INFINITY)).toBeLessThan(1000);
    expect(sources.map(({ name, state }) => [name, state])).toEqual([
      [good, 'selected'],
      [dead, 'unreachable'],
    ]);
    expect(sources[0]?.stratum).toBeGreaterThan(0);
    expect(sources[1]?.offsetMs).toBeUndefined();
  });

  test('has no servers while NTP is off, and keeps their names', async () => {
    const time = create();
    await time.apply({ ntp: { enabled: false, servers: [good] } }, byHub);
    expect(await time.ntp()).toEqual({ enabled: false, servers: [good] });
    const { sources } = await untilSeen(
      () => time.synchronization(),
      (now) => now.sources.length === 0,
      10_000,
      'it has no servers',
    );
    expect(sources).toEqual([]);
  });

  test('is not set by hand while NTP is on', async () => {
    const time = create();
    await time.apply({ ntp: { enabled: true, servers: [good] } }, byHub);
    await expect(time.set(Date.now(), byHub)).rejects.toMatchObject({ result: 'wrongState' });
  });

  test('takes a time zone of its list, and leaves NTP alone', async () => {
    const time = create();
    const before = await time.ntp();
    const zones = await time.zones();
    expect(zones).toContain('Europe/Berlin');
    expect(zones.toSorted()).toEqual([...zones]);
    for (const zone of ['Europe/Berlin', 'Asia/Shanghai']) {
      await time.apply({ zone }, byHub);
      expect(await time.zone()).toBe(zone);
    }
    expect(await time.ntp()).toEqual(before);
  });
}

import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { deviceHub } from './device-hub-for-test.ts';

const code = async ({ post }: Awaited<ReturnType<typeof deviceHub>>, text: string) =>
  expect(await post('settings/set', { security: { 'enable-code': true, 'code-value': text } })).toMatchObject({
    result: 0,
  });

test('without the invitation code nothing is stored, and an address has five attempts per minute', async () => {
  const hub = await deviceHub();
  await code(hub, '4711');
  const wrong = (sn: string, remote: string) => hub.apply(sn, 'key', { invitationCode: '4712' }, remote);
  for (const sn of ['A', 'B', 'C', 'D', 'E']) expect(wrong(sn, '192.0.2.1')).toEqual({ state: 'wrongCode' });
  expect(hub.apply('F', 'key', { invitationCode: '' }, '192.0.2.2')).toEqual({ state: 'wrongCode' });
  expect(await hub.sns('reg-state=waiting')).toEqual([]);
  // The right code does not help either: otherwise the limit would tell which one is right.
  expect(hub.apply('A', 'key', {}, '192.0.2.1')).toEqual({ retryMs: 60_000 });
  expect(hub.apply('A', 'key', {}, '192.0.2.2')).toEqual({ state: 'waiting' });
  expect(await hub.sns('reg-state=waiting')).toEqual(['A']);
  // A known device needs no code.
  expect(wrong('A', '192.0.2.1')).toEqual({ state: 'waiting' });
});

test('a serial number has twenty attempts per hour, from whatever addresses', async () => {
  const hub = await deviceHub();
  await code(hub, '4711');
  for (let at = 1; at <= 20; at++) {
    const admission = hub.apply('A', 'key', { invitationCode: 'x' }, `192.0.2.${at}`);
    expect(admission).toEqual({ state: 'wrongCode' });
  }
  expect(hub.apply('A', 'key', {}, '192.0.2.99')).toEqual({ retryMs: 60_000 });
  expect(hub.apply('B', 'key', {}, '192.0.2.99')).toEqual({ state: 'waiting' });
});

test('names of agents have no characters that break lines', async () => {
  const { apply, get } = await deviceHub();
  apply('A', 'key', { name: 'Hall\r\n\u202eA', model: 'M\u0000', firmwareVersion: '1\ud83d' });
  const [device] = (await get('device/list?reg-state=waiting')).list;
  expect(device).toMatchObject({ name: 'Hall A', 'module-name': 'M', 'firmware-ver': '1' });
});

test('what no agent sends is illegal', async () => {
  const { apply, sns } = await deviceHub();
  expect(apply('A', 'key', { api: 'telnet' })).toEqual({ state: 'illegal' });
  expect(apply('A', 'key', { productId: 'x' })).toEqual({ state: 'illegal' });
  expect(apply('A', 'key', { password: 'x'.repeat(200) })).toEqual({ state: 'illegal' });
  expect(await sns('reg-state=waiting')).toEqual([]);
});

test('a serial number that is known with another key is not attached, and the system log has a warning', async () => {
  const { apply, lines, add } = await deviceHub();
  apply('A');
  expect(apply('A', 'other')).toEqual({ state: 'exists' });
  await add('B');
  expect(apply('B')).toEqual({ state: 'exists' });
  expect(lines.filter((line) => line.includes('states the serial number of a known device'))).toHaveLength(2);
});

test('the hub signs in with what the agent sent last, and stores the password sealed', async () => {
  const { apply, post, fleet, db, query } = await deviceHub();
  apply('A', 'key', { user: 'Admin', password: 'of-the-agent' });
  await post('device/accept', { sn: 'A' });
  await until(() => fleet.asked.length === 1);
  expect(fleet.asked[0]?.credentials).toEqual({ user: 'Admin', password: 'of-the-agent' });
  apply('A', 'key', { user: 'Admin', password: 'a-newer-one' });
  expect(fleet.asked[0]?.credentials).toEqual({ user: 'Admin', password: 'a-newer-one' });
  expect(JSON.stringify(db.$client.query('SELECT * FROM devices').all())).not.toContain('a-newer-one');
  expect(JSON.stringify(await query('A'))).not.toContain('a-newer-one');
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { untilSeen } from '../../../tests/support/until.ts';
import { createApplianceDouble } from '../../appliance/double-for-test.ts';
import type { Firewall } from '../../contract/firewall.ts';
import { limits } from '../../contract/limits.ts';
import { firewallRules, operationLog } from '../../store/schema.ts';

type Hub = Awaited<ReturnType<typeof composedHub>>;

let appliance: ReturnType<typeof createApplianceDouble>;
let hub: Hub;
let admin: string;

beforeEach(async () => {
  appliance = createApplianceDouble();
  hub = await composedHub({ appliance, env: { SIGNALBOX_VARIANT: 'hardware' } });
  admin = await hub.signIn('Admin');
});
afterEach(async () => {
  await hub.hub.close();
  hub.remove();
});

const firewall = () => appliance.double.firewall;
const get = async (of: Hub = hub): Promise<Firewall & { result: number }> =>
  of.json('/api/firewall/get', { as: of === hub ? admin : await of.signIn('Admin') });
const post = (call: string, body: object) => hub.post(`/api/firewall/${call}`, body, admin);
const addRule = async (port: string, more: object = {}): Promise<number> => {
  const answer = await post('rule/add', { port, protocol: 2, ...more });
  expect(answer).toMatchObject({ result: 0, 'confirm-by-s': 0 });
  return answer.id;
};
const operations = () =>
  hub.db
    .select()
    .from(operationLog)
    .all()
    .filter(({ action }) => /firewall|change/.test(action))
    .map(({ user, action, detail }) => `${user} ${action} ${detail}`.trim());
const inEffect = () => firewall().applied.at(-1)?.setup;
/** The second Ethernet port of the double. */
const wanOf = async () => (await get()).wan;

describe('the firewall of an appliance', () => {
  test('is open before the first change, on the second Ethernet port', async () => {
    hub.hub.start();
    expect(await get()).toMatchObject({ result: 0, mode: 1, rules: [], state: 'applied', missing: [] });
    expect(await wanOf()).toEqual(['eth1']);
    expect(inEffect()).toMatchObject({ mode: 1, wan: ['eth1'] });
  });

  test('opens what enabled rules name, in mode -1', async () => {
    const id = await addRule('5000-5010', { protocol: 0, remark: 'cameras' });
    await addRule('6000', { protocol: 1, enabled: false });
    expect(await post('set', { mode: -1 })).toMatchObject({ result: 0, revision: 2 });
    expect(inEffect()?.rules).toEqual([{ id, first: 5000, last: 5010, tcp: true, udp: false }]);
    expect(firewall().lets({ on: 'eth1', protocol: 'tcp', port: 5005 }, 100)).toBe(true);
    expect(firewall().lets({ on: 'eth1', protocol: 'udp', port: 6000 })).toBe(false);
    expect(await get()).toMatchObject({
      mode: -1,
      rules: [
        { id, port: '5000-5010', protocol: 0, remark: 'cameras', enabled: true, packets: 1, bytes: 100 },
        { port: '6000', enabled: false, packets: 0 },
      ],
      refused: { packets: 1 },
    });
    expect(firewall().applied.at(-1)?.by).toBe('Admin');
  });

  test('F3: refuses ports and ranges that are none, naming the rule, and more rules than it can have', async () => {
    for (const port of [
      '0',
      '65536',
      '5010-5000',
      '5000-5000',
      '5000-',
      '-1',
      'http',
      '5000, 5001',
      ' 5000',
      '1e3',
      '',
    ]) {
      const refused = { result: 7, fields: [{ path: 'port', rule: port === '' ? 'required' : 'portRange' }] };
      expect(await post('rule/add', { port, protocol: 0 })).toMatchObject(refused);
    }
    expect(await post('rule/add', { port: '1', protocol: 3 })).toMatchObject({
      result: 7,
      fields: [{ path: 'protocol' }],
    });
    const rules = Array.from({ length: limits.firewall.count - 1 }, (_, at) => ({ port: String(at + 1) }));
    const same = { protocol: 0, remark: '', enabled: true };
    hub.db
      .insert(firewallRules)
      .values(rules.map((rule) => ({ ...rule, ...same })))
      .run();
    await addRule('9000');
    expect((await get()).rules).toHaveLength(256);
    expect(await post('rule/add', { port: '9000', protocol: 0 })).toMatchObject({
      ...{ result: 17, params: { what: 'rules', limit: 256 } },
    });
  });

  test('F4: what the packet filter refuses is not stored, and the rules before stay', async () => {
    const id = await addRule('5000');
    await post('set', { mode: -1 });
    const before = await get();
    firewall().failWith('refused');
    expect(await post('rule/add', { port: '6000', protocol: 0 })).toMatchObject({ result: 13 });
    expect(await post('rule/set', { id, port: '7000' })).toMatchObject({ result: 13 });
    expect(await post('rule/del', { id })).toMatchObject({ result: 13 });
    expect(await post('set', { mode: 0 })).toMatchObject({ result: 13 });
    firewall().failWith(undefined);
    expect(await get()).toEqual(before);
  });

  test('F7: what was removed by hand is applied again, and recorded', async () => {
    hub.hub.start();
    await post('set', { mode: 0 });
    firewall().flush();
    expect(firewall().lets({ on: 'eth1', protocol: 'tcp', port: 22 })).toBe(true);
    expect(await get()).toMatchObject({ state: 'applied' });
    expect(firewall().lets({ on: 'eth1', protocol: 'tcp', port: 22 })).toBe(false);
    expect(operations().at(-1)).toBe('firewall.restore');
  });

  test('F8: with stored rules that are damaged, only the console is open, until the next change removes them', async () => {
    const good = await addRule('5000');
    await addRule('6000');
    await post('set', { mode: 1 });
    hub.db.$client.run(`UPDATE firewall_rules SET port = 'all' WHERE id <> ${good}`);
    const next = await composedHub({ appliance, env: { SIGNALBOX_VARIANT: 'hardware' }, db: hub.db, isSetUp: false });
    try {
      next.hub.start();
      expect(await get(next)).toMatchObject({ state: 'damaged', mode: 0, rules: [{ id: good }] });
      expect(inEffect()).toMatchObject({ mode: 0 });
      const as = await next.signIn('Admin');
      expect(await next.post('/api/firewall/set', { mode: -1 }, as)).toMatchObject({ result: 0 });
      expect(await get(next)).toMatchObject({ state: 'applied', mode: -1, rules: [{ id: good }] });
    } finally {
      await next.hub.close();
      next.remove();
    }
  });

  test('F9: a remark is stored as it is and never reaches the packet filter', async () => {
    const remark = '"\'; drop\n$(reboot) <script>alert(1)</script> { accept }';
    await addRule('5000', { remark });
    await post('set', { mode: -1 });
    expect((await get()).rules[0]?.remark).toBe(remark);
    expect(JSON.stringify(firewall().applied)).not.toContain('reboot');
    expect(operations()[0]).not.toContain('\n');
    const long = await post('rule/add', { port: '5001', protocol: 0, remark: 'x'.repeat(10_240) });
    expect(long).toMatchObject({ result: 7, fields: [{ path: 'remark', rule: 'tooLong', params: { max: 255 } }] });
  });

  test('names the part that is missing, and changes nothing without it', async () => {
    for (const [fault, part] of [
      ['noHelper', 'helper'],
      ['noNftables', 'nftables'],
    ] as const) {
      firewall().failWith(fault);
      expect(await get()).toMatchObject({ result: 0, state: 'unknown', missing: [{ part, fault: 'absent' }] });
      expect(await post('set', { mode: 0 })).toMatchObject({ result: 9, params: { part } });
      expect(await post('rule/add', { port: '5000', protocol: 0 })).toMatchObject({ result: 9, params: { part } });
    }
    firewall().failWith(undefined);
    expect(await get()).toMatchObject({ state: 'applied', mode: 1, rules: [], missing: [] });
  });

  test('shows where the hub listens and whether other machines get there', async () => {
    await addRule('1935', { protocol: 0 });
    await post('set', { mode: -1 });
    const { listening } = await get();
    expect(listening).toContainEqual({ port: '8000', protocol: 1, service: 'srt', name: '', open: false });
    expect(listening).toContainEqual({ port: '1935', protocol: 0, service: 'rtmp', name: '', open: true });
    const input = { srt: { mode: 'listener', host: '0.0.0.0', port: 9100, latency: 200 } };
    const added = await hub.post('/api/input/source/add', { name: 'Studio', config: input }, admin);
    const channel = await hub.post('/api/channel/add', { name: 'One' }, admin);
    await hub.post('/api/channel/input/set', { id: channel.id, input: added.id }, admin);
    const place = { port: '9100', protocol: 1, service: 'input', name: 'Studio', open: false } as const;
    expect((await get()).listening).toContainEqual(place);
  });

  test('records who changed what', async () => {
    const id = await addRule('5000-5010', { protocol: 1, remark: 'cameras' });
    await post('rule/set', { id, port: '5000-5020', enabled: false });
    await post('set', { mode: -1 });
    await post('rule/del', { id });
    expect(operations()).toEqual([
      'Admin firewall.addRule UDP 5000-5010: remark cameras',
      'Admin firewall.setRule UDP 5000-5010: ports 5000-5020, enabled false',
      'Admin firewall.set mode rules',
      'Admin firewall.delRule UDP 5000-5020',
    ]);
  });

  test('a change that is based on an older revision is refused', async () => {
    const id = await addRule('5000');
    const { revision } = await post('rule/set', { id, remark: 'one', revision: 1 });
    expect(revision).toBe(2);
    expect(await post('rule/set', { id, remark: 'two', revision: 1 })).toMatchObject({ result: 1004 });
    await post('set', { mode: 0, revision: 1 });
    expect(await post('set', { mode: 1, revision: 1 })).toMatchObject({ result: 1004 });
    expect(await post('rule/set', { id: id + 7, remark: 'x' })).toMatchObject({ result: 16 });
  });
});

describe('a change of the firewall that has to be confirmed', () => {
  test('takes effect at once, is stored when it is confirmed, and keeps others from changing anything until then', async () => {
    const { token, id } = await post('rule/add', { port: '5000', protocol: 0, 'confirm-within': 60 });
    expect(await get()).toMatchObject({ rules: [{ id, port: '5000' }] });
    const busy = { result: 1004, params: { user: 'Admin' } };
    expect(await post('set', { mode: 0 })).toMatchObject(busy);
    expect(await post('rule/add', { port: '6000', protocol: 0, 'confirm-within': 60 })).toMatchObject(busy);
    // The change is in effect when its answer has left.
    const confirm = () => hub.post('/api/network/confirm', { token });
    const answer = await untilSeen(confirm, ({ result }) => result !== 4);
    expect(answer).toMatchObject({ result: 0, kind: 'firewall' });
    expect(await get()).toMatchObject({ rules: [{ id, port: '5000' }] });
    expect(await post('set', { mode: 0 })).toMatchObject({ result: 0 });
    expect(operations()).toEqual([
      'Admin firewall.addRule TCP 5000: to be confirmed within 60 s',
      'Admin change.confirm firewall',
      'Admin firewall.set mode closed',
    ]);
  });

  test('is undone when it is canceled', async () => {
    await addRule('5000');
    await post('set', { mode: -1, 'confirm-within': 60 });
    expect(inEffect()?.mode).toBe(-1);
    expect(await hub.post('/api/network/cancel', {}, admin)).toMatchObject({ result: 0 });
    expect(inEffect()?.mode).toBe(1);
    expect(await get()).toMatchObject({ mode: 1, state: 'applied' });
  });

  test('is refused with its reason before it waits for anything', async () => {
    firewall().failWith('refused');
    expect(await post('set', { mode: 0, 'confirm-within': 60 })).toMatchObject({ result: 13 });
    firewall().failWith(undefined);
    expect(await post('set', { mode: 0 })).toMatchObject({ result: 0 });
    expect(await hub.signIn('Admin', adminPassword)).toBeString();
  });
});

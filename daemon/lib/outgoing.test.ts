import { expect, test } from 'bun:test';
import { networkInterfaces } from 'node:os';
import {
  createOutgoing,
  type Destination,
  type Lookup,
  OutgoingError,
  type OutgoingRules,
  refusalOf,
  systemLookup,
} from './outgoing.ts';

const rules: OutgoingRules = { allowsPrivate: true, setting: 'outgoing.test', closedPorts: [8880] };
const closed: OutgoingRules = { ...rules, allowsPrivate: false };

const outgoingWith = (given: OutgoingRules, lookup: Lookup = systemLookup) =>
  createOutgoing({ rules: () => given, lookup, lookupMs: 5000, connectMs: 2000 });

async function faultOf(given: OutgoingRules, destination: Destination): Promise<string> {
  const outcome = await outgoingWith(given)
    .resolve(destination)
    .catch((error: unknown) => error);
  if (!(outcome instanceof OutgoingError)) throw new Error(`resolved as ${outcome}`);
  return `${outcome.fault}: ${outcome.message}`;
}

/** The system's resolver parses these like `inet_aton`. */
const loopbackNames = ['localhost', '2130706433', '0x7f.1', '127.1', '::ffff:127.0.0.1', '::1', '127.0.0.1'];

test.each(loopbackNames)('%s is private, however it is written', async (host) => {
  expect(await faultOf(closed, { host, port: 1 })).toContain(
    'is a private address, and the setting outgoing.test is off',
  );
  const [address] = await outgoingWith(rules).resolve({ host, port: 1 });
  expect(['127.0.0.1', '::1']).toContain(address);
});

test.each(['169.254.169.254', '2852039166', '::ffff:169.254.169.254', '0.0.0.0', '0', '::', '255.255.255.255'])(
  '%s is refused whatever the setting says',
  async (host) => {
    expect(await faultOf(rules, { host, port: 80 })).toContain('the hub never connects to');
  },
);

test('a multicast group is allowed only for sending datagrams', async () => {
  expect(await faultOf(rules, { host: '239.1.1.1', port: 5000 })).toContain('is a multicast group');
  const found = await outgoingWith(closed).resolve({ host: '239.1.1.1', port: 5000, takesGroups: true });
  expect(found).toEqual(['239.1.1.1']);
});

test('ports of the hub itself are closed at every address of this machine, and nowhere else', () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  for (const address of ['127.0.0.1', '127.0.0.9', '::1', ...own.filter((one) => !/^(fe80|169\.254)/.test(one))]) {
    expect(refusalOf(address, { port: 8880 }, rules)).toBe("port 8880 is the hub's own");
    expect(refusalOf(address, { port: 1935 }, rules)).toBeUndefined();
  }
  expect(refusalOf('198.51.100.7', { port: 8880 }, closed)).toBeUndefined();
});

test('an unknown name is distinguished from an address that is not allowed', async () => {
  expect(await faultOf(rules, { host: 'no-such-host.invalid', port: 1 })).toBe('unknownName: host name not found');
  expect(await faultOf(rules, { host: '::1', port: 1, family: 4 })).toBe('unknownName: not an IPv4 address');
});

test('the setting is read for each connection', async () => {
  let current = closed;
  const outgoing = createOutgoing({ rules: () => current, lookup: systemLookup, lookupMs: 5000, connectMs: 2000 });
  await expect(outgoing.resolve({ host: '10.0.0.1', port: 1 })).rejects.toThrow('10.0.0.1 is a private address');
  current = rules;
  expect(await outgoing.resolve({ host: '10.0.0.1', port: 1 })).toEqual(['10.0.0.1']);
});

test('only the allowed addresses of a name remain', async () => {
  const answers = ['127.0.0.1', '198.51.100.7', '169.254.169.254', '10.0.0.1', '203.0.113.9'];
  expect(await outgoingWith(closed, async () => answers).resolve({ host: 'mixed.example', port: 1 })).toEqual([
    '198.51.100.7',
    '203.0.113.9',
  ]);
});

test('the first of several addresses that accepts a connection is chosen', async () => {
  const server = Bun.listen({ hostname: '127.0.0.3', port: 0, socket: { data: () => {} } });
  const outgoing = outgoingWith(rules, async () => ['127.0.0.2', '127.0.0.3', '127.0.0.4']);
  expect(await outgoing.choose({ host: 'several.example', port: server.port })).toBe('127.0.0.3');
  server.stop(true);
});

test('a resolver that does not answer times out', async () => {
  const options = { rules: () => rules, lookup: () => new Promise<never>(() => {}), lookupMs: 1, connectMs: 1 };
  const outcome = await createOutgoing(options)
    .resolve({ host: 'slow.example', port: 1 })
    .catch((error: unknown) => error);
  expect(outcome).toMatchObject({ fault: 'lookupFailed' });
});

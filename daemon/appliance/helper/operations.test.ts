import { describe, expect, test } from 'bun:test';
import { type ArgsOf, HelperRefusal, membersOf, type OperationName, operations, requestIn } from './operations.ts';

/** A valid request of every operation: the tests below put other values into each place of them. */
const examples: { readonly [N in OperationName]: ArgsOf<N> } = {
  'firewall.apply': {
    setup: {
      ...{ mode: -1, wan: ['eth1', 'enp3s0.100'], console: [80, 443] },
      rules: [{ id: 1, first: 5000, last: 5010, tcp: true, udp: false }],
    },
  },
  'firewall.read': {},
  'time.apply': { ntp: { enabled: true, servers: ['ntp.example.org', '2001:db8::1'] }, zone: 'Europe/Berlin' },
  'time.set': { at: Date.UTC(2026, 0) },
  'host-name.set': { name: 'hub-1' },
  'system.reboot': {},
  'port.blink': { interface: 'eth0', seconds: 10 },
  'system.reset': { area: 'time' },
};
const asker = { user: 'Admin', address: '192.168.1.7' };
const requests = Object.entries(examples).map(([op, args]) => ({ op, ...asker, ...args }));

const hostile = [
  ...['/etc/passwd', '../../etc/shadow', './x', 'a/b', '~/x', 'file:///etc/passwd'],
  ...['ssh.service', 'signalbox@1.socket', 'reboot.target'],
  ...['$(reboot)', '`reboot`', ';reboot', '|sh', '&& reboot', 'a b', "'", '"', '\\', '-x', '--file=/etc/passwd'],
  ...['a\nb', 'a\0b', '\u001b[2J', '*', '{ drop }', '@open_tcp', ''],
];

type Place = readonly (string | number)[];

const readRequest = (line: string) => requestIn(membersOf(line));

/** Every place of a value, the operation itself excepted. */
function placesOf(value: unknown, place: Place = []): Place[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) =>
          placesOf(part, [...place, Array.isArray(value) ? Number(name) : name]),
        )
      : [];
  return place.length === 0 ? inner.filter(([name]) => name !== 'op') : [place, ...inner];
}

function withValue(value: unknown, [name, ...rest]: Place, put: unknown): unknown {
  if (name === undefined) return put;
  if (Array.isArray(value)) return value.with(Number(name), withValue(value[Number(name)], rest, put));
  return { ...(value as object), [name]: withValue((value as Record<string, unknown>)[name], rest, put) };
}

function faultOf(request: unknown): string {
  try {
    readRequest(JSON.stringify(request));
    return 'accepted';
  } catch (error) {
    if (error instanceof HelperRefusal) return error.fault;
    throw error;
  }
}

test('the examples are valid', () => {
  expect(Object.keys(examples)).toEqual(Object.keys(operations));
  for (const request of requests) {
    const { op, asker: by, args } = readRequest(JSON.stringify(request));
    expect<unknown>({ op, ...by, ...args }).toEqual(request);
  }
});

describe('A12: the helper refuses', () => {
  test.each(requests)('a path, a unit or a word of a shell in each place of $op', (request) => {
    for (const place of placesOf(request)) {
      // The hub itself has no name and no address.
      const texts = hostile.filter((text) => {
        if (text === '') return !['user', 'address'].includes(String(place[0]));
        // The name of a unit is also that of a host, and stays one.
        return !(place.includes('servers') && place.length > 2 && /^[a-z]+\.[a-z]+$/.test(text));
      });
      for (const text of texts) {
        expect({ place, text, fault: faultOf(withValue(request, place, text)) }).toEqual({
          ...{ place, text, fault: 'badRequest' },
        });
      }
    }
  });

  test.each(requests)('a value of another kind in each place of $op', (request) => {
    for (const place of placesOf(request)) {
      for (const value of [null, -2, 1.5, 65_536, 1e300, {}, [[]], [{}]]) {
        const fault = faultOf(withValue(request, place, value));
        // A number may be valid where numbers are: the id of a rule has any size.
        if (fault === 'accepted')
          expect({ place, value }).toEqual({ place: ['setup', 'rules', 0, 'id'], value: 65_536 });
      }
    }
  });
});

describe('A11: the helper refuses', () => {
  test('an unknown operation, also one that every object has', () => {
    for (const op of ['firewall.flush', 'toString', '__proto__', 'constructor', '', 7, null, ['firewall.read']]) {
      expect(faultOf({ ...asker, op })).toBe('unknownOperation');
    }
  });

  test.each(requests)('a further member in each object of $op', (request) => {
    const objects = [[], ...placesOf(request)].filter((place) => isObject(valueAt(request, place)));
    for (const place of objects) {
      for (const name of ['path', 'remark', 'toString', '__proto__']) {
        const text = JSON.stringify(withValue(request, [...place, 'later'], 1)).replaceAll('"later"', `"${name}"`);
        expect(() => readRequest(text)).toThrow(/has a member that it must not have/);
      }
    }
  });

  test('a line that is not a JSON object', () => {
    for (const line of ['', 'firewall.read', '[]', 'null', '"firewall.read"', '{"op":"firewall.read"', '{}{}']) {
      expect(() => readRequest(line)).toThrow(HelperRefusal);
    }
  });

  test('and says nothing of what was sent', () => {
    const request = { op: 'firewall.read', ...asker, 'secret\nword': 'secret' };
    expect(() => readRequest(JSON.stringify(request))).toThrow(/^firewall\.read has a member that it must not have$/);
  });
});

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((inner, name) => (inner as Record<string | number, unknown>)[name], value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

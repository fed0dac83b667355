import { describe, expect, test } from 'bun:test';
import { allSources, ntpConfigOf, onlyOurSources, sourcesOf, sourcesText, synchronizationOf } from './chrony.ts';
import { describeTime } from './contract-for-test.ts';
import { createTimeDouble } from './double-for-test.ts';

describe('the double', () => {
  const { port } = createTimeDouble();
  describeTime(() => port, { good: 'good.example', dead: 'dead.example' });
});

/** As chrony 4.3 printed it. */
const sources = `^,*,192.168.50.1,3,1,377,1,-0.000004,-0.000012,0.000231
^,?,ntp2.example.org,0,6,0,4294967295,0.000000,0.000000,0.000000
^,x,192.168.50.7,2,6,17,4,1.500000,1.500000,0.010000
`;
const tracking =
  'C0A83201,192.168.50.1,4,1795692000.123456789,-0.000004120,0.000001,0.000002,-1.2,0.0,0.1,0.0002,0.0001,2.0,Normal\n';

test('the output of chrony is read', () => {
  expect(synchronizationOf(tracking, sources)).toEqual({
    ...{ state: 'synchronized', offsetMs: 0.00412 },
    sources: [
      { name: '192.168.50.1', state: 'selected', stratum: 3, offsetMs: 0.012 },
      { name: 'ntp2.example.org', state: 'unreachable', stratum: 0 },
      { name: '192.168.50.7', state: 'wrong', stratum: 2, offsetMs: -1500 },
    ],
  });
  const unsynchronized = '00000000,,0,0.000000000,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n';
  expect(synchronizationOf(unsynchronized, '')).toEqual({ state: 'waiting', sources: [] });
  for (const broken of ['', '\n', 'nonsense', '^,*,a', '506 Cannot talk to daemon']) {
    expect([synchronizationOf(broken, broken).state, sourcesOf(broken)]).toEqual(['waiting', []]);
  }
});

test.each([
  { enabled: true, servers: ['ntp.example.org', '2001:db8::1'] },
  { enabled: false, servers: ['ntp.example.org'] },
  { enabled: false, servers: [] },
])('the file of servers says what was written: %p', (config) => {
  expect(ntpConfigOf(sourcesText(config))).toEqual(config);
});

test('in the configuration of chrony, only the file of servers names any', () => {
  const debian = `# Welcome to the chrony configuration file.
confdir /etc/chrony/conf.d
pool 2.debian.pool.ntp.org iburst
sourcedir /run/chrony-dhcp
sourcedir /etc/chrony/sources.d
 server other.example
makestep 1 3
`;
  const ours = onlyOurSources(debian);
  expect(ours).toBe(`# Welcome to the chrony configuration file.
confdir /etc/chrony/conf.d
#signalbox# pool 2.debian.pool.ntp.org iburst
#signalbox# sourcedir /run/chrony-dhcp
sourcedir /etc/chrony/sources.d
#signalbox# server other.example
makestep 1 3
`);
  expect(onlyOurSources(ours)).toBe(ours);
  expect(allSources(ours)).toBe(debian.replace(' server', 'server'));
  expect(onlyOurSources('makestep 1 3\n')).toBe('makestep 1 3\n\nsourcedir /etc/chrony/sources.d\n');
});

import { expect, test } from 'bun:test';
import { type ConnectionEnds, localEnd, plainHost } from './local-end.ts';

test.each(['127.0.0.2', '127.0.0.3'])('a connection to %s arrives there, whatever host it names', async (address) => {
  const ends = Promise.withResolvers<ConnectionEnds>();
  using server = Bun.serve({
    ...{ port: 0, hostname: '0.0.0.0' },
    async fetch(request, self) {
      const { address: peer = '', port: peerPort = 0 } = self.requestIP(request) ?? {};
      ends.resolve({ peer, peerPort, localPort: Number(self.port) });
      return new Response(await localEnd(await ends.promise));
    },
  });
  const answer = await fetch(`http://${address}:${server.port}`, { headers: { host: '192.0.2.7' } });
  expect(await answer.text()).toBe(address);
});

/** As the kernel of a machine with little-endian words prints it. */
const row = (local: string, remote: string, state: string) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0 20 4 30 10 -1\n`;
const tables =
  (tcp: string, tcp6 = '') =>
  async (name: string) =>
    name === 'tcp' ? tcp : tcp6;
const ends = { peer: '192.0.2.9', peerPort: 0xc001, localPort: 8080 };

test.each([
  ['IPv4', ends, row('070200C0:1F90', '090200C0:C001', '01'), '', '192.0.2.7'],
  [
    'IPv4 on a socket for both',
    ends,
    '',
    row('0000000000000000FFFF0000070200C0:1F90', '0000000000000000FFFF0000090200C0:C001', '01'),
    '192.0.2.7',
  ],
  [
    'IPv6',
    { ...ends, peer: '2001:db8::9' },
    '',
    row('B80D0120000000000000000007000000:1F90', 'B80D0120000000000000000009000000:C001', '01'),
    '2001:db8::7',
  ],
  ['an address that listens', ends, row('070200C0:1F90', '090200C0:C001', '0A'), '', undefined],
  ['another port of the peer', ends, row('070200C0:1F90', '090200C0:C002', '01'), '', undefined],
  ['another peer', ends, row('070200C0:1F90', '080200C0:C001', '01'), '', undefined],
  [
    'two addresses that the peer called from one port',
    ends,
    row('070200C0:1F90', '090200C0:C001', '01') + row('080200C0:1F90', '090200C0:C001', '01'),
    '',
    undefined,
  ],
])('of the table of the kernel, it takes %s', async (_, asked, tcp, tcp6, found) => {
  expect(await localEnd(asked, tables(`  sl  local_address rem_address   st\n${tcp}`, tcp6))).toBe(found);
});

test('notations of one address are equal', () => {
  expect(['2001:DB8:0:0::7', '[2001:db8::7]', '::ffff:192.0.2.7', '192.0.2.7'].map(plainHost)).toEqual([
    ...['2001:db8::7', '2001:db8::7', '192.0.2.7', '192.0.2.7'],
  ]);
});

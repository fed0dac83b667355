import { expect, test } from 'bun:test';
import { type NdiTransfer, runtimeConfig } from './runtime-config.ts';

const defaults = { baseName: '', groups: { send: '', receive: '' }, discovery: { servers: '', extraIps: '' } };
const written = (transfer?: NdiTransfer) =>
  JSON.parse(runtimeConfig({ ...defaults, ...(transfer && { transfer }) })).ndi;

test('without a chosen transport, the runtime decides', () => {
  expect(written()).toEqual({});
});

test('a chosen transport excludes the others', () => {
  const [on, off] = [
    { send: { enable: true }, recv: { enable: true } },
    { send: { enable: false }, recv: { enable: false } },
  ];
  expect(written({ by: 'reliableUdp' })).toEqual({ unicast: off, rudp: on, tcp: off });
  expect(written({ by: 'multiTcp' })).toEqual({ unicast: off, rudp: off, tcp: on });
});

test('multicast has a range of groups, and leaves the other transports to receivers that it does not reach', () => {
  const { multicast, ...others } = written({ by: 'multicast', group: '239.9.0.0', mask: '', ttl: 4 });
  expect(multicast).toEqual({ send: { enable: true, netprefix: '239.9.0.0', ttl: 4 }, recv: { enable: true } });
  expect(others).toEqual({});
});

import { expect, test } from 'bun:test';
import { createCallers } from './callers.ts';
import { type Guest, ListenerPlaces } from './listener-places.ts';

class Connection implements Guest {
  idleSince: number | undefined;
  ended = '';

  constructor(now: number) {
    this.idleSince = now;
  }

  close(reason: string): void {
    this.ended = reason;
  }
}

function setUp(max: number) {
  let time = 0;
  const callers = createCallers();
  const places = new ListenerPlaces<Connection>({ max, boundKey: callers.boundKey, now: () => time });
  const come = (address: string) => {
    const refused = places.refuse(address);
    if (refused !== undefined) return refused;
    const guest = new Connection(time);
    places.add(address, guest);
    return guest;
  };
  const enter = (address: string) => {
    const guest = come(address);
    if (typeof guest === 'string') throw new Error(guest);
    return guest;
  };
  return { places, callers, come, enter, pass: (ms: number) => (time += ms) };
}

test('an address has a limited number of connections that neither publish nor play, and any number that do', () => {
  const { come, enter } = setUp(100);
  const guests = Array.from({ length: 16 }, () => enter('198.51.100.1'));
  expect(come('198.51.100.1')).toBe('16 connections of this address neither publish nor play');
  expect(come('198.51.100.2')).toBeObject();
  guests[3]!.idleSince = undefined;
  expect(come('198.51.100.1')).toBeObject();
  expect(come('198.51.100.1')).toBeString();
  // A whole /64 is one subscriber.
  for (let n = 0; n < 16; n++) enter(`2001:db8::${n + 1}`);
  expect(come('2001:db8::ffff')).toBeString();
});

test('programs on this machine and trusted proxies may have more', () => {
  const { callers, enter } = setUp(200);
  callers.trust(['192.0.2.7']);
  for (let n = 0; n < 50; n++) expect([enter('127.0.0.1').ended, enter('192.0.2.7').ended]).toEqual(['', '']);
});

test('when all places are taken, the oldest idle connection of the address with the most connections makes room', () => {
  const { come, enter, places } = setUp(20);
  const stream = enter('198.51.100.1');
  stream.idleSince = undefined;
  const idle = Array.from({ length: 12 }, () => enter('198.51.100.1'));
  const other = Array.from({ length: 7 }, () => enter('198.51.100.2'));
  const encoder = enter('203.0.113.1');
  expect(idle.map(({ ended }) => ended !== '')).toEqual([true, ...idle.slice(1).map(() => false)]);
  expect([stream.ended, encoder.ended, ...other.map(({ ended }) => ended)].join('')).toBe('');
  expect(places.size).toBe(20);
  // An address cannot displace its own connections.
  expect(come('198.51.100.1')).toBe('all 20 places are taken');
});

test('an encoder can connect while a flood from many addresses renews its connections', () => {
  const { come, pass, places } = setUp(64);
  for (let round = 0; round < 22; round++) {
    for (let n = 0; n < 80; n++) come(`198.51.100.${n}`);
    const encoder = come('203.0.113.1');
    expect(encoder).toBeObject();
    if (typeof encoder === 'object') places.delete(encoder);
    pass(10_000);
  }
});

test('streams keep their places, however many others connect', () => {
  const { come, enter } = setUp(10);
  const streams = Array.from({ length: 10 }, (_, n) => enter(`198.51.100.${n}`));
  for (const stream of streams) stream.idleSince = undefined;
  expect(come('203.0.113.1')).toBe('all 10 places are taken');
  expect(streams.map(({ ended }) => ended).join('')).toBe('');
});

test('idle connections end sooner once most places are taken', () => {
  const { enter, places, pass } = setUp(16);
  const stream = enter('198.51.100.1');
  stream.idleSince = undefined;
  const idle = Array.from({ length: 10 }, () => enter('198.51.100.1'));
  pass(2000);
  places.tick();
  expect(idle.every(({ ended }) => ended === '')).toBe(true);
  const last = enter('198.51.100.1');
  places.tick();
  expect(idle.every(({ ended }) => ended === 'idle while places are few')).toBe(true);
  expect([stream.ended, last.ended]).toEqual(['', '']);
});

import { expect, test } from 'bun:test';
import type { Route } from '../../../../daemon/contract/routes.ts';
import { checkRoute, routeBody, rowOf } from './route-form.ts';

const route = (destination: string): Route => ({
  ...{ id: destination, destination, gateway: '192.168.1.254', interface: 'eth1', active: true },
});
const values = { destination: '10.20.0.0/16', gateway: '192.168.1.254', interface: 'eth1' };

test('spaces around addresses are not part of them', () => {
  expect(routeBody({ ...values, destination: ' 10.20.0.0/16 ', gateway: '192.168.1.254 ' })).toEqual(values);
  expect(checkRoute({ ...values, destination: ' 10.20.0.0/16 ' }, [])).toEqual({});
});

test('a destination that another route has is refused, in any spelling', () => {
  expect(checkRoute(values, [route('10.20.0.0/16')])).toEqual({ destination: 'routeExists' });
  expect(checkRoute({ ...values, destination: '203.0.113.7' }, [route('203.0.113.7/32')])).toEqual({
    destination: 'routeExists',
  });
});

test('each field says what is wrong with it', () => {
  expect(checkRoute({ destination: '0.0.0.0/0', gateway: '', interface: '' }, [])).toEqual({
    ...{ destination: 'defaultRoute', gateway: 'required', interface: 'required' },
  });
  expect(checkRoute({ ...values, gateway: 'router' }, [])).toEqual({ gateway: 'ipv4' });
});

test('rows of a table have different numbers, also for networks that begin at the same address', () => {
  const rows = ['10.0.0.0/8', '10.0.0.0/16', '255.0.0.0/32', '10.0.0.0/32'].map((text) => rowOf(route(text)).id);
  expect(new Set(rows).size).toBe(4);
  expect(rows.every(Number.isSafeInteger)).toBe(true);
});

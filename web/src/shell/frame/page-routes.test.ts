import { expect, test } from 'bun:test';
import { paths } from '../../lib/paths.ts';
import { menuPathOf, type PageRoute } from './page-routes.ts';

const routes = [paths.devices, paths.warningDevices, paths.deviceGroup, paths.deviceDetail].map(
  (path) => ({ path }) as PageRoute,
);
const of = (search: string) => menuPathOf(routes, { pathname: '/device/detail/B313', search });

test('the search, then the list that led to a page decide which menu entry is highlighted, then its own path', () => {
  expect(of('')).toBe('/device/detail/B313');
  expect(of('?from=/devices/warning')).toBe('/devices/warning');
  expect(of('?from=%2Fdevices%2Fgroup-7')).toBe('/devices/group-7');
  expect(of('?from=/devices/warning&search-navigation=/devices/all')).toBe('/devices/all');
});

test('an address that the console does not have is ignored', () => {
  expect(of('?from=https://elsewhere.example/')).toBe('/device/detail/B313');
  expect(of('?search-navigation=/none&from=/devices/warning')).toBe('/devices/warning');
});

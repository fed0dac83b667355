import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { cookieNames } from '../../daemon/contract/cookie-names.ts';
import { results } from '../../daemon/contract/result.ts';
import { firstSession } from './api/first-answers.ts';
import { startFirstLoad } from './first-load.ts';
import { writeCookie } from './lib/cookies.ts';
import { pageRoutes } from './routes.tsx';

const isLoaded = async () => undefined;
const routes = pageRoutes.filter(({ path }) => path === '/dashboard' || path === '/stream/channels');
let asked: string[];
let answer: object;
let fetched: string[];

beforeEach(() => {
  asked = [];
  fetched = [];
  answer = { result: results.notLoggedIn.code };
  const respond = async (address: unknown) => {
    asked.push(String(address));
    return Response.json(answer);
  };
  spyOn(globalThis, 'fetch').mockImplementation(respond as typeof fetch);
  for (const route of routes) {
    spyOn(route, 'fetch').mockImplementation(() => {
      fetched.push(route.path);
      return isLoaded();
    });
  }
});

afterEach(() => {
  void firstSession.take();
  writeCookie(cookieNames.signedIn, '', 0);
  location.hash = '';
});

test('without a session, the first page is the sign-in page, which leads back', async () => {
  location.hash = '#/stream/channels?dialog=add';
  await startFirstLoad();
  expect(location.hash).toBe('#/login?return_url=%2Fstream%2Fchannels%3Fdialog%3Dadd');
  expect(fetched).toEqual([]);
  expect(firstSession.take()).toBeUndefined();
});

test('a session without its other cookies is found, too', async () => {
  answer = { result: results.success.code };
  location.hash = '#/stream/channels';
  await startFirstLoad();
  expect(location.hash).toBe('#/stream/channels');
  expect(firstSession.take()).toBeDefined();
});

test.each([
  ['', '/dashboard'],
  ['#/stream/channels?dialog=add', '/stream/channels'],
])('with a sign of a session, the page of "%s" is fetched at once, and the session once', async (hash, path) => {
  answer = { result: results.success.code };
  writeCookie(cookieNames.signedIn, '1', 1);
  location.hash = hash;
  await startFirstLoad();
  expect(fetched).toEqual([path]);
  expect(asked).toEqual(['/api/session']);
  expect(firstSession.take()).toBeDefined();
  expect(firstSession.take()).toBeUndefined();
});

test('the sign-in page asks for no session and fetches no page', async () => {
  writeCookie(cookieNames.signedIn, '1', 1);
  location.hash = '#/login';
  await startFirstLoad();
  expect(asked).toEqual([]);
  expect(fetched).toEqual([]);
});

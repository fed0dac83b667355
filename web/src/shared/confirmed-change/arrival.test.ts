import { expect, test } from 'bun:test';
import { results } from '../../../../daemon/contract/result.ts';
import { answerCalls } from '../../ui/render-for-test.tsx';
import { confirmArrival, readArrival } from './arrival.ts';
import { arrivalLink } from './trial.ts';

const link = (from: string, path = '/settings/network') =>
  arrivalLink({ address: 'http://192.0.2.20:8880/', token: 'T-1_x', from, path });

test('the link to the new address carries the token in the fragment only, and is read there', () => {
  const url = new URL(link('http://192.0.2.10:8880'));
  expect(`${url.origin}${url.pathname}${url.search}`).toBe('http://192.0.2.20:8880/');
  expect(readArrival(url.hash, url.hostname)).toEqual({
    ...{ token: 'T-1_x', from: 'http://192.0.2.10:8880', hash: '#/settings/network' },
  });
});

test('the rest of the query stays in the address', () => {
  const { hash, hostname } = new URL(link('http://192.0.2.10', '/settings/general?group=web'));
  expect(readArrival(hash, hostname)?.hash).toBe('#/settings/general?group=web');
});

test('a link leads back to an address in numbers or another port of the same host, nowhere else', () => {
  const from = (address: string) => readArrival(new URL(link(address)).hash, 'hub.lan')?.from;
  expect(from('https://[fd00::1]')).toBe('https://[fd00::1]');
  expect(from('http://hub.lan:8080')).toBe('http://hub.lan:8080');
  expect(from('http://evil.example')).toBeUndefined();
  expect(from('javascript:alert(1)')).toBeUndefined();
});

test('other addresses do not confirm anything', () => {
  expect(readArrival('#/dashboard', 'hub.lan')).toBeUndefined();
  expect(readArrival('', 'hub.lan')).toBeUndefined();
});

test('a token that the hub does not take ends the arrival', async () => {
  const asked = answerCalls({ '/api/network/confirm': { result: results.wrongState.code, message: '' } });
  expect(await confirmArrival('T', () => {})).toBe(false);
  expect(asked).toEqual([{ path: '/api/network/confirm', body: { token: 'T' } }]);
});

test('while the hub does not answer, the confirmation is repeated', async () => {
  let silences = 0;
  let calls = 0;
  const respond = async () => {
    calls += 1;
    if (calls === 1) throw new TypeError('Failed to fetch');
    return Response.json({ result: 0, kind: 'network' });
  };
  globalThis.fetch = Object.assign(respond, { preconnect: () => {} });
  expect(await confirmArrival('T', () => (silences += 1))).toBe(true);
  expect([calls, silences]).toEqual([2, 1]);
});

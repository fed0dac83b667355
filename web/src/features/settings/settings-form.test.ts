import { expect, test } from 'bun:test';
import { CallError } from '../../lib/call-error.ts';
import { numberOf } from '../../ui/form/schema-form.ts';
import { checkChange, occupiedField } from './settings-form.ts';

const srt = { port: 'srt.port', latency: 'srt.latency', keyLength: 'srt.pb-key-len', passphrase: 'srt.passphrase' };
const web = { http: 'web.http-port', isHttps: 'web.enable-https', https: 'web.https-port' };

test('only digits are accepted as a number', () => {
  expect([numberOf(' 120 '), numberOf('0')]).toEqual([120, 0]);
  for (const text of ['', ' ', '1e3', '0x10', '-1', '1.5', '12a']) expect(numberOf(text)).toBeNaN();
});

test('faults of the request are shown at the fields of the form', () => {
  const change = { srt: { port: 70_000, latency: Number.NaN, 'pb-key-len': 0 as const } };
  expect(checkChange(change, srt)).toEqual({ port: 'atMost:65535', latency: 'number' });
});

test('a passphrase shows which rule it breaks', () => {
  const of = (passphrase: string) => checkChange({ srt: { 'pb-key-len': 16, passphrase } }, srt);
  expect(of('short')).toEqual({ passphrase: 'tooShort?min=10' });
  expect(of('x'.repeat(80))).toEqual({ passphrase: 'tooLong?max=79' });
  expect(of('long enough')).toEqual({});
});

test('an occupied port is shown at its field', () => {
  const values = { http: '8880', isHttps: true, https: ' 8443' };
  const occupied = (port: number) => new CallError('portOccupied', { code: 1007, params: { port } });
  expect(occupiedField(occupied(8443), values, web)).toBe('https');
  expect(occupiedField(occupied(8880), values, web)).toBe('http');
  expect(occupiedField(occupied(1), values, web)).toBeUndefined();
  expect(occupiedField(new CallError('timeout'), values, web)).toBeUndefined();
});

test('a number that is not a port is not accepted as one', () => {
  const error = new CallError('portOccupied', { params: { port: 120 } });
  expect(occupiedField(error, { port: '8000', latency: '120', keyLength: '0', passphrase: '' }, srt)).toBeUndefined();
});

test('a fault of one mail address belongs to the field of all', () => {
  const paths = { from: 'mail.from', to: 'mail.to' };
  const mail = { from: 'hub@example.org', to: ['noc@example.org', 'NOC <noc@example.org>'] };
  expect(checkChange({ mail }, paths)).toEqual({ to: 'mailAddress' });
});

import { expect, test } from 'bun:test';
import { setupI18n } from '@lingui/core';
import { partNames, partReasons, partRemedy, partTitle } from './part-text.ts';

const i18n = setupI18n({ locale: 'en', messages: { en: {} } });
const port = 1935;

test('a missing part is shown with its reason and its port', () => {
  expect(partTitle(i18n, { name: 'rtmp', ok: false, reason: 'portOccupied', port })).toBe(
    'RTMP server: port 1935 is in use',
  );
  expect(partTitle(i18n, { name: 'engine', ok: false, reason: 'crashed' })).toBe('Media engine: stopped unexpectedly');
});

test('the system’s message is shown only if it helps', () => {
  const message = "RTMP can't listen on port 1935: EADDRNOTAVAIL";
  expect(partRemedy(i18n, { name: 'rtmp', ok: false, reason: 'failed', port, message })?.detail).toBe(message);
  expect(partRemedy(i18n, { name: 'rtmp', ok: false, reason: 'portOccupied', port, message })?.detail).toBeUndefined();
});

test('the NDI runtime shows what to install, or what is wrong with the installed one', () => {
  const ndi = { name: 'ndi', ok: false, message: 'NDI: it is cut short' };
  expect(partTitle(i18n, { ...ndi, reason: 'missing' })).toBe('NDI runtime: not installed');
  expect(partRemedy(i18n, { ...ndi, reason: 'missing' })).toMatchObject({
    text: expect.stringContaining('does not support yet'),
  });
  expect(partRemedy(i18n, { ...ndi, reason: 'missing' })?.detail).toBeUndefined();
  expect(partRemedy(i18n, { ...ndi, reason: 'failed' })?.detail).toBe(ndi.message);
});

test('every reason has a remedy for some part', () => {
  const cured = (reason: string) =>
    Object.keys(partNames).some((name) => partRemedy(i18n, { name, ok: false, reason }) !== undefined);
  expect(Object.keys(partReasons).filter((reason) => !cured(reason))).toEqual([]);
});

test('for a part or reason of a later hub only the hub’s own line is shown', () => {
  expect(partRemedy(i18n, { name: 'juggler', ok: false, reason: 'missing', message: 'x' })).toBeUndefined();
  expect(partRemedy(i18n, { name: 'srt', ok: false, reason: 'tooCold', message: 'x' })).toBeUndefined();
});

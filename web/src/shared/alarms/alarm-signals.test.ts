import { afterEach, expect, test } from 'bun:test';
import { notifyOfAlarm, switchNotification, useAlarmSignals } from './alarm-signals.ts';

const tags: (string | undefined)[] = [];
class FakeNotification {
  static permission = 'granted';
  static requestPermission = () => Promise.resolve('granted');
  constructor(_: string, { tag }: NotificationOptions) {
    tags.push(tag);
  }
}
/** As in Chrome for Android. */
class IllegalNotification extends FakeNotification {
  constructor(title: string, options: NotificationOptions) {
    super(title, options);
    throw new TypeError('Illegal constructor');
  }
}

const use = (api: unknown) => {
  Object.defineProperty(window, 'isSecureContext', { value: true, configurable: true });
  Object.assign(globalThis, { Notification: api });
  Object.assign(window, { Notification: api });
};
afterEach(() => {
  tags.length = 0;
  localStorage.clear();
});

test('each new alarm has a notification of its own, which alerts again', async () => {
  use(FakeNotification);
  expect(await switchNotification(true, 'sample')).toBe(true);
  notifyOfAlarm('Alarm', 'Studio: No input', 7);
  notifyOfAlarm('Alarm', 'Studio: No audio', 8);
  expect(new Set(tags).size).toBe(3);
  expect(useAlarmSignals.getState().notification).toBe(true);
});

test('a browser whose pages cannot create notifications leaves the switch off, and an alarm does not fail', async () => {
  use(IllegalNotification);
  expect(await switchNotification(true, 'sample')).toBe(false);
  expect(useAlarmSignals.getState().notification).toBe(false);
  notifyOfAlarm('Alarm', 'Studio: No input', 7);
});

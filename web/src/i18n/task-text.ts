/** Text for the kinds of tasks. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Task } from '../../../daemon/contract/tasks.ts';

/** What a task does, worded like the button that starts it. A noun that has tasks adds a row for each kind. */
const kinds: Readonly<Record<string, MessageDescriptor>> = {
  'device.discover': msg`Find devices`,
  'device.upgrade': msg`Upgrade firmware`,
  'firmware.upload': msg`Upload firmware`,
  'ndiRuntime.upload': msg`Upload NDI runtime`,
  'device.rename': msg`Rename`,
  'device.reboot': msg`Restart`,
  'device.record-start': msg`Start recording`,
  'device.record-stop': msg`Stop recording`,
  'device.live-start': msg`Start live stream`,
  'device.live-stop': msg`Stop live stream`,
  'device.quick-start': msg`Start quick stream`,
  'device.quick-stop': msg`Stop quick stream`,
};

export function isKnownKind(kind: string): boolean {
  return Object.hasOwn(kinds, kind);
}

/** A kind of a newer hub is returned as English words: `device.reboot` as “Device reboot”. */
export function taskKindText(i18n: I18n, kind: string): string {
  const text = isKnownKind(kind) ? kinds[kind] : undefined;
  if (text !== undefined) return i18n._(text);
  const words = kind.replaceAll(/[.-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the task does, and to which object. */
export function taskName(i18n: I18n, { kind, subject }: Task): string {
  const text = taskKindText(i18n, kind);
  return subject === '' ? text : i18n._(msg`${text}: ${subject}`);
}

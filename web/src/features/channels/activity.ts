import type { Operation } from '../../../../daemon/contract/logs.ts';

/** The entries about the channel of that name: those of the channel itself, and those that name it, as for an output. */
export function activityOf(list: readonly Operation[], name: string): Operation[] {
  return list.filter(
    ({ action, subject, detail, changes = [] }) =>
      (/^(channel|alarm)\./.test(action) && (subject ?? detail) === name) ||
      changes.some(({ word, value }) => word === 'forChannel' && value === name),
  );
}

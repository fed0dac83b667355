/** What a switch of the input was, and why it was made. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { IconBroadcast, IconPhotoOff, IconShieldHalf } from '@tabler/icons-react';
import type { InputRole, SwitchReason } from '../../../../daemon/contract/failover.ts';
import type { RunEvent } from '../../../../daemon/contract/run-history.ts';
import type { Format } from '../../lib/format.ts';
import type { Look } from '../../ui/data/StateMark.tsx';

export const roleLooks: Readonly<Record<InputRole, Look>> = {
  main: { tone: 'live', icon: IconBroadcast, text: msg`Main input` },
  backup: { tone: 'warn', icon: IconShieldHalf, text: msg`Backup` },
  slate: { tone: 'fault', icon: IconPhotoOff, text: msg`Slate` },
};

export function roleOf(state: string): InputRole | undefined {
  return Object.hasOwn(roleLooks, state) ? (state as InputRole) : undefined;
}

/** By the role that was on air before; undefined: not known. */
type Words = Readonly<Record<'main' | 'backup' | 'input', MessageDescriptor>>;

const noData: Words = {
  main: msg`Main had no data`,
  backup: msg`Backup had no data`,
  input: msg`The input had no data`,
};
const noVideo: Words = {
  main: msg`Main had no video`,
  backup: msg`Backup had no video`,
  input: msg`The input had no video`,
};
const noAudio: Words = {
  main: msg`Main had no audio`,
  backup: msg`Backup had no audio`,
  input: msg`The input had no audio`,
};
const ended: Words = {
  main: msg`Main disconnected`,
  backup: msg`Backup disconnected`,
  input: msg`The input disconnected`,
};

/** For example `Main had no data for 300 ms` or `Switched manually by Anna`. */
export function switchReasonText(
  i18n: I18n,
  format: Format,
  event: Pick<RunEvent, 'from' | 'to' | 'reason' | 'by' | 'after-ms'>,
): string {
  const { from, reason, by, 'after-ms': after } = event;
  const lost = (words: Words): string => {
    const text = i18n._(words[from === 'main' || from === 'backup' ? from : 'input']);
    return after === undefined ? text : i18n._(msg`${text} for ${spanText(format, after)}`);
  };
  switch (reason as SwitchReason) {
    case 'noData':
      return lost(noData);
    case 'noVideo':
      return lost(noVideo);
    case 'noAudio':
      return lost(noAudio);
    case 'ended':
      return i18n._(ended[from === 'main' || from === 'backup' ? from : 'input']);
    case 'operator':
      return by === undefined ? i18n._(msg`Switched manually`) : i18n._(msg`Switched manually by ${by}`);
    case 'stable':
      return after === undefined || event.to !== 'main'
        ? i18n._(msg`This input recovered`)
        : i18n._(msg`Main was stable for ${spanText(format, after)}`);
    case 'none':
      return i18n._(msg`Only available input at the start`);
    default:
      return reason ?? '';
  }
}

function spanText(format: Format, ms: number): string {
  return ms < 1000 ? `${format.number(ms)} ms` : `${format.number(ms / 1000, ms % 1000 === 0 ? 0 : 1)} s`;
}

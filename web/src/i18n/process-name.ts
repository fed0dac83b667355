/** What a process behind a channel does, from the name under which the engine keeps its log. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** Containers as they are written everywhere, by the engine's word. */
const containers: Readonly<Record<string, string>> = { flv: 'FLV', ts: 'MPEG-TS' };

export function processName(i18n: I18n, name: string): string {
  const [, from = '', to = ''] = /^bridge (\w+) to (\w+)$/.exec(name) ?? [];
  const [source, target] = [containers[from], containers[to]];
  return source === undefined || target === undefined ? name : i18n._(msg`Conversion from ${source} to ${target}`);
}

/** Options of an input: the part of the stream that it uses, and its jitter buffer. */
import { limits } from '../contract/limits.ts';
import type { TsChoice } from './stream-address.ts';

export interface InputOptions extends TsChoice {
  /** 0: no buffer. */
  readonly bufferMs: number;
}

interface OptionFault {
  readonly rule: string;
  readonly detail: string;
}

const options = {
  'mw-program': { member: 'program', ...limits.program },
  'mw-audio-track': { member: 'audioTrack', ...limits.audioTrack },
  'mw-buffer-duration': { member: 'bufferMs', min: 0, max: limits.bufferDuration.max },
} as const;
export type OptionName = keyof typeof options;
const allNames = Object.keys(options) as OptionName[];

/** Removes the options from a URL's query. Rewrites it only if there are any: a signed query must keep its spelling. */
export function takeOptions(
  query: URLSearchParams,
  names: readonly OptionName[] = allNames,
): Partial<InputOptions> | { readonly fault: OptionFault } {
  const values: { -readonly [K in keyof InputOptions]?: number } = {};
  for (const name of names) {
    const [value, ...more] = query.getAll(name);
    if (value === undefined) continue;
    const { member, min, max } = options[name];
    if (more.length > 0) return { fault: { rule: 'repeated', detail: name } };
    if (!/^\d{1,9}$/.test(value)) return { fault: { rule: 'number', detail: name } };
    if (Number(value) < min || Number(value) > max) return { fault: { rule: 'range', detail: name } };
    values[member] = Number(value);
    query.delete(name);
  }
  return values;
}

/** What an input takes of a transport stream: a programme, and one of its audio streams. */
import { limits } from '../contract/limits.ts';

export interface TsChoice {
  /** 0: the first. */
  readonly program: number;
  /** From 1; 0: all. */
  readonly audioTrack: number;
}

interface ChoiceFault {
  readonly rule: string;
  readonly detail: string;
}

const options = { 'mw-program': limits.program, 'mw-audio-track': limits.audioTrack } as const;
type Option = keyof typeof options;

/** Takes the options out of a URL's query. Written anew only then: a signed query must stay as it is spelled. */
export function takeChoice(query: URLSearchParams): Partial<TsChoice> | { readonly fault: ChoiceFault } {
  const values: Partial<Record<Option, number>> = {};
  for (const name of Object.keys(options) as Option[]) {
    const [value, ...more] = query.getAll(name);
    if (value === undefined) continue;
    const { min, max } = options[name];
    if (more.length > 0) return { fault: { rule: 'repeated', detail: name } };
    if (!/^\d{1,9}$/.test(value)) return { fault: { rule: 'number', detail: name } };
    if (Number(value) < min || Number(value) > max) return { fault: { rule: 'range', detail: name } };
    values[name] = Number(value);
    query.delete(name);
  }
  const { 'mw-program': program, 'mw-audio-track': audioTrack } = values;
  return { ...(program !== undefined && { program }), ...(audioTrack !== undefined && { audioTrack }) };
}

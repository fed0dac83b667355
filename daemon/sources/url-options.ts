/** Options in the query of a stream's URL. Each stands for a member of the API's typed form or of its `config`. */
import type { InputConfig } from '../contract/inputs.ts';
import { limits } from '../contract/limits.ts';
import type { FieldFault } from '../contract/result.ts';
import { splitSourceUrl } from '../contract/source-url.ts';
import { fieldError, type HubError } from '../lib/hub-error.ts';

interface UrlOption {
  readonly member: string;
  readonly isNumber?: true;
  /** Only if no schema checks the member. */
  readonly range?: { readonly min: number; readonly max: number };
  /** The words that are allowed, with the values they stand for. */
  readonly words?: Readonly<Record<string, boolean | number>>;
  /** The value that is left out of a URL. */
  readonly standard?: string | number | boolean;
}
export type UrlOptions = Readonly<Record<string, UrlOption>>;
type Members = Record<string, string | number | boolean>;

/** `rule` is a word that the console translates; `detail` names the option and what is wrong, never a secret. */
export function urlError(rule: string, detail: string, params?: FieldFault['params']): HubError {
  return fieldError('config.url', rule, detail, params);
}

/** Removes the options from a query and returns their members. Throws a HubError. */
export function takeOptions(query: URLSearchParams, known: UrlOptions): Members {
  const members: Members = {};
  for (const [name, option] of Object.entries(known)) {
    const [text, ...more] = query.getAll(name);
    if (text === undefined) continue;
    if (more.length > 0) throw urlError('repeated', `${name}: given more than once`);
    members[option.member] = parseValue(name, text, option);
    query.delete(name);
  }
  return members;
}

function parseValue(name: string, text: string, { words, range, isNumber }: UrlOption): string | number | boolean {
  if (words) {
    const value = Object.hasOwn(words, text) ? words[text] : undefined;
    const allowed = Object.keys(words).join(', ');
    if (value === undefined)
      throw urlError('choice', `${name}: not one of the values; allowed: ${allowed}`, { allowed });
    return value;
  }
  if (!isNumber) return text;
  if (!/^\d{1,9}$/.test(text)) throw urlError('number', `${name}: not a whole number`);
  if (range && (Number(text) < range.min || Number(text) > range.max)) {
    const { min, max } = range;
    throw urlError('range', `${name}: ${text} is out of range: ${min} to ${max}`, { value: Number(text), min, max });
  }
  return Number(text);
}

/** The same for a query that has no other options. */
export function readOptions(query: URLSearchParams, known: UrlOptions): Members {
  const members = takeOptions(query, known);
  const [unknown] = query.keys();
  if (unknown !== undefined) throw urlError('unknownOption', `${unknown.slice(0, 40)}: unknown option`);
  return members;
}

/** Returns the query of a URL with its question mark; '' if all members have their standard values. */
export function formatOptions(known: UrlOptions, typed: Readonly<Record<string, unknown>>): string {
  const options = Object.entries(known).flatMap(([name, { member, words = {}, standard }]) => {
    const value = typed[member];
    if (value === undefined || value === standard) return [];
    const word = Object.keys(words).find((each) => words[each] === value);
    return [`${name}=${encodeURIComponent(word ?? String(value))}`];
  });
  return options.length === 0 ? '' : `?${options.join('&')}`;
}

const bufferOption = (standard: number): UrlOptions => ({
  'mw-buffer-duration': {
    member: 'buffer-duration',
    isNumber: true,
    range: { ...limits.bufferDuration, min: 0 },
    standard,
  },
});
const buffer = bufferOption(0);
const pulledBuffer = bufferOption(limits.bufferDuration.default);
const choice: UrlOptions = {
  'mw-program': { member: 'program', isNumber: true, range: limits.program, standard: 0 },
  'mw-audio-track': { member: 'audio-track', isNumber: true, range: limits.audioTrack, standard: 0 },
};
const tcpFirst: UrlOptions = {
  'mw-tcp-first': { member: 'tcp-first', words: { 0: false, 1: true }, standard: false },
};
const tsOptions = { ...choice, ...buffer };
const httpOptions = { ...choice, ...pulledBuffer };
/** Options of the published API, and ours to select a program. All others belong to the source. */
const streamOptions: Readonly<Record<string, UrlOptions>> = {
  ...{ srt: tsOptions, udp: tsOptions, rtp: tsOptions, http: httpOptions, https: httpOptions },
  // There is no program to select if FFmpeg writes the tables.
  ...{ rtsp: { ...tcpFirst, ...pulledBuffer }, rtmp: buffer, rtmps: buffer, ndi: buffer },
};
const optionsOf = (scheme: string): UrlOptions =>
  (Object.hasOwn(streamOptions, scheme) ? streamOptions[scheme] : undefined) ?? {};

export type StreamOptions = Pick<InputConfig, 'program' | 'audio-track' | 'buffer-duration' | 'tcp-first'>;

/** Separates a URL from these options. Throws a HubError. */
export function splitOptions(scheme: string, whole: string): { readonly url: string; readonly options: StreamOptions } {
  const known = optionsOf(scheme);
  const { url, options } = splitSourceUrl(whole, Object.keys(known));
  return { url, options: takeOptions(options, known) };
}

/** The opposite: only options that differ from their standard values are added. */
export function joinOptions(scheme: string, url: string, options: StreamOptions): string {
  const query = formatOptions(optionsOf(scheme), options);
  return query !== '' && url.includes('?') ? `${url}&${query.slice(1)}` : url + query;
}

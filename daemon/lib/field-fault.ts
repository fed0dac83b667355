/** What a refusal says about a field: the path, a rule word that the console translates, and a sentence with facts. */
import type { FieldFault } from '../contract/result.ts';
import { type RuleFacts, type RuleIssue, ruleFacts } from '../contract/rule-facts.ts';

/** Members whose values, if they are numbers, never appear in a response. */
const secretName = /pass|secret|proof|code|token|challenge|url|stream-id|(^|-)key$/;

/** `value` is what was sent. A rule word without a sentence here is its own sentence. */
export function fieldFault(
  path: string,
  rule: string,
  { issue, value }: { issue: RuleIssue; value: unknown },
): FieldFault {
  const facts: RuleFacts = { ...givenValue(path, value), ...ruleFacts(issue, value) };
  const isAbout = Object.keys(facts).length > 0;
  const text = sentences[rule]?.(facts, Array.isArray(value) ? ' entries' : ' characters') ?? rule;
  return { path, rule, message: path === '' ? text : `${path}: ${text}`, ...(isAbout && { params: facts }) };
}

/** Texts are not repeated: a secret may have been sent in the wrong member. */
function givenValue(path: string, value: unknown): RuleFacts {
  if (secretName.test(path.slice(path.lastIndexOf('.') + 1))) return {};
  if (typeof value === 'number') return { value };
  return typeof value === 'boolean' ? { value: String(value) } : {};
}

const quoted = ({ value }: RuleFacts, rest: string) => {
  if (value === undefined) return rest;
  return typeof value === 'number' ? `${value} is ${rest}` : `'${value}' is ${rest}`;
};
const withAllowed = (text: string, { allowed }: RuleFacts) =>
  allowed === undefined ? text : `${text}; allowed: ${allowed}`;

function bounds({ min, max }: RuleFacts, unit = ''): string {
  if (min !== undefined && max !== undefined) return `: ${min} to ${max}${unit}`;
  if (min !== undefined) return `: at least ${min}${unit}`;
  return max === undefined ? '' : `: at most ${max}${unit}`;
}

const wideText = ({ wide }: RuleFacts) =>
  wide === undefined ? '' : `, where ^ and each character beyond ASCII count as ${wide}`;

const sentences: Readonly<Record<string, (facts: RuleFacts, unit: string) => string>> = {
  range: (facts) => quoted(facts, `out of range${bounds(facts)}${facts.or === undefined ? '' : `, or ${facts.or}`}`),
  tooLong: (facts, unit) => `too long${bounds(facts, unit)}${wideText(facts)}`,
  tooShort: (facts, unit) => `too short${bounds(facts, unit)}`,
  characters: (facts) =>
    withAllowed(quoted(facts, facts.value === undefined ? 'a character is not allowed' : 'not allowed'), facts),
  choice: (facts) => withAllowed(quoted(facts, 'not one of the values'), facts),
  unsupported: (facts) => (facts.allowed === undefined ? 'unknown member' : `unknown member; known: ${facts.allowed}`),
  number: (facts) => quoted(facts, 'not a whole number'),
  type: (facts) => quoted(facts, 'of the wrong type'),
  format: (facts) => quoted(facts, 'in the wrong format'),
  outerSpace: () => 'no space is allowed at the beginning or end',
  counter: () => 'several devices need # in the name, which becomes their number',
  host: (facts) => quoted(facts, 'neither an IP address nor a host name'),
  ip: (facts) => quoted(facts, 'not an IP address'),
  ipv4: (facts) => quoted(facts, 'not an IPv4 address'),
  portRange: (facts) => quoted(facts, 'neither a port from 1 to 65535 nor a range such as 5000-5010'),
  mask: (facts) => quoted(facts, 'not a net mask such as 255.255.0.0'),
  hostAddress: (facts) => quoted(facts, 'not an address that a host can have'),
  gateway: () => 'not another address of the same network',
  multicast: (facts) => quoted(facts, 'not a multicast address, 224.0.0.0 to 239.255.255.255'),
  md5: () => 'not an MD5: 32 hexadecimal digits',
  exactlyOne: () => 'give exactly one',
  rtmpUrl: () => 'not of the form rtmp://host/app',
  rtspUrl: () => 'not of the form rtsp://host/path',
  httpUrl: () => 'not of the form http://host/path',
  deviceStream: () => 'not of the form rtsp://host/path',
  snapshot: () => 'must be a path or an HTTP address',
  mailAddress: () => 'not a mail address such as noc@example.org',
  tooMany: (facts) => `too many${bounds(facts)}`,
  invitationCode: () => 'not four digits',
  sessionId: () => 'not the id of a session',
  tokenLength: () => 'not exactly 64 characters',
  hardwareVersion: (facts) => quoted(facts, 'not a letter from A to Z'),
  version: (facts) => quoted(facts, 'not two to four numbers such as 2.4.288'),
  guessable: () => 'too easy to guess; use random characters',
};

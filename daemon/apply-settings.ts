/**
 * Has a hub import a settings file, over its API, and says what changes. The access token is sent to the host that the
 * user named, and to another address only after the hub has proved that it has that address.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answerTo, hashOfToken } from './appliance/confirmed-change/token.ts';
import type { BodyOf, ResponseOf } from './contract/endpoint.ts';
import { limits } from './contract/limits.ts';
import type { Network, networkApi } from './contract/network.ts';
import { type Failure, results } from './contract/result.ts';
import type { SectionPreview, settingsFileApi } from './contract/settings-file.ts';
import type { systemApi } from './contract/system.ts';
import { plainHost } from './lib/local-end.ts';
import { timing } from './timing.ts';

type Imported = ResponseOf<typeof settingsFileApi.import>;
type Status = ResponseOf<typeof systemApi.status>;

interface Applying {
  /** URL of the hub. */
  readonly hub: string;
  readonly token: string;
  /** Of the file. */
  readonly text: string;
  readonly isPreview: boolean;
  readonly sections?: readonly string[];
  readonly passphrase?: string | undefined;
  /** How to handle sections that change how the hub is reached; undefined: a file with such changes is not imported. */
  readonly risk?: 'confirm' | 'accept' | undefined;
  /** Limit of the wait for a hub that changes its address or restarts, unless it names one. */
  readonly waitMs?: number;
  readonly say: (line: string) => void;
}

/** A hub says less about a file than the file holds. */
const maxAnswerBytes = limits.settingsFile.maxBytes;

const codes = { done: 0, noHub: 1, refused: 3, risky: 4, differs: 10 } as const;

/** Resolves with the exit code. */
export async function applySettings(asked: Applying): Promise<number> {
  const { say, isPreview } = asked;
  const seen = await importFile(asked, { preview: true });
  if (typeof seen === 'string') return refuse(say, seen);
  const lines = seen.sections.flatMap(linesOf);
  for (const line of lines) say(line);
  for (const name of seen.ignored) say(`${name}: not on this hub, ignored`);
  if (lines.length === 0) say('the hub has these settings');
  if (lines.length === 0 || isPreview) return lines.length === 0 ? codes.done : codes.differs;
  const risky = seen.sections.filter((section) => section.effect === 'confirm' && linesOf(section).length > 0);
  if (risky.length > 0 && asked.risk === undefined) {
    say(`${risky.map(({ name }) => name).join(', ')}: changes how the hub is reached; nothing was changed`);
    say('add --confirm to keep the change if this machine still reaches the hub, or --without-safety-net');
    return codes.risky;
  }
  const began = performance.now();
  const final = risky.length > 0 && asked.risk === 'accept' ? { 'confirm-within': 0, 'accept-risk': true } : {};
  const done = await importFile(asked, { preview: false, digest: seen.digest, ...final });
  if (typeof done === 'string') return refuse(say, done);
  const place = risky.length > 0 ? await placeAfter(asked, done) : { hub: asked.hub };
  if (place === 'undone') {
    say('the hub did not keep the settings: the previous settings apply again');
    return codes.refused;
  }
  if (place === 'silent') return silent(asked, done);
  const { hub } = place;
  if (hub !== asked.hub) say(`the hub is at ${hub} now`);
  // After the confirmation, the hub restarts to store the sections of the database.
  const restarts = seen.sections.some((section) => section.effect === 'restart' && linesOf(section).length > 0);
  if (restarts && !(await isBack({ ...asked, hub }, began))) {
    say('the hub has taken the settings, but is not back yet');
    return codes.noHub;
  }
  say('the hub has these settings now');
  return codes.done;
}

/** Where the hub has kept the settings; `undone`: it has not; `silent`: it was not reached in time. */
type Place = { readonly hub: string } | 'undone' | 'silent';

async function placeAfter(asked: Applying, done: Imported): Promise<Place> {
  const { token, waitMs = timing.apply.backMs } = asked;
  const seconds = done['confirm-by-s'];
  const isFinal = seconds === 0;
  // Without a proof of the change, another address cannot prove that it is the hub.
  const urls = placesOf(asked, isFinal ? [] : done.addresses);
  const named = new URL(asked.hub).hostname;
  const trusted = new Set(urls.filter((url) => new URL(url).hostname === named));
  const limitMs = isFinal ? waitMs : seconds * 1000;
  const began = performance.now();
  while (performance.now() - began < limitMs) {
    await delay(timing.apply.pollMs);
    for (const url of urls) {
      const answer = isFinal ? 'ended' : await confirmAt(url, done.token ?? '', trusted);
      const outcome = answer === 'ended' ? await outcomeAt(url, token) : answer;
      if (outcome !== 'unknown') return outcome === 'kept' ? { hub: url } : 'undone';
    }
  }
  return 'silent';
}

function silent({ hub, say }: Applying, { 'confirm-by-s': seconds, addresses }: Imported): number {
  if (seconds > 0) {
    say('the hub was not reached with the new settings: it returns to the previous settings');
    return codes.refused;
  }
  const expected = addresses.length > 0 ? `; it should be at ${addresses.join(' or ')}` : '';
  say(`the hub keeps the settings without a confirmation, but no longer answers at ${hub}${expected}`);
  return codes.noHub;
}

/**
 * Confirms the import. `ended`: the hub reports that the import has already ended, perhaps by a confirmation whose
 * answer was lost. A machine that is not the hub gets only a challenge. Adds URLs of the hub to `trusted`.
 */
async function confirmAt(url: string, proof: string, trusted: Set<string>): Promise<'kept' | 'ended' | 'unknown'> {
  const confirm = (body: BodyOf<typeof networkApi.confirm>) =>
    ask<ResponseOf<typeof networkApi.confirm>>(`${url}/api/network/confirm`, '', body, timing.apply.reachMs);
  const failed = ({ result }: Failure) =>
    result === results.wrongState.code && trusted.has(url) ? 'ended' : 'unknown';
  const challenge = randomBytes(32).toString('base64url');
  const seen = await confirm({ challenge });
  if (seen === undefined) return 'unknown';
  if ('message' in seen) return failed(seen);
  // A name, or an address that a router translates, is not the hub's own.
  const address = trusted.has(url) ? (seen.address ?? '') : plainHost(new URL(url).hostname);
  if (seen.answer !== answerTo(hashOfToken(proof), challenge, address)) return 'unknown';
  trusted.add(url);
  const answer = await confirm({ token: proof });
  if (answer === undefined) return 'unknown';
  return 'message' in answer ? failed(answer) : 'kept';
}

/** `unknown`: there is no answer, or the import has no result yet. */
async function outcomeAt(url: string, token: string): Promise<'kept' | 'undone' | 'unknown'> {
  const answer = await ask<Network>(`${url}/api/network/get`, token, undefined, timing.apply.reachMs);
  if (answer === undefined || 'message' in answer || answer.waiting !== undefined) return 'unknown';
  if (answer.ended?.kind !== 'settings') return 'unknown';
  return answer.ended.outcome === 'confirmed' ? 'kept' : 'undone';
}

interface ConsolePorts {
  readonly 'http-port': number;
  readonly 'https-port': number;
}

/** Here, and at the addresses and the port that the hub has by the file. Nothing is sent by HTTP instead of HTTPS. */
function placesOf({ hub, text, sections }: Applying, addresses: readonly string[]): readonly string[] {
  const isWeb = sections?.includes('web') ?? true;
  const file = JSON.parse(text) as { readonly sections: { readonly web?: readonly ConsolePorts[] } };
  const [web] = (isWeb && file.sections.web) || [];
  const here = new URL(hub);
  const port = web && String(web[here.protocol === 'https:' ? 'https-port' : 'http-port']);
  const places = [here.hostname, ...addresses].flatMap((host) => [
    atPlace(hub, host, here.port),
    ...(port === undefined ? [] : [atPlace(hub, host, port)]),
  ]);
  return [hub, ...new Set(places.filter((place) => place !== here.origin))];
}

function atPlace(hub: string, host: string, port: string): string {
  const url = new URL(hub);
  url.hostname = host;
  url.port = port;
  return url.origin;
}

/** Returns the reason if there is no hub, or it refuses the file. */
async function importFile(
  { hub, token, text, sections, passphrase }: Applying,
  how: Pick<BodyOf<typeof settingsFileApi.import>, 'preview' | 'digest' | 'confirm-within' | 'accept-risk'>,
): Promise<Imported | string> {
  const body = { file: text, ...how, ...(sections && { sections }), ...(passphrase !== undefined && { passphrase }) };
  const answer = await ask<Imported>(`${hub}/api/settings/import`, token, body);
  if (answer === undefined) return `${hub} does not answer`;
  return 'message' in answer ? `${answer.message} (result ${answer.result})` : answer;
}

function refuse(say: Applying['say'], reason: string): number {
  say(reason);
  return reason.endsWith('does not answer') ? codes.noHub : codes.refused;
}

function linesOf(section: SectionPreview): string[] {
  const { name, added, changed, removed } = section;
  const rest = (listed: readonly unknown[], all: number) =>
    all > listed.length ? [`${name}: and ${all - listed.length} more`] : [];
  return [
    ...added.map((one) => `${name}: + ${one}`),
    ...rest(added, section['added-num']),
    ...changed.map((one) => `${name}: ~ ${one.name} (${one.members.join(', ')})`),
    ...rest(changed, section['changed-num']),
    ...removed.map((one) => `${name}: - ${one}`),
    ...rest(removed, section['removed-num']),
    ...section['lacks-secrets'].map((one) => `${name}: ! ${one} lacks its secrets`),
  ];
}

/** Whether the hub has started again; the token may have ended with the import. */
async function isBack({ hub, token, waitMs = timing.apply.backMs }: Applying, began: number): Promise<boolean> {
  while (performance.now() - began < waitMs) {
    await delay(timing.apply.pollMs);
    const answer = await ask<Status>(`${hub}/api/system/status`, token);
    if (answer === undefined) continue;
    if ('message' in answer) {
      if (answer.result === results.notLoggedIn.code) return true;
      // In whole seconds.
    } else if ((answer.status.system.info['up-time'] + 1) * 1000 < performance.now() - began) return true;
  }
  return false;
}

/** Undefined if nothing answers within the limit, or with more than a hub says. */
async function ask<T extends object>(
  url: string,
  token: string,
  body?: object,
  limitMs: number = timing.apply.answerMs,
): Promise<T | Failure | undefined> {
  try {
    const response = await fetch(url, {
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    });
    return JSON.parse(await textOf(response)) as T | Failure;
  } catch {
    return undefined;
  }
}

/** Throws if it is too long. The signal of the request limits the time. */
async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxAnswerBytes) throw new Error(`the answer is longer than ${maxAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Has a hub import a settings file, over its API, and says what changes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ResponseOf } from './contract/endpoint.ts';
import type { Failure } from './contract/result.ts';
import type { SectionPreview, settingsFileApi } from './contract/settings-file.ts';
import type { systemApi } from './contract/system.ts';
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
  readonly say: (line: string) => void;
}

const codes = { done: 0, noHub: 1, refused: 3, differs: 10 } as const;
const notSignedIn = 37;

/** Resolves with the exit code. */
export async function applySettings(asked: Applying): Promise<number> {
  const { say, isPreview } = asked;
  const seen = await importFile(asked, { preview: true });
  if (typeof seen === 'string') return refuse(say, seen);
  const lines = seen.sections.flatMap(linesOf);
  for (const line of lines) say(line);
  if (lines.length === 0) say('the hub has these settings');
  if (lines.length === 0 || isPreview) return lines.length === 0 ? codes.done : codes.differs;
  const began = performance.now();
  const done = await importFile(asked, { preview: false, digest: seen.digest });
  if (typeof done === 'string') return refuse(say, done);
  if (done.restarts && !(await isBack(asked, began))) {
    say('the hub has taken the settings, but is not back yet');
    return codes.noHub;
  }
  say('the hub has these settings now');
  return codes.done;
}

/** Returns the reason if there is no hub, or it refuses the file. */
async function importFile(
  { hub, token, text, sections, passphrase }: Applying,
  how: { readonly preview: boolean; readonly digest?: string },
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
async function isBack({ hub, token }: Applying, began: number): Promise<boolean> {
  while (performance.now() - began < timing.apply.backMs) {
    await delay(timing.apply.pollMs);
    const answer = await ask<Status>(`${hub}/api/system/status`, token);
    if (answer === undefined) continue;
    if ('message' in answer) {
      if (answer.result === notSignedIn) return true;
    } else if (answer.status.system.info['up-time'] * 1000 < performance.now() - began) return true;
  }
  return false;
}

/** Undefined if nothing answers. */
async function ask<T extends object>(url: string, token: string, body?: object): Promise<T | Failure | undefined> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timing.apply.answerMs),
    });
    return (await response.json()) as T | Failure;
  } catch {
    return undefined;
  }
}

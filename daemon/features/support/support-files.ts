import { arch, cpus, release, totalmem } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gte, isNull, or } from 'drizzle-orm';
import type { MediaStatus } from '../../media/port.ts';
import { engineProtocol } from '../../media/protocol/messages.ts';
import type { Database, Queries } from '../../store/database.ts';
import { channelRows, inputRows, outputRows, presetRows, serverRows } from '../../store/rows.ts';
import { alarmRules, alarms, runEvents } from '../../store/schema.ts';

export interface SupportSources {
  readonly db: Database;
  readonly now: () => number;
  /** Pages of the logs from a moment on, in milliseconds since 1970. */
  readonly systemLog: (from: number) => Iterable<string>;
  readonly operations: (from: number) => Iterable<string>;
  readonly media: () => MediaStatus;
  /** The answer of `/api/system/status`. */
  readonly system: () => object;
  /** The settings without secrets. */
  readonly settings: () => object;
  /** The answer of `/api/health`. */
  readonly health: () => object;
}

const dayMs = 24 * 60 * 60_000;
/** Characters of a log; the rest is omitted. */
const maxLogLength = 16 * 1024 * 1024;

/** Returns the content of each file. Secrets are not read: no file is made by removing them from a text. */
export async function supportFiles(sources: SupportSources): Promise<Record<string, string>> {
  const { db, now } = sources;
  const from = now() - dayMs;
  const { channels, ...media } = sources.media();
  const files = {
    'machine.json': machine(),
    'system.json': sources.system(),
    'health.json': sources.health(),
    'settings.json': sources.settings(),
    'configuration.json': configuration(db),
    'state.json': { ...media, channels: Object.fromEntries(channels) },
    'events.json': events(db, from),
  };
  const texts = Object.entries(files).map(([name, value]) => [name, `${JSON.stringify(value, null, 1)}\n`]);
  return {
    ...Object.fromEntries(texts),
    'system.log': await textOf(sources.systemLog(from)),
    'operations.csv': await textOf(sources.operations(from)),
  };
}

function machine() {
  const [cpu] = cpus();
  return {
    ...{ bun: Bun.version, engineProtocol, platform: process.platform, release: release(), arch: arch() },
    ...{ cpu: cpu?.model ?? '', cores: cpus().length, memoryBytes: totalmem(), hub: process.memoryUsage() },
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** Rows keep secrets in columns of their own. */
function configuration(db: Queries) {
  const open = ({ secret: _, config, ...row }: { secret: string | null; config: string }) => ({
    ...row,
    config: JSON.parse(config) as unknown,
  });
  return {
    channels: channelRows.list(db).map(({ playKey: _, pushKey: __, ...channel }) => channel),
    inputs: inputRows.list(db).map(open),
    outputs: outputRows.list(db).map(open),
    servers: serverRows.list(db).map(open),
    presets: presetRows.list(db).map(open),
    alarmRules: db.select().from(alarmRules).all(),
  };
}

function events(db: Queries, from: number) {
  return {
    alarms: db
      .select()
      .from(alarms)
      .where(or(gte(alarms.raisedAt, from), isNull(alarms.clearedAt)))
      .all(),
    states: db.select().from(runEvents).where(gte(runEvents.time, from)).all(),
  };
}

/** Streams go on in the pauses between pages. */
async function textOf(pages: Iterable<string>): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  for (const page of pages) {
    texts.push(page);
    length += page.length;
    if (length > maxLogLength) break;
    await nextTurn();
  }
  return texts.join('');
}

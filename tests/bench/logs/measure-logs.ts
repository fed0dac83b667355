/** Query times of a full log, compared with SQLite without an index and with grep, and how smoothly it scrolls. */
import { Database } from 'bun:sqlite';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../daemon/contract/limits.ts';
import { fillOperationLog, fillSystemLog } from '../../fixtures/long-log.ts';
import type { BenchHub } from '../hub.ts';
import { cpuSeconds, machineBusySeconds, threadTimes } from '../proc.ts';
import type { LogAnswer, LogsResult } from '../report/result.ts';
import { makeTempFolder, removeTempFolder } from '../temp-folder.ts';
import { operationQuestions, plainSql, type Question, systemQuestions } from './log-questions.ts';
import { scrollLog } from './scroll-log.ts';

const warmUps = 3;
const asked = 20;
const askedPlain = 5;
const grepMs = 30_000;

type Plain = Parameters<typeof plainSql>[2];

export async function measureLogs(hub: BenchHub): Promise<LogsResult> {
  const end = Date.now();
  const [entries, lines] = [limits.logEntries, limits.systemLogLines];
  const [firstEntry, firstLine] = [await nextId(hub, '/api/log/list'), await nextId(hub, '/api/syslog/list')];
  fillOperationLog(join(hub.dataDir, 'hub.sqlite'), { count: entries, end });
  fillSystemLog(hub.dataDir, { count: lines, end });
  const meter = startMeter(hub);
  const operations = await measureLog(hub, {
    path: '/api/log',
    questions: operationQuestions(entries, end, firstEntry),
    database: join(hub.dataDir, 'hub.sqlite'),
    table: 'operation_log',
    columns: ['user', 'ip', 'action', 'detail'],
  });
  const system = await measureLog(hub, {
    path: '/api/syslog',
    questions: systemQuestions(lines, end, firstLine),
    database: join(hub.dataDir, 'log/system.sqlite'),
    table: 'lines',
    columns: ['scope', 'text'],
  });
  const othersCpu = meter();
  return { entries, lines, operations, system, othersCpu, scroll: await scrollLog(hub) };
}

async function nextId(hub: BenchHub, path: string): Promise<number> {
  const { list } = (await hub.call(`${path}?count=1`)) as { list: { id: number }[] };
  return (list[0]?.id ?? 0) + 1;
}

/** CPU used by neither the hub nor the bench until the meter is read, in cores. */
function startMeter(hub: BenchHub): () => number {
  const own = () => threadTimes([process.pid, ...Object.values(hub.processes()).flat()]);
  const [busy, before, at] = [machineBusySeconds(), own(), performance.now()];
  return () => Math.max(0, machineBusySeconds() - busy - cpuSeconds(before, own())) / ((performance.now() - at) / 1000);
}

interface Log {
  readonly path: string;
  readonly questions: readonly Question<Plain>[];
  readonly database: string;
  readonly table: string;
  readonly columns: readonly string[];
}

async function measureLog(hub: BenchHub, log: Log): Promise<LogAnswer[]> {
  const db = new Database(log.database, { readonly: true });
  const folder = makeTempFolder('logs');
  const file = join(folder, 'export.txt');
  const response = await hub.stream(`${log.path}/export`, AbortSignal.timeout(grepMs));
  writeFileSync(file, new Uint8Array(await response.arrayBuffer()));
  try {
    const answers: LogAnswer[] = [];
    for (const { what, filter } of log.questions) {
      const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
      const ours = await timesOf(asked, () => hub.call(`${log.path}/list?count=50&${query}`));
      const plain = await timesOf(askedPlain, () => askPlainly(db, plainSql(log.table, log.columns, filter)));
      const isText = Object.keys(filter).join() === 'key';
      const grep = isText ? await timesOf(askedPlain, () => grepFor(filter.key ?? '', file)) : undefined;
      answers.push({ what, ours, plain, ...(grep && { grep }) });
    }
    return answers;
  } finally {
    db.close();
    removeTempFolder(folder);
  }
}

async function timesOf(count: number, ask: () => unknown): Promise<number[]> {
  for (let i = 0; i < warmUps; i++) await ask();
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const at = performance.now();
    await ask();
    times.push(performance.now() - at);
  }
  return times;
}

function askPlainly(db: Database, { count, page }: ReturnType<typeof plainSql>): void {
  db.query(count.sql).get(...count.values);
  db.query(page.sql).all(...page.values);
}

async function grepFor(key: string, file: string): Promise<void> {
  // The output is read, because grep stops at the first match if its output is discarded.
  const child = Bun.spawn(['grep', '-i', '-F', '-c', '-e', key, file], { stdout: 'pipe', timeout: grepMs });
  await Promise.all([child.exited, new Response(child.stdout).text()]);
}

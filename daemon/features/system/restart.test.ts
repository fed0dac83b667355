import { expect, test } from 'bun:test';
import { quietMedia } from '../../../tests/fixtures/composed-hub.ts';
import type { RestartablePart } from '../../contract/system-parts.ts';
import { RequestError } from '../../ipc/request-table.ts';
import type { MediaStatus } from '../../media/port.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { type RestartDeps, restartPart } from './restart.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };

function setup(request: RestartDeps['media']['request'], status: Partial<MediaStatus> = {}) {
  const db = memoryDatabase();
  const restarted: string[] = [];
  const media = {
    request,
    restart: () => restarted.push('engine') > 0,
    status: () => ({ ...quietMedia().port.status(), ...status }),
  };
  return {
    restarted,
    restart: (name: RestartablePart, unlessRunning = false) =>
      restartPart({ db, audit: createAudit(Date.now), media }, actor, { name, 'unless-running': unlessRunning }),
    logged: () =>
      db
        .select()
        .from(operationLog)
        .all()
        .map(({ action, subject }) => `${action} ${subject}`),
  };
}

test('the hub restarts the engine, and the engine restarts an endpoint; both are logged', async () => {
  const asked: unknown[] = [];
  const { restart, restarted, logged } = setup(async (ask) => {
    asked.push(ask);
    return { what: 'done' };
  });
  await restart('engine');
  await restart('udp');
  expect(restarted).toEqual(['engine']);
  expect(asked).toEqual([{ what: 'restart', endpoint: 'udp' }]);
  expect(logged()).toEqual(['system.restartPart engine', 'system.restartPart udp']);
});

test('an endpoint that was not restarted, because the engine is down, is not logged', async () => {
  const { restart, logged } = setup(() => Promise.reject(new RequestError('down', 'the media engine is not running')));
  await expect(restart('srt')).rejects.toMatchObject({ result: 'noResponse' });
  expect(logged()).toEqual([]);
});

test('a part that came up in the meantime is left alone if the caller says so', async () => {
  const asked: unknown[] = [];
  const { restart, restarted, logged } = setup(
    async (ask) => {
      asked.push(ask);
      return { what: 'done' };
    },
    {
      engine: 'running',
      parts: [
        { name: 'srt', ok: true, port: 8000 },
        { name: 'udp', ok: false, reason: 'crashed' },
      ],
    },
  );
  for (const name of ['engine', 'srt', 'udp'] as const) await restart(name, true);
  expect([restarted, asked, logged()]).toEqual([
    [],
    [{ what: 'restart', endpoint: 'udp' }],
    ['system.restartPart udp'],
  ]);
});

import { expect, test } from 'bun:test';
import { RequestError } from '../../ipc/request-table.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { type RestartDeps, restartPart } from './restart.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };

function setup(request: RestartDeps['media']['request']) {
  const db = memoryDatabase();
  const restarted: string[] = [];
  const media = { request, restart: () => void restarted.push('engine') };
  return {
    restarted,
    restart: (name: 'engine' | 'srt' | 'udp') => restartPart({ db, audit: createAudit(Date.now), media }, actor, name),
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

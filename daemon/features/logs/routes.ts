import { logApi } from '../../contract/logs.ts';
import { bind, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { listOperations } from './store.ts';

export function logRoutes(db: Database): Route[] {
  return [bind(logApi.list, ({ query }) => listOperations(db, query))];
}

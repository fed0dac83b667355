import { systemLogApi } from '../../contract/system-log.ts';
import { bind, type Route } from '../../http/route.ts';
import type { SystemLogStore } from './store.ts';

export function systemLogRoutes(store: SystemLogStore): Route[] {
  return [bind(systemLogApi.list, ({ query }) => store.list(query))];
}

import { systemApi } from '../../contract/system.ts';
import { bind, type Route } from '../../http/route.ts';
import type { SystemService } from './service.ts';

export function systemRoutes(system: SystemService): Route[] {
  return [bind(systemApi.status, () => ({ status: system.status() })), bind(systemApi.history, () => system.history())];
}

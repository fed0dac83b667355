import { taskApi } from '../../contract/tasks.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { TaskService } from './service.ts';

export function taskRoutes(tasks: TaskService): Route[] {
  return [
    bind(taskApi.list, ({ session, query }) => tasks.list(signedIn(session), query)),
    bind(taskApi.query, ({ session, query }) => tasks.query(signedIn(session), query.id)),
    bind(taskApi.cancel, ({ actor, session, body }) => tasks.cancel(actor, signedIn(session), body.id)),
  ];
}

import { scheduleApi } from '../../contract/schedules.ts';
import { bind, type Route, signedIn } from '../../http/route.ts';
import type { ScheduleService } from './service.ts';

export function scheduleRoutes(schedules: ScheduleService): Route[] {
  return [
    bind(scheduleApi.list, ({ query, session }) => schedules.list(signedIn(session), query)),
    bind(scheduleApi.query, ({ query, session, objects }) =>
      schedules.query({ session: signedIn(session), objects }, query.id),
    ),
    bind(scheduleApi.add, ({ body, session, objects, actor }) => ({
      id: schedules.add({ actor, session: signedIn(session), objects }, body),
    })),
    bind(scheduleApi.set, ({ body, session, objects, actor }) => ({
      revision: schedules.set({ actor, session: signedIn(session), objects }, body),
    })),
    bind(scheduleApi.del, ({ body, session, objects, actor }) =>
      schedules.del({ actor, session: signedIn(session), objects }, [body.id].flat()),
    ),
  ];
}

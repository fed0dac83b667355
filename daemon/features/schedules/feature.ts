/** Assembles the noun for the composition root. A hub without schedules loads no code for them until it is called. */
import { calls } from '../../contract/calls.ts';
import { eventTopics } from '../../contract/events.ts';
import type { Schedule } from '../../contract/schedules.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createObjectTopic } from '../../http/topic.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { Queries } from '../../store/database.ts';
import { scheduleRows } from '../../store/rows.ts';
import type { ScheduleDeps } from './deps.ts';
import type { ScheduleService } from './service.ts';
import { disownSchedules, type ScheduleRow } from './store.ts';

interface FeatureDeps extends ScheduleDeps {
  /** Whether the hub manages devices; otherwise no schedule runs, also if some are stored. */
  readonly isOn: boolean;
  /** Calls the listener when an access token ends. */
  readonly onTokenEnd: (listener: () => void) => () => void;
}

export function createScheduleFeature(deps: FeatureDeps) {
  const { db, log } = deps;
  const changes = createEmitter<[ids: readonly number[]]>();
  let loading: Promise<ScheduleService> | undefined;
  let service: ScheduleService | undefined;
  let isClosed = false;
  let hasForgotten = false;
  const load = (): Promise<ScheduleService> => {
    loading ??= import('./service.ts').then(({ createScheduleService }) => {
      service = createScheduleService(deps);
      service.onChange((ids) => changes.emit(ids));
      if (deps.isOn && !isClosed) service.start();
      changes.emit([...service.rows()].map(({ id }) => id));
      return service;
    });
    return loading;
  };

  return {
    routes: [lazyRoutes(calls.schedules, async () => (await import('./routes.ts')).scheduleRoutes(await load()))],
    topics: [
      createObjectTopic<ScheduleRow, Schedule>({
        name: 'schedules',
        scope: eventTopics.schedules,
        all: () => service?.rows() ?? [],
        find: (id) => service?.find(Number(id)),
        keyOf: ({ id }) => id,
        show: (row) => {
          if (service === undefined) throw new Error('the schedules are not loaded');
          return service.view(row);
        },
        canSee: (session, row) => service?.canSee(session, row) ?? false,
        watch(changed) {
          const all = () => changed([...(service?.rows() ?? [])].map(({ id }) => id));
          const leave = [changes.on(changed), deps.devices.onChange(all), deps.onTokenEnd(all)];
          return () => {
            for (const stop of leave) stop();
          };
        },
      }),
    ],
    start(): void {
      if (!deps.isOn || scheduleRows.count(db) === 0) return;
      load().catch((error) => log.error('the schedules cannot run', { reason: String(error) }));
    },
    async close(): Promise<void> {
      isClosed = true;
      await service?.close();
    },
    /** Call within the transaction that deletes a user, and `refreshIfForgotten` after it. */
    forget(tx: Queries, userId: number): void {
      disownSchedules(tx, userId);
      hasForgotten = true;
    },
    refreshIfForgotten(): void {
      if (hasForgotten) service?.reload([...service.rows()].map(({ id }) => id));
      hasForgotten = false;
    },
  } satisfies Feature & Record<string, unknown>;
}

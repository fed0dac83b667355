/** Assembles the tasks for the composition root. */
import { eventTopics } from '../../contract/events.ts';
import { type Task, taskApi } from '../../contract/tasks.ts';
import type { Feature } from '../../http/feature.ts';
import type { ObjectAccess } from '../../http/object-access.ts';
import { bind, signedIn } from '../../http/route.ts';
import { createObjectTopic } from '../../http/topic.ts';
import { type OwnedTask, shown, type TaskService } from './service.ts';

export function taskFeature(tasks: TaskService, { canSee }: Pick<ObjectAccess, 'canSee'>): Feature {
  return {
    routes: [
      bind(taskApi.list, ({ session, query }) => tasks.list(signedIn(session), query)),
      bind(taskApi.query, ({ session, query }) => tasks.query(signedIn(session), query.id)),
      bind(taskApi.cancel, ({ actor, session, body }) => tasks.cancel(actor, signedIn(session), body.id)),
    ],
    topics: [
      createObjectTopic<OwnedTask, Task>({
        name: 'tasks',
        scope: eventTopics.tasks,
        all: tasks.all,
        find: (id) => tasks.all().find((task) => task.id === id),
        keyOf: ({ id }) => id,
        show: shown,
        canSee,
        watch: tasks.onChange,
      }),
    ],
    start: tasks.start,
    close: tasks.close,
  };
}

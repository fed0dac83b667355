/** Assembles the tasks for the composition root. */
import { calls } from '../../contract/calls.ts';
import { eventTopics } from '../../contract/events.ts';
import type { Task } from '../../contract/tasks.ts';
import type { Feature } from '../../http/feature.ts';
import type { ObjectAccess } from '../../http/object-access.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createObjectTopic } from '../../http/topic.ts';
import { type OwnedTask, shown, type TaskService } from './service.ts';

export function taskFeature(tasks: TaskService, { canSee }: Pick<ObjectAccess, 'canSee'>): Feature {
  return {
    routes: [lazyRoutes(calls.tasks, async () => (await import('./routes.ts')).taskRoutes(tasks))],
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

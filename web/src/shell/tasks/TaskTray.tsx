import { deferredPart } from '../../lib/lazy-part.tsx';
import { useTasks } from '../../shared/tasks/tasks-query.ts';

const TaskButton = deferredPart(() => import('./TaskButton.tsx'));

/** Costs the first load of a hub without tasks next to nothing. */
export function TaskTray() {
  const tasks = useTasks();
  return tasks.length === 0 ? null : <TaskButton all={tasks} />;
}

import { useTasks } from '../../shared/tasks/tasks-query.ts';
import TaskButton from './TaskButton.tsx';

/** Loaded after the page, because a hub usually has no tasks. */
export default function TaskTray() {
  const tasks = useTasks();
  return tasks.length === 0 ? null : <TaskButton all={tasks} />;
}

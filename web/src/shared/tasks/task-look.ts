/** Maps states of tasks and of their items to color, icon and text. */
import { msg } from '@lingui/core/macro';
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconProgress,
} from '@tabler/icons-react';
import type { Task, TaskItem } from '../../../../daemon/contract/tasks.ts';
import type { Look } from '../../ui/data/StateMark.tsx';

export const itemLooks: Record<TaskItem['state'], Look> = {
  waiting: { tone: 'off', icon: IconCircleDashed, text: msg`Waiting` },
  running: { tone: 'info', icon: IconProgress, text: msg`Running` },
  done: { tone: 'live', icon: IconCircleCheck, text: msg`Done` },
  failed: { tone: 'fault', icon: IconCircleX, text: msg`Failed` },
  canceled: { tone: 'off', icon: IconBan, text: msg`Canceled` },
  interrupted: { tone: 'warn', icon: IconAlertTriangle, text: msg`Interrupted` },
};

const partly: Look = { tone: 'warn', icon: IconAlertTriangle, text: msg`Done in part` };

/** A task whose items failed has not done what its name says. */
export function taskLook({ state, failed, total }: Task): Look {
  if (state !== 'done' || failed === 0) return itemLooks[state];
  return failed === total ? itemLooks.failed : partly;
}

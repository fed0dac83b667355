import { i18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { faultText } from '../../i18n/result-text.ts';
import { taskName } from '../../i18n/task-text.ts';
import { callErrorOf } from '../../lib/call-error.ts';
import { showToast } from '../../ui/feedback/toasts.ts';

export function announceEnds(tasks: readonly Task[]): void {
  for (const task of tasks) {
    const isGood = task.state === 'canceled' || (task.state === 'done' && task.failed === 0);
    showToast(isGood ? 'success' : 'error', endText(task), `task-${task.id}`);
  }
}

function endText(task: Task): string {
  const { state, failed, total, fault } = task;
  const name = taskName(i18n, task);
  if (state === 'canceled') return i18n._(msg`“${name}” was canceled.`);
  if (state === 'interrupted') return i18n._(msg`“${name}” was interrupted because the hub stopped.`);
  if (state === 'failed') {
    const reason = faultText(i18n, fault && callErrorOf(fault));
    return i18n._(msg`“${name}” failed. ${reason}`);
  }
  return failed > 0 ? i18n._(msg`“${name}” has ended: ${failed} of ${total} failed.`) : i18n._(msg`“${name}” is done.`);
}

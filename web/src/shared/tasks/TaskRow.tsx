import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { taskApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { isKnownKind, taskKindText, taskName } from '../../i18n/task-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import type { Format } from '../../lib/format.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { useSystem } from '../system/system-query.ts';
import { timeLeft } from './progress.ts';
import { TaskDetails } from './TaskDetails.tsx';
import styles from './TaskRow.module.css';
import { taskLook } from './task-look.ts';

interface TaskRowProps {
  readonly task: Task;
  /** Closes the panel, which would cover a dialog. */
  readonly onClose: () => void;
}

export function TaskRow({ task, onClose }: TaskRowProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const isRunning = task.ended === 0;
  return (
    <li className={styles.task}>
      <div className={styles.head}>
        <button type="button" className={styles.name} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <IconChevronRight size={15} aria-hidden />
          <TaskName id={`${id}name`} task={task} />
        </button>
        {isRunning && task.cancelable && <CancelButton task={task} nameId={`${id}name`} onClose={onClose} />}
      </div>
      {isRunning && task.total > 0 && (
        <progress className={styles.bar} aria-labelledby={`${id}name`} max={task.total} value={task.done} />
      )}
      <TaskFacts task={task} />
      {isOpen && <TaskDetails task={task} />}
    </li>
  );
}

function TaskName({ id, task: { kind, subject } }: { id: string; task: Task }) {
  const { i18n } = useLingui();
  return (
    <span id={id}>
      <span className={styles.kind} {...(!isKnownKind(kind) && { lang: 'en' })}>
        {taskKindText(i18n, kind)}
      </span>{' '}
      <span translate="no">{subject}</span>
    </span>
  );
}

function CancelButton({ task, nameId, onClose }: TaskRowProps & { readonly nameId: string }) {
  const { i18n, t } = useLingui();
  const id = useId();
  const name = taskName(i18n, task);
  const ask = () => {
    onClose();
    confirm({
      title: t`Cancel “${name}”?`,
      consequence:
        task.unit === 'bytes'
          ? t`The part of the file received so far is deleted.`
          : t`Completed items are kept. The others are not carried out.`,
      verb: t`Cancel task`,
      keep: t`Keep running`,
      isDangerous: true,
      run: () => call(taskApi.cancel, { body: { id: task.id } }),
    });
  };
  return (
    <Button id={id} size="xs" variant="default" aria-labelledby={`${id} ${nameId}`} onClick={ask}>
      <Trans>Cancel</Trans>
    </Button>
  );
}

function TaskFacts({ task }: { task: Task }) {
  const { t } = useLingui();
  const format = useFormat();
  const user = useSession().name;
  const { done, total, failed, owner, ended } = task;
  const left = useTimeLeft(task);
  const [doneText, totalText] = [amountText(format, task, done), amountText(format, task, total)];
  return (
    <div className={styles.facts}>
      <LookMark look={taskLook(task)} />
      {(done > 0 || total > 0) && <span>{total === 0 ? doneText : t`${doneText} of ${totalText}`}</span>}
      {failed > 0 && (
        <span className={styles.failed}>
          <Plural value={failed} one="# failed" other="# failed" />
        </span>
      )}
      {left !== undefined && <span>{t`${left} left`}</span>}
      {ended > 0 && <Moment time={ended} />}
      {owner !== user && (
        <span>
          <Trans>
            by <span translate="no">{owner}</span>
          </Trans>
        </span>
      )}
    </div>
  );
}

function useTimeLeft(task: Task): string | undefined {
  const format = useFormat();
  const seconds = useSystem()?.info['date-time'];
  if (task.ended > 0 || seconds === undefined) return undefined;
  const left = timeLeft(task, seconds * 1000);
  return left === undefined ? undefined : format.duration(left / 1000);
}

function amountText(format: Format, { unit }: Task, value: number): string {
  if (unit !== 'bytes') return format.number(value);
  const amount = format.bytes(value);
  return `${amount.value} ${amount.unit}`;
}

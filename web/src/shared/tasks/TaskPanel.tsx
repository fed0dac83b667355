import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { restoreFocus } from '../../ui/overlay/focus-return.ts';
import styles from './TaskPanel.module.css';
import { TaskRow } from './TaskRow.tsx';

interface TaskPanelProps {
  readonly tasks: readonly Task[];
  /** Removes the ended tasks. */
  readonly onClear: () => void;
  readonly onClose: () => void;
}

/** The hub keeps hundreds of ended tasks. */
const endedAtOnce = 20;

/** The tasks in a popover below the top bar, as wide as the screen on a phone: running ones, then ended ones. */
export default function TaskPanel({ tasks, onClear, onClose }: TaskPanelProps) {
  const { t } = useLingui();
  const titleId = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [endedShown, setEndedShown] = useState(endedAtOnce);
  useLayoutEffect(() => {
    panel.current?.showPopover();
    panel.current?.focus();
  }, []);
  useEffect(() => () => void setTimeout(restoreFocus), []);
  const running = tasks.filter(({ ended }) => ended === 0).toSorted((a, b) => b.id - a.id);
  const ended = tasks.filter((task) => task.ended > 0).toSorted((a, b) => b.ended - a.ended || b.id - a.id);
  const clear = () => {
    onClear();
    // The button disappears with the tasks.
    panel.current?.focus();
  };
  return (
    <div
      ref={panel}
      popover="auto"
      role="dialog"
      tabIndex={-1}
      aria-labelledby={titleId}
      className={styles.panel}
      onToggle={(event) => event.newState === 'closed' && onClose()}
    >
      <div className={styles.top}>
        <h2 id={titleId}>
          <Trans>Tasks</Trans>
        </h2>
        {ended.length > 0 && (
          <Button size="xs" variant="default" title={t`Remove ended tasks from this list`} onClick={clear}>
            <Trans>Clear</Trans>
          </Button>
        )}
      </div>
      {tasks.length === 0 && (
        <p className={styles.none}>
          <Trans>No tasks.</Trans>
        </p>
      )}
      <TaskList label={t`Running tasks`} tasks={running} onClose={onClose} />
      <TaskList label={t`Ended tasks`} tasks={ended.slice(0, endedShown)} onClose={onClose} />
      {ended.length > endedShown && (
        <Button size="xs" variant="subtle" fullWidth onClick={() => setEndedShown(endedShown + endedAtOnce)}>
          <Trans>Show older tasks</Trans>
        </Button>
      )}
    </div>
  );
}

interface TaskListProps {
  readonly label: string;
  readonly tasks: readonly Task[];
  readonly onClose: () => void;
}

function TaskList({ label, tasks, onClose }: TaskListProps) {
  if (tasks.length === 0) return null;
  return (
    <ul aria-label={label} className={styles.list}>
      {tasks.map((task) => (
        <TaskRow key={task.id} task={task} onClose={onClose} />
      ))}
    </ul>
  );
}

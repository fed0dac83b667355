import { useLingui } from '@lingui/react/macro';
import { IconListCheck } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { useSession } from '../../api/session.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { hasFailed, overallShare } from '../../shared/tasks/progress.ts';
import bar from '../frame/TopBar.module.css';
import { useClearedTasks } from './cleared-tasks.ts';
import styles from './TaskButton.module.css';

const TaskPanel = deferredPart(async () => {
  const [panel] = await Promise.all([import('../../shared/tasks/TaskPanel.tsx'), addTexts('pages')]);
  return panel;
});

/** The button of the tasks, shown while there are any. It is the first of the bar, so that the others do not move. */
export default function TaskButton({ all }: { all: readonly Task[] }) {
  const { t } = useLingui();
  const { isCleared, clear } = useClearedTasks(useSession().name);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const tasks = all.filter((task) => !isCleared(task));
  if (tasks.length === 0 && !isOpen) return null;
  const running = tasks.filter(({ ended }) => ended === 0);
  const isBad = tasks.some(hasFailed);
  const count = running.length;
  const label = isBad ? t`Tasks: ${count} running, some have failed` : t`Tasks: ${count} running`;
  return (
    <>
      <button
        type="button"
        className={bar.button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? <IconListCheck size={18} stroke={1.7} aria-hidden /> : <Ring share={overallShare(running)} />}
        {count > 0 && <span>{count}</span>}
        {isBad && (
          <span className={styles.bad} aria-hidden="true">
            !
          </span>
        )}
      </button>
      {isOpen && <TaskPanel tasks={tasks} onClear={() => clear(all)} onClose={close} />}
    </>
  );
}

function Ring({ share }: { share: number }) {
  return (
    <svg className={styles.ring} viewBox="0 0 18 18" width={18} height={18} aria-hidden="true">
      <circle cx={9} cy={9} r={7} />
      <circle cx={9} cy={9} r={7} pathLength={100} strokeDasharray={`${Math.round(share * 100)} 100`} />
    </svg>
  );
}

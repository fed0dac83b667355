import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { upgradeReportPath } from '../../../../daemon/contract/calls.ts';
import type { Task, TaskItem } from '../../../../daemon/contract/tasks.ts';
import { addressOf } from '../../api/client.ts';
import { actionFaultText } from '../../i18n/device-action-text.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { callErrorOf } from '../../lib/call-error.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Moment } from '../../ui/data/Moment.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import styles from './TaskDetails.module.css';
import { taskItemsQuery } from './task-items.ts';
import { itemLooks } from './task-look.ts';

/** Most hubs never need it. */
const UpgradeItem = deferredPart(async () => {
  await addTexts('devices');
  return await import('../firmware/upgrade/UpgradeItem.tsx');
});

/** A task has thousands of items at most. */
const itemsAtOnce = 100;
/** Each response has all items of the task. */
const itemsEveryMs = 2000;

/** When a task ran, why it failed, and the result of each item. */
export function TaskDetails({ task }: { task: Task }) {
  const { data: items, error } = useQuery(taskItemsQuery(task, itemsEveryMs));
  return (
    <div className={styles.details}>
      {task.fault && (
        <p className={styles.fault}>
          <FaultText error={callErrorOf(task.fault)} />
        </p>
      )}
      <TaskTimes task={task} />
      {error !== null && <ActFault error={error} />}
      {task.kind === 'device.upgrade' && task.ended > 0 && (
        <a href={addressOf(upgradeReportPath, { task: task.id })} download>
          <Trans>Report (CSV)</Trans>
        </a>
      )}
      {items !== undefined && items.length > 0 && <ItemList items={items} />}
    </div>
  );
}

function TaskTimes({ task: { started, ended } }: { task: Task }) {
  const format = useFormat();
  const duration = format.duration((ended - started) / 1000);
  return (
    <p className={styles.times}>
      <span>
        <Trans>
          Started: <Moment time={started} />
        </Trans>
      </span>
      {ended > 0 && (
        <span>
          <Trans>Duration: {duration}</Trans>
        </span>
      )}
    </p>
  );
}

/** With the failed ones first. */
export function ItemList({ items }: { items: readonly TaskItem[] }) {
  const { t } = useLingui();
  const [shown, setShown] = useState(itemsAtOnce);
  const sorted = useMemo(() => failedFirst(items), [items]);
  return (
    <>
      <ul aria-label={t`Items`} className={styles.items}>
        {sorted
          .slice(0, shown)
          .map((item) =>
            item.upgrade === undefined ? (
              <ItemRow key={item.key} item={item} />
            ) : (
              <UpgradeItem key={item.key} item={item} />
            ),
          )}
      </ul>
      {items.length > shown && <More left={items.length - shown} onMore={() => setShown(shown + itemsAtOnce)} />}
    </>
  );
}

function ItemRow({ item: { name, state, fault } }: { item: TaskItem }) {
  const { i18n } = useLingui();
  return (
    <li className={styles.item}>
      <span className={styles.name} translate="no">
        {name}
      </span>
      <LookMark look={itemLooks[state]} />
      {fault && <span className={styles.reason}>{actionFaultText(i18n, callErrorOf(fault))}</span>}
    </li>
  );
}

function More({ left, onMore }: { left: number; onMore: () => void }) {
  const format = useFormat();
  const [count, rest] = [format.number(Math.min(left, itemsAtOnce)), format.number(left)];
  return (
    <Button size="xs" variant="subtle" fullWidth onClick={onMore}>
      <Trans>
        Show {count} more of {rest}
      </Trans>
    </Button>
  );
}

/** All others keep their order, which does not change while the task runs. */
function failedFirst(items: readonly TaskItem[]): readonly TaskItem[] {
  const isFailed = ({ state }: TaskItem) => state === 'failed';
  return [...items.filter(isFailed), ...items.filter((item) => !isFailed(item))];
}

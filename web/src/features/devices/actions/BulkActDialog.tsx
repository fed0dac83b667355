import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import { NewDeviceName } from '../../../../../daemon/contract/device-fields.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { deviceActionApi, taskApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { actionReasonTexts } from '../../../i18n/device-action-text.ts';
import { ruleText } from '../../../i18n/rule-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { actionLooks } from '../../../shared/devices/action-look.ts';
import { ItemList } from '../../../shared/tasks/TaskDetails.tsx';
import { taskItemsQuery } from '../../../shared/tasks/task-items.ts';
import { useTasks } from '../../../shared/tasks/tasks-query.ts';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import type { BulkDialogProps } from '../../../ui/table/bulk.ts';
import styles from './actions.module.css';
import { type BulkPlan, numberedName, planOf } from './bulk-plan.ts';
import { ImpactText } from './ImpactText.tsx';

/** Devices that are named for each reason. */
const maxNamed = 6;
const itemsEveryMs = 1000;

type BulkActDialogProps = Pick<BulkDialogProps<Device>, 'items' | 'onClose'> & { readonly action: DeviceAction };

/** Asks before several devices do something; then shows what comes of it for each, also when some failed. */
export default function BulkActDialog({ action, items, onClose }: BulkActDialogProps) {
  const { i18n } = useLingui();
  const [started, setStarted] = useState<Started>();
  // What was chosen and how it was then; the devices change while they act.
  const [plan] = useState(() => planOf(action, items));
  return (
    <Dialog title={i18n._(actionLooks[action].verb)} onClose={onClose} size={560} isHeld={started !== undefined}>
      {started === undefined ? (
        <Question action={action} plan={plan} onStarted={setStarted} onClose={onClose} />
      ) : (
        <Progress key={started.task} action={action} started={started} again={setStarted} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface Started {
  readonly task: number;
  /** The pattern of the names, of a rename. */
  readonly name: string | undefined;
}

const begin = async (action: DeviceAction, sn: readonly string[], name: string | undefined): Promise<Started> => {
  const params = name === undefined ? {} : { params: { name } };
  const { task = 0 } = await call(deviceActionApi.act, { body: { sn: [...sn], action, ...params } });
  return { task, name };
};

interface QuestionProps {
  readonly action: DeviceAction;
  readonly plan: BulkPlan;
  readonly onStarted: (started: Started) => void;
  readonly onClose: () => void;
}

function Question({ action, plan: { able, others }, onStarted, onClose }: QuestionProps) {
  const { i18n, t } = useLingui();
  const [pattern, setPattern] = useState('');
  const isRename = action === 'rename';
  const start = useMutation({
    mutationFn: () =>
      begin(
        action,
        able.map(({ sn }) => sn),
        isRename ? pattern : undefined,
      ),
    onSuccess: onStarted,
  });
  const { isDangerous, verb } = actionLooks[action];
  const fault = isRename ? nameFault(pattern, able.length) : undefined;
  return (
    <Stack gap="md">
      <p className={styles.sum}>
        {others.length === 0 ? (
          <Plural value={able.length} one="# device can do this." other="All # devices can do this." />
        ) : (
          <Trans>
            {able.length} of {able.length + others.reduce((sum, { devices }) => sum + devices.length, 0)} devices can do
            this.
          </Trans>
        )}
      </p>
      {others.length > 0 && <Others others={others} />}
      {able.length > 0 && isDangerous && <ImpactText action={action} devices={able} />}
      {isRename && able.length > 0 && (
        <TextInput
          label={t`Name`}
          description={
            able.length > 1 ? t`Each # becomes a digit of the number: Hall ## for Hall 01, Hall 02` : undefined
          }
          value={pattern}
          onChange={(event) => setPattern(event.currentTarget.value)}
          error={pattern !== '' && fault !== undefined ? ruleText(i18n, fault) : undefined}
          data-autofocus
        />
      )}
      {isRename && fault === undefined && able.length > 1 && (
        <p className={styles.names} translate="no">
          {numberedName(pattern, 0)} … {numberedName(pattern, able.length - 1)}
        </p>
      )}
      {start.error !== null && <ActFault error={start.error} />}
      <div className={styles.foot}>
        <Button variant="default" onClick={onClose} {...(!isRename && { 'data-autofocus': true })}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          {...(isDangerous && { color: 'fault' })}
          disabled={able.length === 0 || fault !== undefined}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {i18n._(verb)} {able.length}
        </Button>
      </div>
    </Stack>
  );
}

/** The rule that the pattern breaks; the longest name must fit, too. */
function nameFault(pattern: string, count: number): string | undefined {
  const { name } = faultAt('name', NewDeviceName, numberedName(pattern, count - 1)) as { name?: string };
  if (name !== undefined) return name;
  return count > 1 && !pattern.includes('#') ? 'counter' : undefined;
}

function Others({ others }: Pick<BulkPlan, 'others'>) {
  const { i18n, t } = useLingui();
  const { comma } = useFormat();
  return (
    <ul className={styles.reasons} aria-label={t`Devices that cannot do this`}>
      {others.map(({ reason, devices }) => {
        const names = devices.slice(0, maxNamed).map(({ name }) => name);
        const more = devices.length - names.length;
        return (
          <li key={reason}>
            {i18n._(actionReasonTexts[reason])}
            <span className={styles.names}>
              <span translate="no">{names.join(comma)}</span>{' '}
              {more > 0 && <Plural value={more} one="and # more" other="and # more" />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface ProgressProps {
  readonly action: DeviceAction;
  readonly started: Started;
  readonly again: (started: Started) => void;
  readonly onClose: () => void;
}

function Progress({ action, started: { task: id, name }, again, onClose }: ProgressProps) {
  const { t } = useLingui();
  // The list of tasks is a moment behind the answer that started a task.
  const task = useTasks().find((one) => one.id === id);
  const ended = task?.ended ?? 0;
  const { data: items = [] } = useQuery(taskItemsQuery({ id, ended }, itemsEveryMs));
  const failed = items.filter(({ state }) => state === 'failed' || state === 'interrupted').map(({ key }) => key);
  const done = items.filter(({ state }) => state === 'done').length;
  const cancel = useMutation({ mutationFn: () => call(taskApi.cancel, { body: { id } }) });
  const retry = useMutation({ mutationFn: () => begin(action, failed, name), onSuccess: again });
  const isRunning = ended === 0;
  const error = cancel.error ?? retry.error;
  // A second numbering would give names that the others have.
  const mayRetry = !isRunning && failed.length > 0 && (action !== 'rename' || failed.length === items.length);
  return (
    <Stack gap="md">
      <div>
        <p className={styles.sum} aria-live="polite">
          {isRunning ? (
            <Trans>
              {done + failed.length} of {items.length} done
            </Trans>
          ) : failed.length > 0 ? (
            <Trans>
              {done} done, {failed.length} failed
            </Trans>
          ) : (
            <Plural value={done} one="# done" other="# done" />
          )}
        </p>
        <progress aria-label={t`Progress`} max={Math.max(1, items.length)} value={done + failed.length} />
      </div>
      <div className={styles.items}>
        <ItemList items={items} />
      </div>
      {error !== null && <ActFault error={error} />}
      <div className={styles.foot}>
        {isRunning && (
          <Button
            variant="default"
            loading={cancel.isPending}
            disabled={task?.cancelable === false}
            onClick={() => cancel.mutate()}
          >
            <Trans>Cancel the rest</Trans>
          </Button>
        )}
        {mayRetry && (
          <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
            <Trans>Retry failed devices</Trans>
          </Button>
        )}
        <Button onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      </div>
    </Stack>
  );
}

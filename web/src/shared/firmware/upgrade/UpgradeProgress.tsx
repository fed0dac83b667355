import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { upgradeReportPath } from '../../../../../daemon/contract/calls.ts';
import { taskApi } from '../../../api/calls.ts';
import { addressOf, call } from '../../../api/client.ts';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { taskItemsQuery } from '../../tasks/task-items.ts';
import { useTasks } from '../../tasks/tasks-query.ts';
import UpgradeItem from './UpgradeItem.tsx';
import styles from './upgrade.module.css';

interface UpgradeProgressProps {
  /** Id of the task. */
  readonly task: number;
  readonly onClose: () => void;
}

const itemsEveryMs = 1000;

/** What becomes of each device. */
export function UpgradeProgress({ task: id, onClose }: UpgradeProgressProps) {
  const { t } = useLingui();
  // The list of tasks is a moment behind the answer that started it.
  const task = useTasks().find((one) => one.id === id);
  const ended = task?.ended ?? 0;
  const { data: items = [] } = useQuery(taskItemsQuery({ id, ended }, itemsEveryMs));
  const done = items.filter(({ state }) => state === 'done').length;
  const failed = items.filter(({ state }) => state === 'failed' || state === 'interrupted').length;
  const cancel = useMutation({ mutationFn: () => call(taskApi.cancel, { body: { id } }) });
  const isRunning = ended === 0;
  const ask = () =>
    confirm({
      title: t`Cancel the upgrade?`,
      consequence: t`Devices that are already installing the file finish the installation. The others keep their current firmware.`,
      verb: t`Cancel upgrade`,
      keep: t`Continue`,
      isDangerous: true,
      run: () => cancel.mutateAsync(),
    });
  return (
    <Stack gap="md">
      <div>
        <p className={styles.sum} aria-live="polite">
          {isRunning ? (
            <Trans>
              {done + failed} of {items.length} done
            </Trans>
          ) : failed > 0 ? (
            <Trans>
              {done} upgraded, {failed} failed
            </Trans>
          ) : (
            <Plural value={done} one="# device upgraded" other="# devices upgraded" />
          )}
        </p>
        <progress className={styles.bar} aria-label={t`Progress`} max={items.length || 1} value={done + failed} />
      </div>
      <ul className={styles.list} aria-label={t`Devices`}>
        {items.map((item) => (
          <UpgradeItem key={item.key} item={item} />
        ))}
      </ul>
      {isRunning && (
        <p>
          <Trans>The upgrade continues when you close this dialog. Follow it under the tasks in the top bar.</Trans>
        </p>
      )}
      {cancel.error !== null && <ActFault error={cancel.error} />}
      <div className={styles.foot}>
        {isRunning ? (
          <Button variant="default" loading={cancel.isPending} onClick={ask}>
            <Trans>Cancel upgrade</Trans>
          </Button>
        ) : (
          <Button
            component="a"
            variant="default"
            href={addressOf(upgradeReportPath, { task: id })}
            download
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            <Trans>Report (CSV)</Trans>
          </Button>
        )}
        <Button onClick={onClose} data-autofocus>
          <Trans>Close</Trans>
        </Button>
      </div>
    </Stack>
  );
}

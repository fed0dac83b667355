import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { actionFaultText } from '../../../i18n/device-action-text.ts';
import { callErrorOf } from '../../../lib/call-error.ts';
import { devicePath, paths } from '../../../lib/paths.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import styles from './Schedules.module.css';
import { scheduleQuery, zoneQuery } from './schedule-calls.ts';
import { momentText } from './schedule-look.ts';

interface LastRunDialogProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

/** Which devices did not do it in the last run, and why. */
export default function LastRunDialog({ schedule, onClose }: LastRunDialogProps) {
  const { t, i18n } = useLingui();
  const { name, last } = schedule;
  const zone = useQuery(zoneQuery).data ?? 'UTC';
  const failed = useQuery(scheduleQuery(schedule.id, `${last?.time} ${last?.state}`)).data?.failed ?? [];
  if (last === undefined) return null;
  const time = momentText(i18n, last.time, zone);
  const { done, total } = last;
  const missing = last.state === 'done' ? total - done - failed.length : 0;
  return (
    <Dialog title={t`Last run of “${name}”`} size={560} onClose={onClose}>
      <Stack gap="sm">
        <p className={styles.hint}>
          {last.state === 'missed' && (
            <Trans>The run at {time} was missed: the hub was not running, or was more than 5 minutes late.</Trans>
          )}
          {last.state === 'interrupted' && (
            <Trans>The run at {time} was interrupted. The operation log shows which devices it reached.</Trans>
          )}
          {last.state === 'running' && <Trans>The run at {time} is in progress.</Trans>}
          {last.state === 'done' && (
            <Trans>
              {done} of {total} devices did it at {time}.
            </Trans>
          )}
        </p>
        {failed.length > 0 && (
          <ul className={styles.failures}>
            {failed.map(({ sn, name: device, fault }) => (
              <li key={sn} className={styles.cell}>
                <Link to={devicePath(sn, paths.schedules)}>{device}</Link>
                <span>{actionFaultText(i18n, callErrorOf(fault))}</span>
              </li>
            ))}
          </ul>
        )}
        {missing > 0 && (
          <p className={styles.hint}>
            <Plural
              value={missing}
              one="# other device failed. It was deleted, or you cannot view it."
              other="# other devices failed. They were deleted, or you cannot view them."
            />
          </p>
        )}
      </Stack>
    </Dialog>
  );
}

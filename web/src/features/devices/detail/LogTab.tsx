import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Device, DeviceEvent } from '../../../../../daemon/contract/devices.ts';
import { deviceApi, logApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { useMay } from '../../../api/session.ts';
import { activityColumns } from '../../../shared/operations/activity-columns.tsx';
import { Moment } from '../../../ui/data/Moment.tsx';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { Skeleton } from '../../../ui/layout/Skeleton.tsx';
import type { Column, Identified } from '../../../ui/table/column.ts';
import { TableGrid } from '../../../ui/table/TableGrid.tsx';
import styles from '../DevicePage.module.css';
import { eventLook, eventReason } from './event-look.ts';

const pageSize = 20;
const lookAgainMs = 5000;

const columns: readonly Column<DeviceEvent>[] = [
  { key: 'time', title: msg`Time`, width: 190, cell: ({ time }) => <Moment time={time} />, onCard: 'state' },
  {
    key: 'event',
    title: msg`Event`,
    width: 220,
    cell: (event) => <LookMark look={eventLook(event)} />,
    onCard: 'title',
  },
  { key: 'reason', title: msg`Reason`, cell: (event) => <ReasonCell event={event} />, onCard: 'text' },
];

function ReasonCell({ event }: { event: DeviceEvent }) {
  const { i18n } = useLingui();
  const reason = eventReason(event);
  if (reason === undefined) return <NoValue />;
  if (typeof reason !== 'string') return i18n._(reason);
  return (
    <span lang="en" className={styles.line} title={reason}>
      {reason}
    </span>
  );
}

/** What happened to the device, and for administrators who changed it. */
export default function LogTab({ device }: { device: Device }) {
  const { t } = useLingui();
  const maySeeOperations = useMay('admin');
  const { sn } = device;
  const events = useInfiniteQuery({
    queryKey: ['devices', 'log', sn],
    queryFn: ({ signal, pageParam }) =>
      call(deviceApi.log, { query: { sn, count: pageSize, ...(pageParam > 0 && { before: pageParam }) }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next === 0 ? undefined : next),
    refetchInterval: lookAgainMs,
  });
  return (
    <>
      <LogPanel
        title={<Trans>Events</Trans>}
        label={t`Events of this device`}
        columns={columns}
        log={events}
        none={<Trans>No events yet. The list shows when the device goes offline, has a problem or a warning.</Trans>}
      />
      {maySeeOperations && <Operations device={device} />}
    </>
  );
}

function Operations({ device: { id, revision } }: { device: Device }) {
  const { t } = useLingui();
  const operations = useInfiniteQuery({
    // Each change raises the revision.
    queryKey: ['logs', 'device', id, revision],
    queryFn: ({ signal, pageParam }) =>
      call(logApi.list, {
        query: { device: id, count: pageSize, ...(pageParam > 0 && { before: pageParam }) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next === 0 ? undefined : next),
    placeholderData: (before) => before,
  });
  return (
    <LogPanel
      title={<Trans>Changes</Trans>}
      label={t`Changes of this device`}
      columns={activityColumns}
      log={operations}
      none={<Trans>No changes yet.</Trans>}
    />
  );
}

interface LogPanelProps<T> {
  readonly title: ReactNode;
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly log: {
    readonly data: { readonly pages: readonly { readonly list: readonly T[] }[] } | undefined;
    readonly error: Error | null;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly none: ReactNode;
}

function LogPanel<T extends Identified>({ title, label, columns: shown, log, none }: LogPanelProps<T>) {
  const list = log.data?.pages.flatMap((page) => page.list);
  return (
    <Panel title={title} isFlush>
      {list === undefined && (
        <div className={styles.quiet} aria-busy={log.error === null}>
          {log.error === null ? <Skeleton height={120} /> : <ActFault error={log.error} />}
        </div>
      )}
      {list?.length === 0 && <p className={styles.quiet}>{none}</p>}
      {list !== undefined && list.length > 0 && <TableGrid label={label} columns={shown} rows={list} />}
      {log.hasNextPage && (
        <div className={styles.quiet}>
          <Button size="xs" variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            <Trans>Show older</Trans>
          </Button>
        </div>
      )}
    </Panel>
  );
}

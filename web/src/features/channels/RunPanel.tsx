import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect } from '@mantine/core';
import { IconArrowNarrowRight, IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { runExportPath } from '../../../../daemon/contract/calls.ts';
import type { RunEvent } from '../../../../daemon/contract/run-history.ts';
import { type RunPart, runParts } from '../../../../daemon/contract/streams.ts';
import { runHistoryApi } from '../../api/calls.ts';
import { addressOf, call } from '../../api/client.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './ChannelDetailPage.module.css';
import { runLook } from './run-look.ts';
import { switchReasonText } from './switch-text.ts';

const pageSize = 10;
/** Changes can arrive every second; a short delay fetches several at once. */
const lookAgainMs = 5000;

const columns: readonly Column<RunEvent>[] = [
  { key: 'time', title: msg`Time`, width: 170, cell: ({ time }) => <Moment time={time} />, onCard: 'state' },
  { key: 'what', title: msg`Object`, width: 340, cell: (event) => <PartCell event={event} />, onCard: 'title' },
  { key: 'change', title: msg`Change`, width: 290, cell: (event) => <ChangeCell event={event} />, onCard: 'text' },
  { key: 'reason', title: msg`Reason`, cell: (event) => <ReasonCell event={event} />, onCard: 'text' },
];

const partNames: Record<RunPart, MessageDescriptor> = {
  channel: msg`Channel`,
  input: msg`Input`,
  backup: msg`Backup`,
  output: msg`Output`,
  switch: msg`Switch`,
};

/** State history of the channel, its input and its outputs. */
export default function RunPanel({ id }: { id: number }) {
  const { t, i18n } = useLingui();
  const [part, setPart] = useState<RunPart | ''>('');
  const events = useInfiniteQuery({
    queryKey: ['run-history', id, part],
    queryFn: ({ signal, pageParam }) => {
      const query = { id, count: pageSize, ...(part !== '' && { what: part }) };
      const cursor = pageParam === 0 ? {} : { cursor: pageParam };
      return call(runHistoryApi.list, { query: { ...query, ...cursor }, signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    refetchInterval: lookAgainMs,
  });
  const list = events.data?.pages.flatMap((page) => page.list);
  return (
    <Panel
      title={<Trans>Run history</Trans>}
      isFlush
      aside={
        <span className={styles.headActions}>
          <Button
            component="a"
            href={addressOf(runExportPath, { id })}
            download
            size="xs"
            variant="default"
            leftSection={<IconDownload size={15} aria-hidden />}
          >
            <Trans>Download as CSV</Trans>
          </Button>
          <NativeSelect
            size="xs"
            aria-label={t`Filter by object`}
            data={[
              { value: '', label: t`All` },
              ...runParts.map((value) => ({ value, label: i18n._(partNames[value]) })),
            ]}
            value={part}
            onChange={(event) => setPart(event.currentTarget.value as RunPart | '')}
          />
        </span>
      }
    >
      {list?.length === 0 && (
        <p className={styles.quiet}>
          <Trans>No events yet.</Trans>
        </p>
      )}
      {list !== undefined && list.length > 0 && (
        <TableGrid label={t`Run history of this channel`} columns={columns} rows={list} />
      )}
      {events.hasNextPage && (
        <div className={styles.quiet}>
          <Button
            size="xs"
            variant="default"
            loading={events.isFetchingNextPage}
            onClick={() => void events.fetchNextPage()}
          >
            <Trans>Show older</Trans>
          </Button>
        </div>
      )}
    </Panel>
  );
}

function PartCell({ event: { what, name } }: { event: RunEvent }) {
  const { i18n } = useLingui();
  const part = i18n._(partNames[what]);
  return what === 'channel' || name === '' ? part : <span title={name}>{`${part} “${name}”`}</span>;
}

function ChangeCell({ event: { what, from, to, reason } }: { event: RunEvent }) {
  const { i18n } = useLingui();
  const before = runLook(what, from);
  const after = runLook(what, to, reason);
  return (
    <span className={styles.change}>
      {before !== undefined && (
        <>
          <span className={styles.faint}>{i18n._(before.text)}</span>
          <IconArrowNarrowRight size={14} stroke={1.6} aria-label="→" />
        </>
      )}
      {after === undefined ? to : <LookMark look={after} />}
    </span>
  );
}

function ReasonCell({ event }: { event: RunEvent }) {
  const { i18n } = useLingui();
  const format = useFormat();
  const text = event.what === 'switch' ? switchReasonText(i18n, format, event) : reasonText(i18n, event.reason);
  return text === undefined ? <NoValue /> : <span title={text}>{text}</span>;
}

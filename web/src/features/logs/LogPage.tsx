import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { IconCircleCheck, IconCircleX, IconList } from '@tabler/icons-react';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { logApi, type Operation } from '../../../../daemon/contract/logs.ts';
import { resultName } from '../../../../daemon/contract/result.ts';
import { call } from '../../api/client.ts';
import { CallError } from '../../api/result.ts';
import { operationText } from '../../i18n/operation-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { PageHeader } from '../../shell/PageHeader.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { StateMark } from '../../ui/StateMark.tsx';
import type { Column } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';

const refreshMs = 10_000;

const operationsQuery = queryOptions({
  queryKey: ['logs', 'operations'],
  queryFn: async ({ signal }) => (await call(logApi.list, { query: { count: limits.page.max }, signal })).list,
  refetchInterval: refreshMs,
});

const columns: readonly Column<Operation>[] = [
  {
    key: 'time',
    title: msg`Time`,
    width: 210,
    cell: (operation) => <TimeCell time={operation.time} />,
    sortValue: (operation) => operation.time,
    isFixed: true,
  },
  {
    key: 'user',
    title: msg`User`,
    width: 130,
    cell: (operation) => operation.user,
    sortValue: (operation) => operation.user,
    searchText: (operation) => operation.user,
  },
  {
    key: 'ip',
    title: msg`IP address`,
    width: 160,
    cell: (operation) => operation.ip,
    sortValue: (operation) => operation.ip,
    searchText: (operation) => operation.ip,
  },
  {
    key: 'action',
    title: msg`Action`,
    width: 210,
    cell: (operation) => <ActionCell action={operation.action} />,
    sortValue: (operation) => operation.action,
    searchText: (operation) => operation.action,
    onCard: 'title',
  },
  {
    key: 'detail',
    title: msg`Details`,
    cell: (operation) => <span title={operation.detail}>{operation.detail}</span>,
    searchText: (operation) => operation.detail,
  },
  {
    key: 'result',
    title: msg`Result`,
    width: 150,
    cell: (operation) => <ResultCell code={operation.result} />,
    sortValue: (operation) => operation.result,
    onCard: 'state',
  },
];

export default function LogPage() {
  const { t } = useLingui();
  const operations = useSuspenseQuery(operationsQuery).data;
  return (
    <>
      <PageHeader title={t`Operation log`} />
      <DataTable
        id="operations"
        label={t`Operation log`}
        columns={columns}
        items={operations}
        getId={getId}
        empty={
          <EmptyState icon={IconList} title={<Trans>Nothing was done yet</Trans>}>
            <Trans>Every change of the hub is listed here with who made it.</Trans>
          </EmptyState>
        }
      />
    </>
  );
}

function getId(operation: Operation): number {
  return operation.id;
}

function TimeCell({ time }: { time: number }) {
  const format = useFormat();
  return (
    <time dateTime={new Date(time).toISOString()} title={format.relative(time, Date.now())}>
      {format.dateTime(time)}
    </time>
  );
}

function ActionCell({ action }: { action: string }) {
  const { i18n } = useLingui();
  return <span>{operationText(i18n, action)}</span>;
}

function ResultCell({ code }: { code: number }) {
  const { i18n, t } = useLingui();
  if (code === 0) {
    return (
      <StateMark tone="off" icon={IconCircleCheck}>
        {t`Success`}
      </StateMark>
    );
  }
  const name = resultName(code);
  const error = new CallError(name === undefined || name === 'success' ? 'unknownCode' : name, { code });
  return (
    <span title={faultText(i18n, error)}>
      <StateMark tone="fault" icon={IconCircleX}>
        {t`Failed`}
      </StateMark>
    </span>
  );
}

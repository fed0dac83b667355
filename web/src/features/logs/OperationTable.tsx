import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAlertTriangle, IconList, IconSearchOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import type { AnswerOf } from '../../../../daemon/contract/endpoint.ts';
import type { logApi, Operation } from '../../../../daemon/contract/logs.ts';
import { phone } from '../../shell/screen.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FaultText } from '../../ui/FaultText.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { orderedColumns } from '../../ui/table/column-choice.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import { TablePager } from '../../ui/table/TablePager.tsx';
import { TableToolbar } from '../../ui/table/TableToolbar.tsx';
import styles from './OperationLog.module.css';

interface OperationTableProps {
  readonly log: UseQueryResult<AnswerOf<typeof logApi.list>>;
  readonly toolbar: Omit<ComponentProps<typeof TableToolbar<Operation>>, 'hasChooser' | 'children'>;
  readonly sizes: readonly number[];
}

/** The table of the other pages over rows that the hub has searched and cut into pages. */
export function OperationTable({ log, toolbar, sizes }: OperationTableProps) {
  const { t } = useLingui();
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const { address, change, settings, columns, keep } = toolbar;
  const { data } = log;
  const total = data?.total ?? 0;
  const pageCount = Math.max(1, Math.ceil(total / settings.pageSize));
  const shown = orderedColumns(columns, settings).filter((column) => !settings.hidden.includes(column.key));
  return (
    <div className={styles.frame}>
      <TableToolbar {...toolbar} hasChooser={isPhone !== true}>
        {null}
      </TableToolbar>
      {data === undefined && (log.isError ? <LoadFault log={log} /> : <RowSkeleton />)}
      {data !== undefined && data.list.length === 0 && <NoRows total={total} search={address.search} change={change} />}
      {data !== undefined && data.list.length > 0 && (
        <div className={log.isPlaceholderData ? styles.stale : undefined}>
          <TableGrid label={t`Operation log`} columns={shown} rows={data.list} getId={getId} />
        </div>
      )}
      {data !== undefined && (
        <TablePager
          model={{ matching: total, page: address.page, pageCount }}
          total={total}
          settings={settings}
          sizes={sizes}
          change={change}
          keep={keep}
        />
      )}
    </div>
  );
}

function getId(operation: Operation): number {
  return operation.id;
}

interface NoRowsProps extends Pick<OperationTableProps['toolbar'], 'change'> {
  readonly total: number;
  readonly search: string;
}

function NoRows({ total, search, change }: NoRowsProps): ReactNode {
  if (total > 0) {
    return (
      <EmptyState
        icon={IconList}
        title={<Trans>The log doesn't reach this far</Trans>}
        action={
          <Button variant="default" onClick={() => change({ page: 0 })}>
            <Trans>To the newest entries</Trans>
          </Button>
        }
      />
    );
  }
  if (search.trim() === '') {
    return (
      <EmptyState icon={IconList} title={<Trans>Nothing was done yet</Trans>}>
        <Trans>Every change of the hub is listed here with who made it.</Trans>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconSearchOff}
      title={<Trans>Nothing matches the search</Trans>}
      action={
        <Button variant="default" onClick={() => change({ search: '' })}>
          <Trans>Clear the search</Trans>
        </Button>
      }
    >
      <Trans>User names, addresses and details are searched.</Trans>
    </EmptyState>
  );
}

function LoadFault({ log }: Pick<OperationTableProps, 'log'>) {
  return (
    <EmptyState
      icon={IconAlertTriangle}
      title={<Trans>The log could not be loaded</Trans>}
      action={
        <Button variant="default" onClick={() => void log.refetch()}>
          <Trans>Try again</Trans>
        </Button>
      }
    >
      <FaultText error={log.error} />
    </EmptyState>
  );
}

function RowSkeleton() {
  return (
    <div className={styles.skeleton} aria-busy="true">
      {Array.from({ length: 8 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have nothing else
        <Skeleton key={row} height={18} />
      ))}
    </div>
  );
}

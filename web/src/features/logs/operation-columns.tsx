import { msg } from '@lingui/core/macro';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import type { Column } from '../../ui/table/column.ts';
import { ActionCell, DetailCell, PlaceCell, ResultCell, TimeCell, UserCell } from './log-cells.tsx';

export const operationColumns: readonly Column<Operation>[] = [
  {
    key: 'time',
    title: msg`Time`,
    width: 190,
    cell: (operation) => <TimeCell operation={operation} />,
    isFixed: true,
  },
  { key: 'user', title: msg`User`, width: 116, cell: (operation) => <UserCell operation={operation} /> },
  { key: 'ip', title: msg`IP address`, width: 136, cell: (operation) => <PlaceCell operation={operation} /> },
  {
    key: 'action',
    title: msg`Action`,
    width: 230,
    cell: (operation) => <ActionCell operation={operation} />,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'detail',
    title: msg`Details`,
    priority: 1,
    cell: (operation) => <DetailCell operation={operation} />,
    onCard: 'line',
  },
  {
    key: 'result',
    title: msg`Result`,
    width: 176,
    cell: (operation) => <ResultCell operation={operation} />,
    onCard: 'state',
  },
];

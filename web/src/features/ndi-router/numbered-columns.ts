import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { type Column, nameColumn } from '../../ui/table/column.ts';

/** An input or output in a table. `name`: what it is called on the console. */
interface Numbered {
  readonly id: number;
  readonly name: string;
  readonly group: string;
}

/** The columns that the tables of inputs and of outputs share. `title`: of the number. */
export function numberedColumns<Row extends Numbered>(title: MessageDescriptor) {
  const number: Column<Row> = {
    ...{ key: 'id', title, width: 84, isFixed: true },
    cell: ({ id }) => id,
    sortValue: ({ id }) => id,
  };
  const label: Column<Row> = { ...nameColumn, title: msg`Label`, minWidth: 140 };
  const group: Column<Row> = {
    ...{ key: 'group', title: msg`Group`, width: 130 },
    cell: (row) => row.group,
    sortValue: (row) => row.group,
    searchText: (row) => row.group,
  };
  return { number, label, group };
}

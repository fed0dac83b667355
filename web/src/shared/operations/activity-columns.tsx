/** Columns of the operation log where it is about one object. */
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import type { Column } from '../../ui/table/column.ts';
import { detailText, operationText, resultText } from './operation-text.ts';

export const activityColumns: readonly Column<Operation>[] = [
  { key: 'time', title: msg`Time`, width: 170, cell: ({ time }) => <Moment time={time} />, onCard: 'state' },
  { key: 'user', title: msg`User`, width: 150, cell: ({ user }) => (user === '' ? <NoValue /> : user) },
  { key: 'action', title: msg`Action`, width: 280, cell: (one) => <ActionCell operation={one} />, onCard: 'title' },
  { key: 'detail', title: msg`Details`, cell: (one) => <DetailCell operation={one} />, onCard: 'text' },
];

function ActionCell({ operation }: { operation: Operation }) {
  const { i18n } = useLingui();
  const text = operationText(i18n, operation);
  return <span title={text}>{text}</span>;
}

function DetailCell({ operation }: { operation: Operation }) {
  const { i18n } = useLingui();
  const { result } = operation;
  const parts = [detailText(i18n, operation), result === 0 ? '' : resultText(i18n, operation)];
  const text = parts.filter((part) => part !== '').join(' · ');
  return text === '' ? <NoValue /> : <span title={text}>{text}</span>;
}

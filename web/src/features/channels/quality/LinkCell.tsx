import { useLingui } from '@lingui/react/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import type { TransportReport } from '../../../../../daemon/contract/channels.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { isMeasure } from '../../../lib/format.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { type ConnectionKind, dialogOf } from './connections.ts';
import styles from './LinkCell.module.css';
import { type LinkValue, linkFigures, lossTone } from './link-figures.ts';

interface LinkCellProps {
  readonly kind: ConnectionKind;
  readonly id: number;
  readonly name: string;
  readonly report: TransportReport | undefined;
}

/** Current loss and round trip of a connection; a button that opens their history. */
export function LinkCell({ kind, id, name, report }: LinkCellProps) {
  const { t } = useLingui();
  const { open } = useDialogAddress();
  const texts = useLinkTexts(linkFigures(report));
  if (texts.length === 0) return <NoValue />;
  const short = texts.map((text) => text.short).join(' · ');
  const long = texts.map((text) => text.long).join(', ');
  return (
    <button
      type="button"
      className={styles.link}
      data-tone={lossTone(report?.['loss-percent'])}
      title={long}
      onClick={() => open(dialogOf(kind), kind === 'input' ? undefined : id)}
    >
      <span>{short}</span>
      <VisuallyHidden>{t`Link quality of ${name}: ${long}`}</VisuallyHidden>
      <IconChartLine size={14} stroke={1.7} aria-hidden />
    </button>
  );
}

interface LinkText {
  readonly short: string;
  /** Full text for screen readers and the tooltip. */
  readonly long: string;
}

function useLinkTexts(values: readonly LinkValue[]): LinkText[] {
  const { t } = useLingui();
  const format = useFormat();
  const textOf = ({ figure, value }: LinkValue): LinkText => {
    const amount = isMeasure(figure) ? format.measure(figure, value).value : format.number(value);
    switch (figure) {
      case 'loss-percent':
        return { short: t`${amount} % loss`, long: t`${amount} % lost in the last 10 s` };
      case 'rtt-ms':
        return { short: `RTT ${amount} ms`, long: `RTT ${amount} ms` };
      case 'jitter-ms':
        return { short: t`jitter ${amount} ms`, long: t`jitter ${amount} ms` };
      case 'cc-errors':
        return { short: t`${amount} CC errors`, long: t`${amount} continuity counter errors in the last second` };
      case 'buffer-ms':
        return { short: t`queue ${amount} ms`, long: t`${amount} ms in the queue` };
      case 'pkt-drop':
        return {
          short: value === 0 ? t`no drops` : t`${amount} dropped`,
          long: t`${amount} packets dropped in the last second`,
        };
    }
  };
  return values.map(textOf);
}

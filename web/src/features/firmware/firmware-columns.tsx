import { msg } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconAlertTriangle, IconCircleCheck, IconLock } from '@tabler/icons-react';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Firmware } from '../../../../daemon/contract/firmware.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { amountText } from '../../lib/format.ts';
import { familyTexts } from '../../shared/devices/device-look.ts';
import { useFamilyText } from '../../shared/firmware/family-text.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import type { Column } from '../../ui/table/column.ts';
import styles from './FirmwareListPage.module.css';

export type FirmwareState = 'ready' | 'inUse' | 'missing';

const looks: Record<FirmwareState, Look> = {
  ready: { tone: 'live', icon: IconCircleCheck, text: msg`Available` },
  inUse: { tone: 'info', icon: IconLock, text: msg`In use` },
  missing: { tone: 'fault', icon: IconAlertTriangle, text: msg`File missing` },
};

export function stateOf(one: Firmware): FirmwareState {
  if (one['is-missing']) return 'missing';
  return one['in-use'] ? 'inUse' : 'ready';
}

/** Versions in their order, as text. */
const sortedVersion = ({ version }: Firmware) =>
  version
    .split('.')
    .map((part) => part.padStart(5, '0'))
    .join('.');

export const firmwareColumns: readonly Column<Firmware>[] = [
  {
    key: 'product',
    title: msg`Product`,
    minWidth: 180,
    cell: (one) => <ProductCell one={one} />,
    sortValue: (one) => `${one['product-name']} ${one['product-id']}`,
    searchText: (one, i18n) => {
      const family = familyTexts[familyOf(one.module)];
      return `${one['product-name']} ${one['product-id']} ${typeof family === 'string' ? family : i18n._(family)}`;
    },
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'version',
    title: msg`Version`,
    width: 160,
    priority: 4,
    cell: (one) => <VersionCell one={one} />,
    sortValue: sortedVersion,
    searchText: ({ version }) => version,
  },
  {
    key: 'hardware',
    title: msg`Hardware`,
    width: 104,
    priority: 3,
    cell: (one) => one['hardware-ver'],
    sortValue: (one) => one['hardware-ver'],
  },
  {
    key: 'state',
    title: msg`State`,
    width: 118,
    cell: (one) => <LookMark look={looks[stateOf(one)]} />,
    sortValue: (one) => stateOf(one),
    searchText: (one, i18n) => i18n._(looks[stateOf(one)].text),
    isFixed: true,
    onCard: 'state',
  },
  {
    key: 'size',
    title: msg`Size`,
    width: 90,
    priority: 1,
    isRight: true,
    cell: (one) => <SizeCell bytes={one['file-size']} />,
    sortValue: (one) => one['file-size'],
  },
  {
    key: 'uploaded',
    title: msg`Uploaded`,
    width: 165,
    priority: 2,
    cell: (one) => <Moment time={one['upload-date'] * 1000} />,
    sortValue: (one) => one['upload-date'],
  },
  {
    key: 'user',
    title: msg`Uploaded by`,
    width: 120,
    cell: (one) => one['uploaded-by'],
    sortValue: (one) => one['uploaded-by'],
    searchText: (one) => one['uploaded-by'],
    isOptional: true,
  },
  {
    key: 'file',
    title: msg`File name`,
    minWidth: 210,
    cell: ({ name }) => (
      <span translate="no" title={name}>
        {name}
      </span>
    ),
    sortValue: ({ name }) => name,
    searchText: ({ name }) => name,
    onCard: 'line',
  },
];

function ProductCell({ one }: { one: Firmware }) {
  const familyText = useFamilyText();
  const { module, 'product-name': name, 'product-id': id } = one;
  const family = familyText(familyOf(module));
  return (
    <span className={styles.product}>
      <span className={styles.name}>{name || family}</span>
      <span className={styles.faint}>{name === '' || name === family ? `ID ${id}` : `${family} · ID ${id}`}</span>
    </span>
  );
}

function VersionCell({ one }: { one: Firmware }) {
  return (
    <span className={styles.version}>
      {one.version}
      {one['is-pre-release'] && (
        <span className={styles.tag}>
          <Trans>Pre-release</Trans>
        </span>
      )}
    </span>
  );
}

function SizeCell({ bytes }: { bytes: number }) {
  return amountText(useFormat().bytes(bytes));
}

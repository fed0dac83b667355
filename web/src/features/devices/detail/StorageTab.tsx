import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { DeviceFacts } from '../../../../../daemon/contract/device-facts.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { NoValue, Quantity } from '../../../ui/data/Quantity.tsx';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import styles from '../DevicePage.module.css';
import { NothingKnown } from './NothingKnown.tsx';

type Disk = DeviceFacts['disks'][number];

const kinds: Record<Disk['kind'], MessageDescriptor> = {
  usb: msg`USB storage`,
  sd: msg`SD card`,
  nas: msg`Network storage`,
  internal: msg`Internal storage`,
};

const states: Record<Disk['state'], MessageDescriptor> = {
  ready: msg`Ready`,
  missing: msg`Missing`,
  full: msg`Full`,
  slow: msg`Too slow`,
  readOnly: msg`Read-only`,
  failed: msg`Failed`,
};

export function StorageTab({ facts }: { facts: DeviceFacts | undefined }) {
  const { i18n } = useLingui();
  const disks = facts?.disks ?? [];
  if (disks.length === 0) return <NothingKnown />;
  return disks.map((disk, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: disks have no names, and their order does not change
    <Panel key={at} title={i18n._(kinds[disk.kind])}>
      <DiskFacts disk={disk} />
    </Panel>
  ));
}

function DiskFacts({ disk }: { disk: Disk }) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const total = disk['total-bytes'];
  const free = disk['free-bytes'];
  const seconds = disk['free-s'];
  const used = total !== undefined && free !== undefined && total > 0 ? ((total - free) / total) * 100 : undefined;
  const bytes = (value: number | undefined) =>
    value === undefined ? <NoValue /> : <Quantity amount={format.bytes(value)} />;
  return (
    <>
      <Facts
        facts={[
          { name: t`State`, value: i18n._(states[disk.state]) },
          { name: t`Size`, value: bytes(total) },
          { name: t`Free`, value: bytes(free) },
          { name: t`Space for recording`, value: seconds === undefined ? <NoValue /> : format.span(seconds) },
        ]}
      />
      {used !== undefined && (
        <div className={styles.bar} aria-hidden>
          <div
            className={styles.filled}
            style={{ width: `${used}%` }}
            data-tone={used >= fullPercent ? 'fault' : used >= scarcePercent ? 'warn' : 'usual'}
          />
        </div>
      )}
    </>
  );
}

const scarcePercent = 85;
const fullPercent = 95;

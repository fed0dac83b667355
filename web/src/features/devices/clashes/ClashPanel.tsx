import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeviceClash } from '../../../../../daemon/contract/device-clashes.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import styles from './ClashPanel.module.css';
import { clashesQuery, decideClash } from './clash-calls.ts';

/** Two devices with one serial number, above the devices that wait for approval; nothing while there are none. */
export default function ClashPanel() {
  const { t } = useLingui();
  const clashes = useQuery(clashesQuery).data ?? [];
  if (clashes.length === 0) return null;
  return (
    <div className={styles.around}>
      <Panel
        title={
          <>
            <Trans>Serial number conflicts</Trans> <span className={styles.badge}>{clashes.length}</span>
          </>
        }
        isFlush
      >
        <ul className={styles.list} aria-label={t`Serial number conflicts`}>
          {clashes.map((clash) => (
            <Clash key={clash.id} clash={clash} />
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Clash({ clash: { id, sn, present, other, count } }: { clash: DeviceClash }) {
  const { t } = useLingui();
  const { name } = present;
  const keep = () =>
    confirm({
      title: t`Keep the current device?`,
      consequence: t`The hub continues to refuse the other device, and does not report it again.`,
      verb: t`Keep the current one`,
      run: () => decideClash({ id, choice: 'keep' }),
      done: t`“${name}” stays as it is.`,
    });
  const replace = () =>
    confirm({
      title: t`Replace “${name}” by the new device?`,
      consequence: t`The hub trusts the key or the address of the new device from now on, and no longer reaches the current one. Name, group and channels stay. Compare the fingerprints first.`,
      verb: t`Replace by the new one`,
      isDangerous: true,
      run: () => decideClash({ id, choice: 'replace' }),
      done: t`“${name}” was replaced. Its agent connects within 15 minutes, or at once when it is restarted.`,
    });
  const dismiss = () =>
    confirm({
      title: t`Dismiss this conflict?`,
      consequence: t`It appears again when the other device tries again.`,
      verb: t`Dismiss`,
      run: () => decideClash({ id, choice: 'dismiss' }),
    });
  return (
    <li className={styles.clash}>
      <p className={styles.what}>
        {count === 1 ? (
          <Trans>Another device reports the serial number {sn}. It was refused.</Trans>
        ) : (
          <Trans>
            Another device reports the serial number {sn}. It was refused; it has tried {count} times.
          </Trans>
        )}
      </p>
      <div className={styles.sides}>
        <Side title={t`Current device`} side={present} />
        <Side title={t`New device`} side={other} />
      </div>
      <div className={styles.buttons}>
        <Button size="xs" variant="default" onClick={keep}>
          <Trans>Keep the current one</Trans>
        </Button>
        <Button size="xs" variant="default" onClick={replace}>
          <Trans>Replace by the new one</Trans>
        </Button>
        <Button size="xs" variant="subtle" onClick={dismiss}>
          <Trans>Dismiss</Trans>
        </Button>
      </div>
    </li>
  );
}

function Side({ title, side }: { title: string; side: DeviceClash['present'] }) {
  const { t } = useLingui();
  const format = useFormat();
  const time = (ms: number) => (ms === 0 ? <NoValue /> : format.dateTime(ms));
  return (
    <section className={styles.side} aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      <Facts
        facts={[
          { name: t`Name`, value: side.name },
          { name: t`Model`, value: side.model || <NoValue /> },
          { name: t`Reached`, value: side.link === 'agent' ? t`Through an agent` : t`Directly` },
          { name: t`Address`, value: side.address || <NoValue /> },
          { name: t`First seen`, value: time(side['first-seen']) },
          { name: t`Last seen`, value: time(side['last-seen']) },
        ]}
      />
      <p className={styles.key}>
        <span className={styles.label}>{side.link === 'agent' ? t`Key (SHA-256)` : t`Certificate (SHA-256)`}</span>
        {side.fingerprint === '' ? <NoValue /> : <code>{side.fingerprint}</code>}
      </p>
    </section>
  );
}

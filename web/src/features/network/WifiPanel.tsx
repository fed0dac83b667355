import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Wifi } from '../../../../daemon/contract/wifi.ts';
import { isJoinable } from '../../../../daemon/contract/wifi-fields.ts';
import { useMay } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { faultOf } from '../../lib/call-error.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { MissingParts } from '../../shared/appliance/MissingParts.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Facts } from '../../ui/layout/Facts.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { cutOff } from './cut-off.ts';
import styles from './WifiPanel.module.css';
import { forgetWifi, joinWifi, scanWifi, wifiQuery } from './wifi-calls.ts';
import { securityTexts, ssidText, strengthIcon, type WifiRow, wifiLooks, wifiRows } from './wifi-look.ts';

const WifiJoinDialog = deferredPart(() => import('./WifiJoinDialog.tsx'));

/** What is being joined: a network of the list, or one whose name is not announced. */
type Joining = WifiRow | 'hidden';

/** The Wi-Fi adapter: its network, those in range, and those that the hub knows. */
export function WifiPanel() {
  const wifi = useSuspenseQuery(wifiQuery).data;
  const mayEdit = useMay('systemEdit');
  const [joining, setJoining] = useState<Joining>();
  const isUsable = mayEdit && !['none', 'off', 'unavailable'].includes(wifi.state);
  const rows = wifiRows(wifi);
  return (
    <Panel title={<Trans>Wi-Fi</Trans>} aside={<LookMark look={wifiLooks[wifi.state]} />} isFlush>
      <div className={styles.body}>
        <WifiState wifi={wifi} />
        {isUsable && <WifiButtons onHidden={() => setJoining('hidden')} />}
      </div>
      {rows.length > 0 && (
        <ul className={styles.list}>
          {rows.map((row) => (
            <NetworkRow key={row.key} row={row} isUsable={isUsable} mayEdit={mayEdit} onJoin={setJoining} />
          ))}
        </ul>
      )}
      {joining !== undefined && (
        <WifiJoinDialog
          key={joining === 'hidden' ? '' : joining.key}
          network={joining === 'hidden' ? undefined : joining}
          onClose={() => setJoining(undefined)}
        />
      )}
    </Panel>
  );
}

function WifiState({ wifi }: { wifi: Wifi }) {
  const { t } = useLingui();
  const { comma } = useFormat();
  const { state, current } = wifi;
  if (state === 'none') {
    return (
      <p className={styles.hint}>
        <Trans>This hub has no Wi-Fi adapter.</Trans>
      </p>
    );
  }
  if (state === 'off') {
    return (
      <p className={styles.hint}>
        <Trans>The Wi-Fi adapter is switched off, by a switch of the machine or by its operating system.</Trans>
      </p>
    );
  }
  if (state === 'unavailable') return <MissingParts missing={wifi.missing} />;
  const strength = current?.strength ?? 0;
  return (
    <Facts
      facts={[
        { name: t`Network`, value: current ? <bdi>{ssidText(current.ssid)}</bdi> : '–' },
        { name: t`Signal`, value: current && strength > 0 ? t`${strength} %` : '–' },
        {
          name: t`Addresses now`,
          value: <span className={styles.mono}>{current?.addresses.join(comma) || '–'}</span>,
          isWide: true,
        },
        { name: t`Interface`, value: <span className={styles.mono}>{wifi.interface}</span> },
      ]}
    />
  );
}

function WifiButtons({ onHidden }: { onHidden: () => void }) {
  const scan = useMutation({ mutationFn: scanWifi });
  return (
    <>
      <div className={styles.head}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={15} aria-hidden />}
          loading={scan.isPending}
          onClick={() => scan.mutate()}
        >
          <Trans>Search for networks</Trans>
        </Button>
        <Button variant="default" size="xs" onClick={onHidden}>
          <Trans>Join a hidden network</Trans>
        </Button>
      </div>
      {scan.error !== null && <ActFault error={scan.error} />}
    </>
  );
}

interface NetworkRowProps {
  readonly row: WifiRow;
  /** Whether networks can be joined now. */
  readonly isUsable: boolean;
  readonly mayEdit: boolean;
  readonly onJoin: (row: WifiRow) => void;
}

function NetworkRow({ row, isUsable, mayEdit, onJoin }: NetworkRowProps) {
  const { t, i18n } = useLingui();
  const { security, strength, isKnown, isCurrent } = row;
  const name = ssidText(row.ssid);
  const Icon = strengthIcon(strength);
  const rejoin = useMutation({
    mutationFn: () => joinWifi({ 'ssid-hex': row['ssid-hex'] }),
    onSuccess: () => showToast('success', t`The hub has joined “${name}”.`),
    onError: (error) =>
      faultOf(error) === 'objectBusy'
        ? confirm(cutOff(i18n, name, () => joinWifi({ 'ssid-hex': row['ssid-hex'], force: true })))
        : showToast('error', `${name}: ${faultText(i18n, error)}`, `wifi-${row.key}`),
  });
  const forget = () =>
    confirm({
      title: t`Forget “${name}”?`,
      consequence: isCurrent
        ? t`The hub leaves this network and deletes its key.`
        : t`The hub deletes the key and no longer joins this network by itself.`,
      verb: t`Forget network`,
      isDangerous: true,
      run: (force) => forgetWifi({ 'ssid-hex': row['ssid-hex'], force }),
      forced: {
        consequence: () => t`You are connected to the console through this network, and will lose the connection.`,
        verb: t`Forget network anyway`,
      },
      done: t`“${name}” was forgotten.`,
    });
  // A stored network, or one without a key, needs no further input, but an open one deserves a warning.
  const join = () => (isKnown ? rejoin.mutate() : onJoin(row));
  const canJoin = isUsable && !isCurrent && strength !== undefined && (isJoinable(security) || isKnown);
  return (
    <li className={styles.row}>
      <Icon className={styles.signal} size={20} stroke={1.7} aria-hidden />
      <div className={styles.what}>
        <bdi className={styles.name} title={name}>
          {name}
        </bdi>
        <span className={styles.detail}>
          {[
            strength === undefined ? t`Not in range` : t`Signal ${strength} %`,
            i18n._(securityTexts[security]),
            ...(isKnown && !isCurrent ? [t`known`] : []),
          ].join(' · ')}
        </span>
      </div>
      <div className={styles.buttons}>
        {canJoin && (
          <Button size="xs" variant="default" aria-label={t`Join ${name}`} loading={rejoin.isPending} onClick={join}>
            <Trans>Join</Trans>
          </Button>
        )}
        {mayEdit && isKnown && (
          <Button size="xs" variant="default" aria-label={t`Forget ${name}`} onClick={forget}>
            <Trans>Forget</Trans>
          </Button>
        )}
      </div>
    </li>
  );
}

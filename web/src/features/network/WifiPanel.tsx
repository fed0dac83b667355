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
import { deferredPart } from '../../lib/lazy-part.tsx';
import { MissingParts } from '../../shared/appliance/MissingParts.tsx';
import { followTrial } from '../../shared/confirmed-change/follow-trial.ts';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { Facts } from '../../ui/layout/Facts.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import styles from './WifiPanel.module.css';
import type { WifiRisk } from './WifiRiskDialog.tsx';
import { forgetWifi, joinWifi, scanWifi, wifiQuery } from './wifi-calls.ts';
import { securityTexts, ssidText, strengthIcon, type WifiRow, wifiLooks, wifiRows } from './wifi-look.ts';

const WifiRiskDialog = deferredPart(() => import('./WifiRiskDialog.tsx'));
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
  const [risk, setRisk] = useState<WifiRisk>();
  const { current } = wifi;
  const onRisk =
    wifi.entry && current
      ? (asked: Omit<WifiRisk, 'current'>) => setRisk({ ...asked, current: ssidText(current.ssid) })
      : undefined;
  return (
    <Panel title={<Trans>Wi-Fi</Trans>} aside={<LookMark look={wifiLooks[wifi.state]} />} isFlush>
      <div className={styles.body}>
        <WifiState wifi={wifi} />
        {isUsable && <WifiButtons onHidden={() => setJoining('hidden')} />}
      </div>
      {rows.length > 0 && (
        <ul className={styles.list}>
          {rows.map((row) => (
            <NetworkRow
              key={row.key}
              row={row}
              isUsable={isUsable}
              mayEdit={mayEdit}
              onJoin={setJoining}
              onRisk={onRisk}
            />
          ))}
        </ul>
      )}
      {joining !== undefined && (
        <WifiJoinDialog
          key={joining === 'hidden' ? '' : joining.key}
          network={joining === 'hidden' ? undefined : joining}
          onRisk={onRisk && ((name, apply) => onRisk({ act: 'join', name, apply }))}
          onClose={() => setJoining(undefined)}
        />
      )}
      {risk !== undefined && <WifiRiskDialog risk={risk} onClose={() => setRisk(undefined)} />}
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
  /** Asks before the hub leaves the network through which the user is connected; undefined if there is none. */
  readonly onRisk: ((risk: Omit<WifiRisk, 'current'>) => void) | undefined;
}

function NetworkRow({ row, isUsable, mayEdit, onJoin, onRisk }: NetworkRowProps) {
  const { t, i18n } = useLingui();
  const { security, strength, isKnown, isCurrent } = row;
  const name = ssidText(row.ssid);
  const Icon = strengthIcon(strength);
  const which = { 'ssid-hex': row['ssid-hex'] };
  const rejoin = useMutation({
    mutationFn: () => joinWifi(which),
    onSuccess: (answer) => followTrial('wifi', answer) && showToast('success', t`The hub has joined “${name}”.`),
    onError: (error) => showToast('error', `${name}: ${faultText(i18n, error)}`, `wifi-${row.key}`),
  });
  const joinKnown = () =>
    onRisk === undefined
      ? rejoin.mutate()
      : onRisk({ act: 'join', name, apply: (confirmation) => joinWifi({ ...which, ...confirmation }) });
  const forget = () => {
    if (isCurrent && onRisk !== undefined) {
      return onRisk({ act: 'forget', name, apply: (confirmation) => forgetWifi({ ...which, ...confirmation }) });
    }
    confirm({
      title: t`Forget “${name}”?`,
      consequence: isCurrent
        ? t`The hub leaves this network and deletes its key.`
        : t`The hub deletes the key and no longer joins this network by itself.`,
      verb: t`Forget network`,
      isDangerous: true,
      run: async () => {
        if (followTrial('wifi', await forgetWifi(which))) showToast('success', t`“${name}” was forgotten.`);
      },
    });
  };
  // A stored network, or one without a key, needs no further input, but an open one deserves a warning.
  const join = () => (isKnown ? joinKnown() : onJoin(row));
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

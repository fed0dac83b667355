import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import RiskDialog from '../../shared/confirmed-change/RiskDialog.tsx';
import { type Confirmation, consoleAt, type Risk, type ToConfirm } from '../../shared/confirmed-change/risk.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { networkQuery } from './network-query.ts';

/** What makes the adapter leave the network through which the user is connected. */
export interface WifiRisk {
  readonly act: 'join' | 'forget';
  /** Of the network that is joined or forgotten. */
  readonly name: string;
  /** Of the network that is left. */
  readonly current: string;
  readonly apply: (confirmation: Confirmation) => Promise<ToConfirm>;
}

export default function WifiRiskDialog({ risk, onClose }: { risk: WifiRisk; onClose: () => void }) {
  const { t } = useLingui();
  const ports = useQueryClient().getQueryData(networkQuery.queryKey)?.ports ?? [];
  const { act, name, current, apply } = risk;
  const others = ports.flatMap(({ addresses }) => addresses.flatMap((address) => address.split('/')[0] ?? []));
  const other = others.filter((address) => !address.includes(':')).map((address) => consoleAt(address, location));
  const next: Risk['next'] = act === 'join' || other.length === 0 ? 'unknown' : other;
  return (
    <RiskDialog
      risk={{
        ...{ kind: 'wifi', apply, next },
        title: act === 'join' ? t`Join “${name}” and leave this network?` : t`Forget “${name}”?`,
        changes: [
          act === 'join' ? t`Wi-Fi: ${current} → ${name}` : t`The hub leaves this network and deletes its key.`,
        ],
        now: <Trans>Reached through Wi-Fi, which you are changing</Trans>,
        onFinal: () => showToast('success', t`The hub leaves “${current}” now.`),
      }}
      onClose={onClose}
    />
  );
}

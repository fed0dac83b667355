import { Trans, useLingui } from '@lingui/react/macro';
import type { SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { refresh } from '../../api/query-client.ts';
import { RiskDialog } from '../../shared/confirmed-change/lazy-risk-dialog.ts';
import type { Risk } from '../../shared/confirmed-change/risk.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { installCertificate } from './certificate-calls.ts';
import { partOf } from './certificate-fault.ts';

interface AskToInstallProps {
  readonly title: string;
  readonly changes: readonly string[];
  readonly web: SettingsChange['web'];
  /** Called once the hub has the certificate, at least on trial. */
  readonly onInstalled: () => void;
  /** Called with a fault of one of the files. */
  readonly onRefused?: (error: unknown) => void;
  readonly onClose: () => void;
}

/** Asks before installing a certificate, which is on trial until this page connects with it: it may cut users off. */
export function AskToInstall({ title, changes, web, onInstalled, onRefused, onClose }: AskToInstallProps) {
  const { t } = useLingui();
  const apply: Risk['apply'] = async ({ 'confirm-within': seconds = 0 }) => {
    try {
      const revision = await installCertificate(web, seconds);
      onInstalled();
      return { 'confirm-by-s': seconds, addresses: [], revision };
    } catch (error) {
      if (onRefused === undefined || partOf(error) === undefined) throw error;
      onRefused(error);
      return undefined;
    }
  };
  const onFinal = () => {
    showToast('success', t`The certificate was installed.`, 'settings');
    void refresh('settings', 'certificate');
  };
  const now =
    location.protocol === 'https:' ? (
      <Trans>Over HTTPS, with the certificate that is replaced</Trans>
    ) : (
      <Trans>Over HTTP, which has no certificate</Trans>
    );
  return <RiskDialog risk={{ kind: 'web', title, changes, now, next: 'same', apply, onFinal }} onClose={onClose} />;
}

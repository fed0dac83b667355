import { lazy, Suspense } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import type { DialogAddress } from '../../../ui/dialog-address.ts';
import { findLeg, kindOfDialog } from './legs.ts';

const QualityDialog = lazy(() => import('./QualityDialog.tsx'));

/** Shows the dialog that the address names, as long as the channel has that connection. */
export function QualityHost({ channel, dialog }: { channel: Channel; dialog: DialogAddress }) {
  const kind = kindOfDialog(dialog.name);
  const leg = kind && findLeg(channel, kind, dialog.id);
  if (leg === undefined) return null;
  return (
    <Suspense fallback={null}>
      <QualityDialog channel={channel.id} leg={leg} onClose={dialog.close} />
    </Suspense>
  );
}

import { Suspense } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { lazyPart } from '../../../lib/lazy-part.ts';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { findConnection, kindOfDialog } from './connections.ts';

const QualityDialog = lazyPart(() => import('./QualityDialog.tsx'));

/** Shows the dialog named in the URL while the channel has that connection. */
export function QualityHost({ channel, dialog }: { channel: Channel; dialog: DialogAddress }) {
  const kind = kindOfDialog(dialog.name);
  const connection = kind && findConnection(channel, kind, dialog.id);
  if (connection === undefined) return null;
  return (
    <Suspense fallback={null}>
      <QualityDialog channel={channel.id} connection={connection} onClose={dialog.close} />
    </Suspense>
  );
}

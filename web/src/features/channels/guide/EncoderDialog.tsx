import { useLingui } from '@lingui/react/macro';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import EncoderGuide from './EncoderGuide.tsx';

/** The encoder guide of a channel that has been live before. */
export default function EncoderDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog title={t`Connect an encoder to “${channel.name}”`} onClose={onClose} size={880}>
      <EncoderGuide channel={channel} />
    </Dialog>
  );
}

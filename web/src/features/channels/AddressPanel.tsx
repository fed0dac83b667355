import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import { mainInput } from './push-key.ts';

const AddressLists = deferredPart(() => import('./AddressLists.tsx'));

interface AddressPanelProps {
  readonly channel: Channel;
  readonly dialog: DialogAddress;
  /** The encoder guide is shown, where the address of the hub is chosen. */
  readonly isGuided: boolean;
}

/** Addresses and keys, folded if the channel has had a stream: they are needed once, to connect the encoder. */
export function AddressPanel({ channel, dialog, isGuided }: AddressPanelProps) {
  // Only at first: a panel that folds while it is in use would be in the way.
  const [isOpen, setOpen] = useState(!isOnAir(channel.state) && mainInput(channel)['total-bytes'] === 0);
  return (
    <Panel
      title={<Trans>Addresses and keys</Trans>}
      isFlush={!isOpen}
      aside={
        <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? <Trans>Hide addresses</Trans> : <Trans>Show addresses</Trans>}
        </Button>
      }
    >
      {/* Remounts, so that a renewed key is hidden again. */}
      {isOpen && <AddressLists key={channel.config['push-key']} {...{ channel, dialog, isGuided }} />}
    </Panel>
  );
}

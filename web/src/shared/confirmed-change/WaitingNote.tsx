import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { WaitingChange } from '../../../../daemon/contract/network.ts';
import { useMay, useSession } from '../../api/session.ts';
import { useNow } from '../../ui/data/useNow.ts';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { kindTexts } from './outcome-text.ts';
import { cancelTrial, keepChange } from './trial-calls.ts';

interface WaitingNoteProps {
  readonly waiting: WaitingChange;
  /** Loads what the page shows again. */
  readonly onEnd: () => void;
}

/** A change made elsewhere that waits for its confirmation. No other change is possible until it ends. */
export function WaitingNote({ waiting, onEnd }: WaitingNoteProps) {
  const { i18n } = useLingui();
  const mayEdit = useMay('systemEdit');
  const { user, kind, applied } = waiting;
  const isOwn = useSession().name === user;
  const endsAt = useMemo(() => Date.now() + waiting.seconds * 1000, [waiting]);
  const left = Math.max(0, Math.ceil((endsAt - useNow(500)) / 1000));
  const undo = useMutation({ mutationFn: cancelTrial, onSettled: onEnd });
  const keep = useMutation({ mutationFn: keepChange, onSettled: onEnd });
  const what = i18n._(kindTexts[kind]);
  const fault = keep.error ?? undo.error;
  return (
    <Banner
      tone="warn"
      title={
        <Trans>
          {what}: a change by {user} is being tried
        </Trans>
      }
    >
      <p>
        <Trans>
          Unless it is confirmed within <Plural value={left} one="# second" other="# seconds" />, the hub returns to the
          previous settings. Until then, no other change of this kind is possible.
        </Trans>
      </p>
      {/* Ports and certificate are confirmed where they are changed. */}
      {mayEdit && kind !== 'web' && (
        <Group gap="xs" mt="xs">
          {isOwn && applied && (
            <Button size="xs" loading={keep.isPending} onClick={() => keep.mutate()}>
              <Trans>Keep the change</Trans>
            </Button>
          )}
          <Button size="xs" variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
            <Trans>Undo now</Trans>
          </Button>
        </Group>
      )}
      {fault !== null && <ActFault error={fault} />}
    </Banner>
  );
}

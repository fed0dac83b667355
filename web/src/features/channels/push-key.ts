/** The push key on the page: which input uses it, and how it is revealed. */
import { useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { faultText } from '../../i18n/result-text.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { revealPushKey } from './channel-calls.ts';

/** The input that decides whether the push key is in use, regardless of what is on air. */
export function mainInput({ failover, input }: Channel) {
  return failover?.main ?? input;
}

export interface Reveal {
  readonly isShown: boolean;
  readonly toggle: () => void;
  /** For a copy button: the key leaves the page without being shown. */
  readonly onCopy: () => void;
}

/** Hides the push key until the hub has recorded the first reveal. */
export function useReveal(channel: Channel): Reveal {
  const { i18n } = useLingui();
  const [isShown, setShown] = useState(false);
  const isSecret = mainInput(channel).id === 0 && channel.config['push-key'] !== undefined;
  const record = useMutation({
    mutationFn: () => revealPushKey({ id: channel.id }),
    onError: (error) => showToast('error', faultText(i18n, error)),
  });
  const look = (then: () => void) => {
    if (!isSecret || record.isSuccess) then();
    else if (!record.isPending) record.mutate(undefined, { onSuccess: then });
  };
  return {
    isShown,
    toggle: () => (isShown ? setShown(false) : look(() => setShown(true))),
    onCopy: () => look(() => {}),
  };
}

import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { runHistoryApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { mainInput } from '../push-key.ts';
import styles from './EncoderGuide.module.css';

export const loadEncoderGuide = () => import('./EncoderGuide.tsx');
const EncoderGuide = deferredPart(loadEncoderGuide);

type FirstStreamState = 'awaited' | 'arrived';

/** Whether a channel waits for its first stream, or has just received it; neither once that is closed. */
export function useFirstStream(channel: Channel): { is: FirstStreamState | undefined; close: () => void } {
  const [hasStarted, setStarted] = useState(false);
  const [isClosed, setClosed] = useState(false);
  const isWaiting =
    channel.state === 'waiting' && mainInput(channel).id === 0 && channel.config['push-key'] !== undefined;
  const wasLive = useWasLive(channel.id, isWaiting && !hasStarted);
  if (isWaiting && wasLive === false && !hasStarted) setStarted(true);
  const is = isWaiting ? 'awaited' : channel.state === 'live' ? 'arrived' : undefined;
  return { is: hasStarted && !isClosed ? is : undefined, close: () => setClosed(true) };
}

interface FirstStreamProps {
  readonly channel: Channel;
  readonly is: FirstStreamState;
  readonly onWatch: () => void;
  readonly onClose: () => void;
}

/** The encoder guide while a channel waits for its first stream, then the news that the stream has arrived. */
export function FirstStream({ channel, is, onWatch, onClose }: FirstStreamProps) {
  if (is === 'awaited') {
    return (
      <Panel title={<Trans>Waiting for an encoder</Trans>}>
        <EncoderGuide channel={channel} />
      </Panel>
    );
  }
  return (
    <Panel title={<Trans>The first stream has arrived</Trans>}>
      <div className={styles.arrived}>
        <span>
          <Trans>The encoder is connected, and the channel is live.</Trans>
        </span>
        <Button leftSection={<IconPlayerPlayFilled size={16} aria-hidden />} onClick={onWatch}>
          <Trans>Watch it</Trans>
        </Button>
        <Button variant="default" onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      </div>
    </Panel>
  );
}

/** Whether the run history knows the channel as live; undefined until that is known. */
function useWasLive(id: number, enabled: boolean): boolean | undefined {
  return useQuery({
    queryKey: ['run-history', id, 'was-live'],
    queryFn: async ({ signal }) => {
      const query = { id, what: 'channel', count: limits.page.max } as const;
      const { list, next } = await call(runHistoryApi.list, { query, signal });
      return next !== undefined || list.some(({ to }) => to === 'live');
    },
    enabled,
  }).data;
}

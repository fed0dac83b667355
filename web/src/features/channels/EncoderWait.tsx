import { Trans } from '@lingui/react/macro';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { useNow } from '../../ui/data/useNow.ts';
import { mainInput } from './push-key.ts';

/** Whether a waiting channel never had an encoder, or since when the encoder is gone. */
export function EncoderWait({ channel }: { channel: Channel }) {
  if (channel.state !== 'waiting' || mainInput(channel).id !== 0) return null;
  const { reason } = mainInput(channel);
  const { since } = channel;
  if (reason === 'noInput' || reason === undefined || since === undefined) {
    return (
      <span>
        <Trans>Waiting for an encoder</Trans>
      </span>
    );
  }
  return <Gone since={since} />;
}

function Gone({ since }: { since: number }) {
  const format = useFormat();
  const now = useNow(1000);
  return (
    <time dateTime={new Date(since).toISOString()} title={format.dateTime(since)}>
      <Trans>Encoder gone for {format.span((now - since) / 1000)}</Trans>
    </time>
  );
}

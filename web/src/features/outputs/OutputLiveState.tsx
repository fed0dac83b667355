import { Trans } from '@lingui/react/macro';
import { outputLook } from '../../shared/streams/state-look.ts';
import { useChannels } from '../../shared/streams/useChannels.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import styles from './OutputLiveState.module.css';

/** State of an output as reported by its channel. */
export function OutputLiveState({ id }: { id: number }) {
  const channels = useChannels().data;
  if (channels === undefined) return <NoValue />;
  const output = channels.flatMap((channel) => channel.outputs.list).find((one) => one.id === id);
  if (output === undefined) {
    return (
      <span className={styles.unused}>
        <Trans>Not in use</Trans>
      </span>
    );
  }
  const look = outputLook(output);
  return <LookMark look={look} />;
}

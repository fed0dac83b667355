import { Plural, Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useTopic } from '../../../api/live.ts';
import { useMay } from '../../../api/session.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { channelsQuery, channelsTopic } from '../../../shared/streams/channels-query.ts';
import styles from './actions.module.css';
import { impactOf } from './impact.ts';

/** Channels that are named; of more, their number is told. */
const maxNamed = 5;

interface ImpactTextProps {
  readonly action: DeviceAction;
  readonly devices: readonly Device[];
}

/** Who loses what when these devices restart or stop sending. */
export function ImpactText({ action, devices }: ImpactTextProps) {
  const { comma } = useFormat();
  const maySee = useMay('channelView');
  useTopic(channelsTopic, maySee);
  const channels = useQuery({ ...channelsQuery, enabled: maySee }).data;
  const { fed, played, recording } = impactOf(action, devices, channels);
  const playedNames = played.slice(0, maxNamed).join(comma);
  const more = fed.length - maxNamed;
  return (
    <ul className={styles.impact}>
      {fed.slice(0, maxNamed).map(({ name, receivers }) => (
        <li key={name}>
          <Trans>
            The channel <strong translate="no">{name}</strong> loses its input.
          </Trans>{' '}
          {receivers !== undefined && (
            <>
              <Plural
                value={receivers.players}
                _0="No player is connected."
                one="# player is connected."
                other="# players are connected."
              />{' '}
              {receivers.outputs > 0 && (
                <Plural value={receivers.outputs} one="# output is on." other="# outputs are on." />
              )}
            </>
          )}
        </li>
      ))}
      {more > 0 && (
        <li>
          <Plural value={more} one="# more channel loses its input." other="# more channels lose their inputs." />
        </li>
      )}
      {played.length > 0 && (
        <li>
          <Trans>
            Playback of <span translate="no">{playedNames}</span> is interrupted.
          </Trans>
        </li>
      )}
      {recording > 0 && (
        <li>
          <Plural value={recording} one="# recording ends." other="# recordings end." />
        </li>
      )}
      {fed.length + played.length + recording === 0 && (
        <li>
          <Trans>No channel uses it at present, and nothing is being recorded.</Trans>
        </li>
      )}
    </ul>
  );
}

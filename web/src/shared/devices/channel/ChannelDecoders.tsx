import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { faultText } from '../../../i18n/result-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { devicePath } from '../../../lib/paths.ts';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { showToast, showUndo } from '../../../ui/feedback/toasts.ts';
import { connectDevice, devicesOfChannel } from '../connect-call.ts';
import { deviceLooks, reasonsOf, stateOf } from '../device-look.ts';
import styles from './ChannelDecoders.module.css';

interface ChannelDecodersProps {
  readonly channel: number;
  readonly mayStop: boolean;
}

/** The decoders that play a channel, below its outputs. */
export default function ChannelDecoders({ channel, mayStop }: ChannelDecodersProps) {
  const { t } = useLingui();
  const decoders = useQuery(devicesOfChannel(channel, 'output')).data ?? [];
  if (decoders.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={t`Decoders that play this channel`}>
      {decoders.map((device) => (
        <Decoder key={device.sn} {...{ device, channel, mayStop }} />
      ))}
    </ul>
  );
}

function Decoder({ device, channel, mayStop }: ChannelDecodersProps & { device: Device }) {
  const { t, i18n } = useLingui();
  const { comma } = useFormat();
  const { sn, name } = device;
  const code = `decoder-${sn}`;
  const report = (error: unknown) => showToast('error', `${name}: ${faultText(i18n, error)}`, code);
  const again = () => void connectDevice({ sn, channel, dir: 'output' }).catch(report);
  const stop = useMutation({
    mutationFn: () => connectDevice({ sn, channel: 0, dir: 'output' }),
    onSuccess: () => showUndo(t`“${name}” no longer plays this channel.`, again, code),
    onError: report,
  });
  return (
    <li className={styles.row}>
      <LookMark look={deviceLooks[stateOf(device)]} />
      <span className={styles.text}>
        <Link to={devicePath(sn)} className={styles.name ?? ''}>
          {name}
        </Link>
        <span className={styles.faint}>
          {[t`Decoder`, device['module-name'], ...reasonsOf(device).map((reason) => i18n._(reason))].join(comma)}
        </span>
      </span>
      {mayStop && (
        <Button
          size="xs"
          variant="default"
          loading={stop.isPending}
          aria-label={t`End the playback on ${name}`}
          onClick={() => stop.mutate()}
        >
          <Trans>Stop</Trans>
        </Button>
      )}
    </li>
  );
}

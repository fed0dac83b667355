import { useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { blockedBy, canEver, type DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useMay } from '../../../api/session.ts';
import { actionReasonTexts } from '../../../i18n/device-action-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { actionLooks } from '../../../shared/devices/action-look.ts';
import { actOnDevice, useRunningAction } from '../../../shared/devices/device-acts.ts';
import { deviceQuery } from '../../../shared/devices/devices-query.ts';
import { useNow } from '../../../ui/data/useNow.ts';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import styles from './actions.module.css';
import { needsQuestion } from './impact.ts';
import { type Switch, switches } from './switches.ts';

interface ActButtonsProps {
  readonly device: Device;
  readonly open: DialogAddress['open'];
}

/** Starts and stops recording and sending, with the time that each has been running. */
export function ActButtons({ device, open }: ActButtonsProps) {
  const mayControl = useMay('deviceControl');
  if (!mayControl) return null;
  return switches
    .filter(({ start }) => canEver(device, start))
    .map((one) => <SwitchButton key={one.start} device={device} of={one} open={open} />);
}

function SwitchButton({ device, of, open }: ActButtonsProps & { readonly of: Switch }) {
  const { i18n } = useLingui();
  const running = useRunningAction(device.sn);
  const isOn = device.status[of.fact] === true;
  const action: DeviceAction = isOn ? of.stop : of.start;
  const isRunning = running === of.start || running === of.stop;
  const look = actionLooks[isRunning ? running : action];
  const reason = blockedBy(device, action);
  const Icon = look.icon;
  const begin = () => (needsQuestion(action, device) ? open(action, device.id) : actOnDevice(device, action));
  return (
    <WithReason reason={isRunning || reason === undefined ? undefined : i18n._(actionReasonTexts[reason])}>
      <Button
        variant="default"
        leftSection={<Icon className={isOn ? styles[of.fact] : undefined} size={16} aria-hidden />}
        aria-busy={isRunning}
        onClick={() => !isRunning && begin()}
      >
        {i18n._(isRunning ? look.running : look.verb)}
        {isOn && !isRunning && <RunTime sn={device.sn} of={of} />}
      </Button>
    </WithReason>
  );
}

/** What the device stated last, and the time since then. */
function RunTime({ sn, of }: { readonly sn: string; readonly of: Switch }) {
  const format = useFormat();
  const { data, dataUpdatedAt } = useQuery(deviceQuery(sn));
  const now = useNow(1000);
  const seconds = data?.facts?.[of.seconds];
  if (seconds === undefined) return null;
  const passed = Math.max(0, (now - dataUpdatedAt) / 1000);
  return <span className={styles.time}>&nbsp;{format.duration(Math.floor(seconds + passed))}</span>;
}

import { useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useTopic } from '../../../api/live.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { devicesQuery, devicesTopic } from '../../devices/devices-query.ts';
import { firmwareQuery } from '../firmware-calls.ts';
import { UpgradePlan } from './UpgradePlan.tsx';
import { UpgradeProgress } from './UpgradeProgress.tsx';

interface UpgradeDialogProps {
  /** Id of the file; undefined: the user chooses one. */
  readonly file?: number;
  /** The devices; undefined: all that the file is for. */
  readonly devices?: readonly Device[];
  readonly onClose: () => void;
}

/** Upgrades devices with a file of the library: file, devices, plan, then the progress of each. */
export default function UpgradeDialog({ file, devices, onClose }: UpgradeDialogProps) {
  const { t } = useLingui();
  useTopic(devicesTopic, true);
  const all = useQuery(devicesQuery).data;
  const library = useQuery(firmwareQuery).data;
  const [task, setTask] = useState<number>();
  // What was chosen; the devices change while the dialog is open.
  const [chosen] = useState(() => devices?.map(({ sn }) => sn));
  if (all === undefined || library === undefined) return null;
  return (
    <Dialog title={t`Upgrade firmware`} onClose={onClose} size={640} isHeld={task !== undefined}>
      {task === undefined ? (
        <UpgradePlan
          file={file}
          devices={chosen === undefined ? all : all.filter(({ sn }) => chosen.includes(sn))}
          isFixed={chosen !== undefined}
          list={library.list}
          onStarted={setTask}
          onClose={onClose}
        />
      ) : (
        <UpgradeProgress task={task} onClose={onClose} />
      )}
    </Dialog>
  );
}

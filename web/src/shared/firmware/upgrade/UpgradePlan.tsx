import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, NativeSelect, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { Firmware } from '../../../../../daemon/contract/firmware.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { deviceUpgradeApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { CandidateList } from './CandidateList.tsx';
import styles from './upgrade.module.css';
import { channelsOf, filesFor, wouldForce } from './upgrade-plan.ts';
import { useCandidates } from './useCandidates.ts';

interface UpgradePlanProps {
  readonly file: number | undefined;
  readonly devices: readonly Device[];
  /** Whether the user has chosen the devices; otherwise those of the product are shown. */
  readonly isFixed: boolean;
  readonly list: readonly Firmware[];
  readonly onStarted: (task: number) => void;
  readonly onClose: () => void;
}

const parallels = [1, 2, 4, 8, 16, 32, 64].filter((count) => count <= limits.upgrade.parallel.max);
const stops = [1, 2, 3, 5, 10];

/** Chooses file and devices, and says what will happen. */
export function UpgradePlan({ file, devices, isFixed, list, onStarted, onClose }: UpgradePlanProps) {
  const { t, i18n } = useLingui();
  const files = file === undefined ? filesFor(devices, list) : list.filter(({ id }) => id === file);
  const [chosen, setChosen] = useState(files[0]?.id);
  const firmware = files.find(({ id }) => id === chosen);
  if (firmware === undefined) {
    return (
      <Stack gap="md">
        <p>
          <Trans>The library has no firmware for these devices. Upload a file on the page Firmware first.</Trans>
        </p>
        <div className={styles.foot}>
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </div>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <NativeSelect
        label={t`Firmware`}
        data={files.map((one) => ({ value: String(one.id), label: fileText(i18n, one) }))}
        value={String(firmware.id)}
        disabled={files.length === 1}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <DevicePlan
        key={firmware.id}
        firmware={firmware}
        devices={isFixed ? devices : devices.filter((device) => device['product-id'] === firmware['product-id'])}
        onStarted={onStarted}
        onClose={onClose}
      />
    </Stack>
  );
}

function fileText(i18n: I18n, one: Firmware): string {
  const product = one['product-name'] || `ID ${one['product-id']}`;
  const preRelease = one['is-pre-release'] ? [i18n._(msg`Pre-release`)] : [];
  return [product, one['hardware-ver'], one.version, ...preRelease].join(' · ');
}

interface DevicePlanProps extends Pick<UpgradePlanProps, 'devices' | 'onStarted' | 'onClose'> {
  readonly firmware: Firmware;
}

function DevicePlan({ firmware, devices, onStarted, onClose }: DevicePlanProps) {
  const { t } = useLingui();
  const { comma } = useFormat();
  const [force, setForce] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [parallel, setParallel] = useState<number>(limits.upgrade.parallel.default);
  const [canary, setCanary] = useState(true);
  const [stop, setStop] = useState(0);
  const [isAccepted, setAccepted] = useState(false);
  const { candidates, error } = useCandidates(firmware, devices, force);
  const selected = candidates.filter(({ device, reason }) => reason === undefined && !left.has(device.sn));
  const isLower = selected.some((one) => one.isLower);
  const channels = channelsOf(selected.map(({ device }) => device));
  const start = useMutation({
    mutationFn: () => begin(firmware.id, selected, { force, parallel, canary: canary && selected.length > 1, stop }),
    onSuccess: (task) => task !== undefined && onStarted(task),
  });
  const notStarted = start.isSuccess && start.data === undefined;
  return (
    <>
      <CandidateList candidates={candidates} left={left} setLeft={setLeft} />
      {(force || wouldForce(candidates)) && (
        <Checkbox
          label={t`Include devices that already have this version or a higher one`}
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
      )}
      {selected.length > 1 && (
        <div className={styles.plan}>
          <Checkbox
            className={styles.whole}
            label={t`One device first; the others only if it succeeds`}
            checked={canary}
            onChange={(event) => setCanary(event.currentTarget.checked)}
          />
          <NativeSelect
            label={t`Simultaneous devices`}
            data={parallels.map((count) => ({ value: String(count), label: String(count) }))}
            value={String(parallel)}
            onChange={(event) => setParallel(Number(event.currentTarget.value))}
          />
          <NativeSelect
            label={t`Stop after this many failures`}
            data={[
              { value: '0', label: t`Never` },
              ...stops.map((count) => ({ value: String(count), label: String(count) })),
            ]}
            value={String(stop)}
            onChange={(event) => setStop(Number(event.currentTarget.value))}
          />
        </div>
      )}
      {firmware['is-pre-release'] && (
        <Banner tone="warn" title={<Trans>This is a pre-release</Trans>}>
          <Trans>It is for testing only. {firmware['accepted-by']} accepted the declaration about it.</Trans>
        </Banner>
      )}
      {selected.length > 0 && (
        <Banner tone="info" title={<Trans>Devices restart during the upgrade</Trans>}>
          <Trans>This takes a few minutes. Do not turn the devices off during the upgrade.</Trans>
          {channels.length > 0 && (
            <>
              {' '}
              <Trans>These channels lose their input: {channels.join(comma)}</Trans>
            </>
          )}
        </Banner>
      )}
      {isLower && (
        <>
          <Banner tone="fault" title={<Trans>Settings may be lost</Trans>}>
            <Trans>Some devices have a higher version. With the lower one, they may lose all their settings.</Trans>
          </Banner>
          <Checkbox
            label={t`I accept that these devices may lose their settings`}
            checked={isAccepted}
            onChange={(event) => setAccepted(event.currentTarget.checked)}
          />
        </>
      )}
      {(start.error ?? error) !== null && <ActFault error={start.error ?? error} />}
      {notStarted && (
        <p className={styles.fault} role="alert">
          <Trans>No more devices can be upgraded. The list shows why.</Trans>
        </p>
      )}
      <div className={styles.foot}>
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          {...(isLower && { color: 'fault' })}
          disabled={selected.length === 0 || (isLower && !isAccepted)}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          <Plural value={selected.length} one="Upgrade # device" other="Upgrade # devices" />
        </Button>
      </div>
    </>
  );
}

interface Plan {
  readonly force: boolean;
  readonly parallel: number;
  readonly canary: boolean;
  readonly stop: number;
}

/** Returns the id of the task; undefined if no device could be upgraded any more. */
async function begin(
  file: number,
  selected: readonly { readonly device: Device }[],
  { force, parallel, canary, stop }: Plan,
): Promise<number | undefined> {
  const sn = selected.map(({ device }) => device.sn);
  const plan = { 'max-parallel': parallel, canary, 'stop-after-failures': stop };
  const { task } = await call(deviceUpgradeApi.start, { body: { sn, 'firmware-id': file, force, plan } });
  await refresh('upgrades', 'firmware');
  return task;
}

import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { deviceLooks, stateOf } from '../../../shared/devices/device-look.ts';
import { devicesQuery } from '../../../shared/devices/devices-query.ts';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { compareTexts } from '../../../ui/table/table-model.ts';
import { isAccepted } from '../device-cells.tsx';
import styles from './Schedules.module.css';

interface DevicePickerProps {
  readonly chosen: readonly string[];
  readonly onChange: (sns: string[]) => void;
  /** Which devices can be chosen; others are shown only if they are chosen. */
  readonly canDo: (device: Device) => boolean;
  readonly error: ReactNode;
}

/** A search finds the rest. */
const shownDevices = 200;

/** Chooses several devices. Those that were chosen at first come first. */
export function DevicePicker({ chosen, onChange, canDo, error }: DevicePickerProps) {
  const { t } = useLingui();
  const labelId = useId();
  const [search, setSearch] = useState('');
  const [first] = useState(() => new Set(chosen));
  const taken = new Set(chosen);
  const count = taken.size;
  const wanted = search.trim().toLowerCase();
  const found = (useQuery(devicesQuery).data ?? [])
    .filter((device) => isAccepted(device) && (canDo(device) || taken.has(device.sn)))
    .filter(({ name, sn }) => `${name} ${sn}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(first.has(b.sn)) - Number(first.has(a.sn)) || compareTexts(a.name, b.name));
  const toggle = (sn: string) => onChange(taken.has(sn) ? chosen.filter((one) => one !== sn) : [...chosen, sn]);
  const all = found.every(({ sn }) => taken.has(sn));
  const toggleAll = () => {
    const listed = new Set(found.map(({ sn }) => sn));
    const others = chosen.filter((sn) => !listed.has(sn));
    onChange(all ? others : [...others, ...listed]);
  };
  const hidden = found.length - shownDevices;
  return (
    <div className={styles.picker}>
      <div className={styles.head}>
        <span id={labelId} className={styles.label}>
          {count === 0 ? <Trans>Devices</Trans> : <Trans>Devices: {count} chosen</Trans>}
        </span>
        {found.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={toggleAll}>
            {all ? <Trans>Clear all shown</Trans> : <Trans>Select all shown</Trans>}
          </Button>
        )}
      </div>
      <TextInput
        aria-label={t`Search devices`}
        placeholder={t`Search by name or serial number`}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset does not scroll in all browsers */}
      <div className={styles.list} role="group" aria-labelledby={labelId}>
        {found.slice(0, shownDevices).map((device) => (
          <label key={device.sn} className={styles.option}>
            <input type="checkbox" checked={taken.has(device.sn)} onChange={() => toggle(device.sn)} />
            <span className={styles.cell}>
              <span className={styles.name}>{device.name}</span>
              <span className={styles.faint}>{`${device['module-name']} · ${device.sn}`}</span>
            </span>
            <LookMark look={deviceLooks[stateOf(device)]} />
          </label>
        ))}
        {found.length === 0 && (
          <p className={styles.note}>
            {wanted === '' ? <Trans>No device supports this action.</Trans> : <Trans>No device matches.</Trans>}
          </p>
        )}
        {hidden > 0 && (
          <p className={styles.note}>
            <Plural value={hidden} one="# more device: search for it." other="# more devices: search for them." />
          </p>
        )}
      </div>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

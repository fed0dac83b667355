import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import type { TimeView } from '../../../../daemon/contract/time.ts';
import { TimeChange } from '../../../../daemon/contract/time-fields.ts';
import { timeApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { MissingParts } from '../../shared/appliance/MissingParts.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { ClockState } from './ClockState.tsx';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { fieldOfPath } from './settings-form.ts';
import { timeQuery } from './time-query.ts';
import { momentIn } from './zone-time.ts';

interface Values {
  readonly isNtp: boolean;
  readonly first: string;
  readonly second: string;
  readonly zone: string;
  /** As typed, in the zone; empty: it is not set. */
  readonly date: string;
}

const paths = { isNtp: 'ntp.enable', first: 'ntp.servers.0', second: 'ntp.servers.1', zone: 'zone', date: 'date' };

/** The clock of an appliance. */
export default function TimeSettings() {
  const { t } = useLingui();
  const time = useSuspenseQuery(timeQuery).data;
  const { form, onSubmit, place, edit } = useEditedForm<TimeView, Values>({
    ...{ now: time, revision: time.revision, queryKey: timeQuery.queryKey },
    valuesOf: (base) => valuesOf(base ?? time),
    check: (values, base = time) => check(values, base),
    fieldOf: (path) => (path === 'ntp.servers' ? 'second' : fieldOfPath(paths, path)),
  });
  const save = useMutation<number, unknown, Values>({
    mutationFn: async (values) => {
      const body = { ...toChange(values, valuesOf(time)), revision: edit.basis() };
      return (await call(timeApi.set, { body })).revision;
    },
    onSuccess(revision) {
      showToast('success', t`The settings were saved.`, 'settings');
      edit.follow(revision);
    },
    onError: (error) => place(error),
  });
  const group = { name: 'time', form, onSubmit, edit, save };
  const { values } = form;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Date and time</Trans>}
      intro={<Trans>The clock of the hub. Schedules, certificates and logs depend on it.</Trans>}
      effect={
        values.date !== '' && (
          <Banner tone="warn" title={<Trans>The clock of the hub will be set</Trans>}>
            <Trans>Scheduled runs between the old and the new time are not carried out later.</Trans>
          </Banner>
        )
      }
    >
      <MissingParts missing={time.missing} />
      <ClockState time={time} />
      <Checkbox label={t`Set the clock by NTP`} {...form.getInputProps('isNtp', { type: 'checkbox' })} />
      <div className={styles.halves}>
        <TextInput label={t`NTP server`} disabled={!values.isNtp} {...form.getInputProps('first')} />
        <TextInput label={t`Second NTP server`} disabled={!values.isNtp} {...form.getInputProps('second')} />
      </div>
      <NativeSelect label={t`Time zone`} data={[...time.zones]} {...form.getInputProps('zone')} />
      {!values.isNtp && (
        <TextInput type="datetime-local" step={1} label={t`Set the clock to`} {...form.getInputProps('date')} />
      )}
    </SettingsGroup>
  );
}

function valuesOf({ ntp, zone }: TimeView): Values {
  const [first = '', second = ''] = ntp.servers;
  return { isNtp: ntp.enable, first, second, zone, date: '' };
}

/** Only what has changed: NTP is started again by each change of it. */
function toChange(values: Values, before: Values): TimeChange {
  const { isNtp, first, second, zone, date } = values;
  const isNtpChanged = isNtp !== before.isNtp || first !== before.first || second !== before.second;
  const [one, other] = [first.trim(), second.trim()];
  // While NTP is on, an empty first server is a fault of its field.
  const servers = [one, other].filter((server, at) => server !== '' || (isNtp && at === 0));
  return {
    ...(isNtpChanged && { ntp: { enable: isNtp, servers } }),
    ...(zone !== before.zone && { zone }),
    ...(!isNtp && date !== '' && { date: momentIn(zone, date) }),
  };
}

function check(values: Values, base: TimeView): FieldFaults {
  const faults: FieldFaults = {};
  for (const [path, rule] of Object.entries(faultsOf(TimeChange, toChange(values, valuesOf(base))))) {
    const field = path === 'ntp.servers' ? 'second' : fieldOfPath(paths, path);
    if (rule !== undefined) faults[field] = rule;
  }
  return faults;
}

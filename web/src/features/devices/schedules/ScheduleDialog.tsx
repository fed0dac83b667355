import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scheduleActions } from '../../../../../daemon/contract/schedule-fields.ts';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { weekDay } from '../../../lib/week-days.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { DevicePicker } from './DevicePicker.tsx';
import styles from './Schedules.module.css';
import { addSchedule, changeSchedule, scheduleQuery, type WholeSchedule, zoneQuery } from './schedule-calls.ts';
import { allDays, canDo, checkSchedule, type ScheduleValues, scheduleConfig, scheduleValues } from './schedule-form.ts';
import { actionTexts } from './schedule-look.ts';

interface ScheduleDialogProps {
  /** Undefined for a new one. */
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
}

export default function ScheduleDialog({ schedule, onClose }: ScheduleDialogProps) {
  return schedule === undefined ? (
    <ScheduleForm now={undefined} onClose={onClose} />
  ) : (
    <StoredSchedule schedule={schedule} onClose={onClose} />
  );
}

/** The list does not have the devices. */
function StoredSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { data } = useQuery(scheduleQuery(schedule.id, String(schedule.revision)));
  return data === undefined ? null : <ScheduleForm now={data} onClose={onClose} />;
}

function ScheduleForm({ now, onClose }: { now: WholeSchedule | undefined; onClose: () => void }) {
  const { t, i18n } = useLingui();
  const zone = useQuery(zoneQuery).data ?? '';
  const fields = useEditedForm<WholeSchedule, ScheduleValues>({
    ...{ now, revision: now?.revision, queryKey: ['schedules'] },
    valuesOf: scheduleValues,
    check: checkSchedule,
    fieldOf: (path) => path.split('.').find((part) => part !== 'config') ?? path,
  });
  const { form, edit } = fields;
  const { values, errors } = form;
  const save = async (of: ScheduleValues) => {
    const config = scheduleConfig(of);
    if (now === undefined) await addSchedule(config);
    else await changeSchedule({ id: now.id, config, revision: edit.basis() });
    showToast('success', now === undefined ? t`“${of.name}” was added.` : t`“${of.name}” was saved.`);
  };
  const toggleDay = (day: number) => {
    const { days } = values;
    form.setFieldValue(
      'days',
      days.includes(day) ? days.filter((one) => one !== day) : [...days, day].sort((a, b) => a - b),
    );
  };
  const hint = values.start !== '' && values.stop !== '' && values.stop < values.start;
  return (
    <FormDialog
      title={now === undefined ? t`Add schedule` : t`Edit schedule “${now.name}”`}
      size={560}
      fields={fields}
      save={save}
      verb={now === undefined ? <Trans>Add schedule</Trans> : <Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
      <NativeSelect
        label={t`Action`}
        data={scheduleActions.map((action) => ({ value: action, label: i18n._(actionTexts[action]) }))}
        {...form.getInputProps('action')}
      />
      <div className={styles.halves}>
        <TextInput
          type="time"
          label={t`Start at`}
          description={t`Leave empty to stop without a start time.`}
          {...form.getInputProps('start')}
        />
        <TextInput
          type="time"
          label={t`Stop at`}
          description={hint ? t`On the next day.` : t`Leave empty to start without a stop time.`}
          {...form.getInputProps('stop')}
        />
      </div>
      <SegmentedControl
        aria-label={t`Repeat`}
        data={[
          { value: 'weekly', label: t`Every week` },
          { value: 'once', label: t`Once` },
        ]}
        {...form.getInputProps('repeat')}
      />
      {values.repeat === 'weekly' ? (
        <div>
          <fieldset className={styles.days}>
            <legend>
              <Trans>Days on which it starts</Trans>
            </legend>
            {allDays.map((day) => (
              <label key={day} className={styles.day}>
                <input
                  type="checkbox"
                  aria-label={weekDay(i18n, day, 'long')}
                  checked={values.days.includes(day)}
                  onChange={() => toggleDay(day)}
                />
                <span aria-hidden>{weekDay(i18n, day, 'short')}</span>
              </label>
            ))}
          </fieldset>
          {errors.days && (
            <p className={styles.error} role="alert">
              {errors.days}
            </p>
          )}
        </div>
      ) : (
        <TextInput type="date" label={t`Date`} {...form.getInputProps('date')} />
      )}
      <p className={styles.hint}>
        <Trans>
          Times are in the time zone of the hub, <span translate="no">{zone}</span>. The schedule runs with your
          permissions.
        </Trans>
      </p>
      <DevicePicker
        chosen={values.sn}
        onChange={(sn) => form.setFieldValue('sn', sn)}
        canDo={(device) => canDo(device, values)}
        error={errors.sn}
      />
      <Checkbox label={t`Enabled`} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ruleKinds } from '../../../../daemon/contract/alarm-fields.ts';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { alarmKindText } from '../../i18n/alarm-text.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { DialogForm } from '../editing/DialogForm.tsx';
import styles from './AlarmPanel.module.css';
import { alarmRulesQuery } from './alarms-query.ts';
import {
  checkRules,
  fieldOf,
  fieldOfPath,
  numbersOf,
  type RuleNumber,
  type RuleValues,
  rulesOf,
  valuesOf,
} from './rules-form.ts';

interface DialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

export default function AlarmRulesDialog({ channel, onClose }: DialogProps) {
  const { t } = useLingui();
  const { data: stored, error } = useQuery(alarmRulesQuery(channel.id));
  return (
    <Dialog title={t`Alarms of “${channel.name}”`} onClose={onClose} size={560}>
      {error !== null && stored === undefined && (
        <FormFault>
          <FaultText error={error} />
        </FormFault>
      )}
      {stored !== undefined && <RulesForm channel={channel} stored={stored} onClose={onClose} />}
    </Dialog>
  );
}

type StoredRules = ResponseOf<typeof alarmApi.rules>;

function RulesForm({ channel, stored, onClose }: DialogProps & { stored: StoredRules }) {
  const { i18n, t } = useLingui();
  const { form, onSubmit, place, edit } = useEditedForm<StoredRules, RuleValues>({
    ...{ now: stored, revision: stored.revision, queryKey: alarmRulesQuery(channel.id).queryKey },
    valuesOf: (base) => valuesOf((base ?? stored).rules),
    check: checkRules,
    fieldOf: fieldOfPath,
  });
  const save = useMutation({
    mutationFn: async (values: RuleValues) => {
      await call(alarmApi.setRules, { body: { channel: channel.id, rules: rulesOf(values), revision: edit.basis() } });
      await queryClient.invalidateQueries({ queryKey: alarmRulesQuery(channel.id).queryKey });
    },
    onSuccess() {
      const { name } = channel;
      showToast('success', t`“${name}” was saved.`);
      onClose();
    },
    onError: place,
  });
  const units: Record<RuleNumber, string> = { seconds: t`s`, kbps: 'kb/s', percent: '%', 'per-minute': t`per min` };
  return (
    <DialogForm
      onSubmit={onSubmit((values) => save.mutate(values))}
      act={save}
      errors={form.errors}
      edit={edit}
      verb={<Trans>Save</Trans>}
      onClose={onClose}
    >
      {ruleKinds.map((kind) => {
        const name = alarmKindText(i18n, kind);
        return (
          <div key={kind} className={styles.rule}>
            <Checkbox label={name} {...form.getInputProps(fieldOf(kind, 'enable'), { type: 'checkbox' })} />
            <div className={styles.numbers}>
              {numbersOf[kind].map((number) => (
                <TextInput
                  key={number}
                  aria-label={`${name}, ${units[number]}`}
                  inputMode="numeric"
                  rightSection={units[number]}
                  rightSectionWidth={number === 'per-minute' ? 72 : 52}
                  disabled={form.values[fieldOf(kind, 'enable')] !== true}
                  {...form.getInputProps(fieldOf(kind, number))}
                />
              ))}
            </div>
          </div>
        );
      })}
    </DialogForm>
  );
}

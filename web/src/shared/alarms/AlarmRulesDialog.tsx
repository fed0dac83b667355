import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ruleKinds } from '../../../../daemon/contract/alarm-kinds.ts';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';
import { alarmKindText } from '../../i18n/alarm-text.ts';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { DialogForm } from '../editing/DialogForm.tsx';
import styles from './AlarmPanel.module.css';
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
      {error !== null && stored === undefined && <ActFault error={error} />}
      {stored !== undefined && <RulesForm channel={channel} stored={stored} onClose={onClose} />}
    </Dialog>
  );
}

function alarmRulesQuery(channel: number) {
  return queryOptions({
    queryKey: ['alarms', 'rules', channel],
    queryFn: ({ signal }) => call(alarmApi.rules, { query: { channel }, signal }),
  });
}

const setRules = changing(alarmApi.setRules, 'alarms');

type StoredRules = ResponseOf<typeof alarmApi.rules>;

function RulesForm({ channel, stored, onClose }: DialogProps & { stored: StoredRules }) {
  const { i18n, t } = useLingui();
  const fields = useEditedForm<StoredRules, RuleValues>({
    ...{ now: stored, revision: stored.revision, queryKey: alarmRulesQuery(channel.id).queryKey },
    valuesOf: (base) => valuesOf((base ?? stored).rules),
    check: checkRules,
    fieldOf: fieldOfPath,
  });
  const { form, edit } = fields;
  const save = async (values: RuleValues) => {
    const { id, name } = channel;
    await setRules({ channel: id, rules: rulesOf(values), revision: edit.basis() });
    showToast('success', t`“${name}” was saved.`);
  };
  const units: Record<RuleNumber, string> = { seconds: t`s`, kbps: 'kb/s', percent: '%', 'per-minute': t`per min` };
  return (
    <DialogForm fields={fields} save={save} verb={<Trans>Save</Trans>} onClose={onClose}>
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

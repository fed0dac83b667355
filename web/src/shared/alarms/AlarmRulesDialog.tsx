import { Trans, useLingui } from '@lingui/react/macro';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { DialogForm } from '../editing/DialogForm.tsx';
import { RuleFields } from './RuleFields.tsx';
import { channelRules, fieldOfPath, type RuleValues } from './rules-form.ts';

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
  const { t } = useLingui();
  const fields = useEditedForm<StoredRules, RuleValues>({
    ...{ now: stored, revision: stored.revision, queryKey: alarmRulesQuery(channel.id).queryKey },
    valuesOf: (base) => channelRules.valuesOf((base ?? stored).rules),
    check: channelRules.check,
    fieldOf: fieldOfPath,
  });
  const { form, edit } = fields;
  const save = async (values: RuleValues) => {
    const { id, name } = channel;
    await setRules({ channel: id, rules: channelRules.rulesOf(values), revision: edit.basis() });
    showToast('success', t`“${name}” was saved.`);
  };
  return (
    <DialogForm fields={fields} save={save} verb={<Trans>Save</Trans>} onClose={onClose}>
      <RuleFields form={form} rules={channelRules} />
    </DialogForm>
  );
}

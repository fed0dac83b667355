import { Trans, useLingui } from '@lingui/react/macro';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { RuleFields } from '../../shared/alarms/RuleFields.tsx';
import { deviceRules, fieldOfPath, type RuleValues } from '../../shared/alarms/rules-form.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { SettingsGroup } from './SettingsGroup.tsx';

const rulesQuery = queryOptions({
  queryKey: ['alarms', 'device-rules'],
  queryFn: ({ signal }) => call(alarmApi.deviceRules, { signal }),
});
type Stored = ResponseOf<typeof alarmApi.deviceRules>;

/** When devices raise alarms. */
export default function DeviceAlarmSettings() {
  const stored = useQuery(rulesQuery).data;
  return stored === undefined ? null : <RulesForm stored={stored} />;
}

function RulesForm({ stored }: { stored: Stored }) {
  const { t } = useLingui();
  const { form, onSubmit, place, edit } = useEditedForm<Stored, RuleValues>({
    ...{ now: stored, revision: stored.revision, queryKey: rulesQuery.queryKey },
    ...{ valuesOf: (base) => deviceRules.valuesOf((base ?? stored).rules), check: deviceRules.check },
    fieldOf: fieldOfPath,
  });
  const save = useMutation<number, unknown, RuleValues>({
    mutationFn: async (values) => {
      const body = { rules: deviceRules.rulesOf(values), revision: edit.basis() };
      return (await call(alarmApi.setDeviceRules, { body })).revision;
    },
    onSuccess(revision) {
      showToast('success', t`The settings were saved.`, 'settings');
      edit.follow(revision);
    },
    onError: place,
  });
  return (
    <SettingsGroup
      group={{ name: 'device-alarms', form, onSubmit, edit, save }}
      title={<Trans>Alarms of devices</Trans>}
      intro={
        <Trans>
          Faults that last for this long raise an alarm. If 20 devices or more have the same fault, they have one alarm
          together.
        </Trans>
      }
    >
      <RuleFields form={form} rules={deviceRules} />
    </SettingsGroup>
  );
}

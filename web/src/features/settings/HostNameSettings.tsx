import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { HostName } from '../../../../daemon/contract/time-fields.ts';
import { timeApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { systemStatusQuery, useSystem } from '../../shared/system/system-query.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { SettingsGroup } from './SettingsGroup.tsx';

interface Values {
  readonly name: string;
}

/** The name of the machine in its network; the hub name is what people see. */
export default function HostNameSettings() {
  const name = useSystem()?.info['host-name'];
  // The form is filled once.
  return name === undefined ? null : <HostNameForm key={name} name={name} />;
}

function HostNameForm({ name }: Values) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { form, onSubmit, place, edit } = useEditedForm<Values, Values>({
    ...{ now: { name }, revision: 0, queryKey: systemStatusQuery.queryKey },
    valuesOf: () => ({ name }),
    check: (values) => faultAt('name', HostName, values.name.trim()),
  });
  const save = useMutation<number, unknown, Values>({
    mutationFn: async (values) => {
      await call(timeApi.setHostName, { body: { name: values.name.trim() } });
      return 0;
    },
    onSuccess: async () => {
      showToast('success', t`The settings were saved.`, 'settings');
      await client.invalidateQueries({ queryKey: systemStatusQuery.queryKey });
    },
    onError: (error) => place(error),
  });
  const group = {
    name: 'host-name',
    form,
    onSubmit,
    edit,
    save,
    trySave: async (values: Values) => save.mutate(values),
  };
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Host name</Trans>}
      intro={<Trans>The name of this machine in its network, also for addresses such as name.local.</Trans>}
    >
      <TextInput label={t`Host name`} {...form.getInputProps('name')} />
    </SettingsGroup>
  );
}

import { useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import type { SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import type { EditedForm } from '../../ui/form/useEditedForm.ts';
import { SettingsPanel } from './SettingsPanel.tsx';

export interface SettingsProps {
  readonly settings: Settings;
}

/** Returns the field of a path in the request. The path of a list ends with the number of the entry. */
export function lastPart(path: string): string {
  return path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path;
}

interface GroupProps<V extends object> {
  readonly title: ReactNode;
  readonly fields: EditedForm<Settings, V>;
  readonly toChange: (values: V) => SettingsChange;
  readonly children: ReactNode;
}

/** The form of one group of settings. */
export function SettingsGroup<V extends object>({ title, fields, toChange, children }: GroupProps<V>) {
  const { t } = useLingui();
  const noEdit = useMay('systemEdit') ? undefined : t`You can view these settings, but not change them.`;
  const { edit, place } = fields;
  const save = useMutation({
    mutationFn: async (values: V) => {
      const { revision } = await call(settingsApi.set, { body: { ...toChange(values), revision: edit.basis() } });
      edit.follow(revision);
    },
    onSuccess: () => showToast('success', t`The settings of the router were saved.`),
    onError: place,
  });
  return (
    <SettingsPanel title={title} fields={fields} save={save} noEdit={noEdit}>
      {children}
    </SettingsPanel>
  );
}

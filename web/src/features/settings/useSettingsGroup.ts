import { useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { type Settings, SettingsChange, settingsApi } from '../../../../daemon/contract/settings.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { type FieldFaults, faultsOf } from '../../lib/schema-form.ts';
import { useSchemaForm } from '../../lib/useSchemaForm.ts';
import { showToast } from '../../ui/toasts.ts';
import { settingsQuery } from './settings-query.ts';

interface SettingsGroupOptions<V extends object> {
  readonly initial: V;
  readonly toChange: (values: V) => SettingsChange;
  /** Rules beyond those of the request. */
  readonly check?: (values: V) => FieldFaults;
  /** Path of the request by field of the form. */
  readonly paths: Readonly<Record<keyof V & string, string>>;
  readonly onSaved?: (values: V) => void;
}

/** One group of settings: its form, its checks by the contract, its saving. */
export function useSettingsGroup<V extends object>(options: SettingsGroupOptions<V>) {
  const { t } = useLingui();
  const { initial, toChange, paths } = options;
  const fieldOf = (path: string) => {
    const found = Object.entries<string>(paths).find(([, own]) => own === path);
    return found?.[0] ?? path;
  };
  const check = (values: V): FieldFaults => {
    const found = Object.entries(faultsOf(SettingsChange, toChange(values)));
    return { ...options.check?.(values), ...Object.fromEntries(found.map(([path, rule]) => [fieldOf(path), rule])) };
  };
  const { form, place } = useSchemaForm<V>({ initial, check, fieldOf });
  const save = useMutation({
    mutationFn: async (values: V) => {
      await call(settingsApi.set, { body: toChange(values) });
    },
    async onSuccess(_, values) {
      form.resetDirty(values);
      showToast('success', t`The settings were saved.`, 'settings');
      options.onSaved?.(values);
      await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey });
    },
    onError: place,
  });
  return { form, save };
}

export interface SettingsProps {
  readonly settings: Settings;
}

/** An empty field is no number; the schema then says so. */
export function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

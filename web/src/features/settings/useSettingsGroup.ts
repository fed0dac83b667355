import { useLingui } from '@lingui/react/macro';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Settings, type SettingsChange, settingsApi } from '../../../../daemon/contract/settings.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { faultText } from '../../i18n/result-text.ts';
import type { FieldFaults } from '../../lib/schema-form.ts';
import { type SchemaForm, useSchemaForm } from '../../lib/useSchemaForm.ts';
import { showToast } from '../../ui/toasts.ts';
import { checkChange, fieldOfPath, occupiedField, type Paths } from './settings-form.ts';
import { settingsQuery } from './settings-query.ts';

export interface SettingsProps {
  readonly settings: Settings;
}

interface SettingsGroupOptions<V extends object> extends SettingsProps {
  readonly valuesOf: (settings: Settings) => V;
  readonly toChange: (values: V) => SettingsChange;
  /** Rules beyond those of the request. */
  readonly check?: (values: V) => FieldFaults;
  readonly paths: Paths<V>;
  /** Where the console is found after saving, when it leaves its present address. */
  readonly leavesFor?: (values: V) => string | undefined;
}

export interface SettingsGroupState<V extends object> {
  readonly form: SchemaForm<V>['form'];
  readonly onSubmit: SchemaForm<V>['onSubmit'];
  readonly save: UseMutationResult<void, unknown, V>;
  /** Saves; rejects only with a fault that has no field of its own. */
  readonly trySave: (values: V) => Promise<void>;
}

/** One group of settings: its form, its checks by the contract, its saving. */
export function useSettingsGroup<V extends object>(options: SettingsGroupOptions<V>): SettingsGroupState<V> {
  const { t, i18n } = useLingui();
  const { valuesOf, toChange, paths, leavesFor } = options;
  const stored = valuesOf(options.settings);
  const { form, onSubmit, place, focusFault } = useSchemaForm<V>({
    initial: stored,
    check: (values) => ({ ...checkChange(toChange(values), paths), ...options.check?.(values) }),
    fieldOf: (path) => fieldOfPath(paths, path),
  });
  const [shown, setShown] = useState(stored);
  const adopt = (values: V) => {
    setShown(values);
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
  };
  // What somebody else saved meanwhile is taken over, but never over what is being typed here.
  if (!isSame(stored, shown) && !form.isDirty()) adopt(stored);
  const placeFault = (error: unknown, values: V): boolean => {
    const field = occupiedField(error, values, paths);
    if (field === undefined) return place(error);
    form.setFieldError(field, faultText(i18n, error));
    focusFault();
    return true;
  };
  const save = useMutation<void, unknown, V>({
    mutationFn: async (values) => {
      await call(settingsApi.set, { body: toChange(values) });
    },
    async onSuccess(_, values) {
      const address = leavesFor?.(values);
      if (address !== undefined) return location.assign(address);
      showToast('success', t`The settings were saved.`, 'settings');
      // Typed secrets go from the form, too: what is stored never comes back.
      await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey });
      const now = queryClient.getQueryData(settingsQuery.queryKey);
      if (now !== undefined) adopt(valuesOf(now));
    },
    onError: (error, values) => placeFault(error, values),
  });
  const trySave = async (values: V) => {
    try {
      await save.mutateAsync(values);
    } catch (error) {
      if (!placeFault(error, values)) throw error;
    }
  };
  return { form, onSubmit, save, trySave };
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

import { useLingui } from '@lingui/react/macro';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import type { SettingsGroup as Group, SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { faultText } from '../../i18n/result-text.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import type { FieldFaults } from '../../ui/form/schema-form.ts';
import { type Edit, useEditedForm } from '../../ui/form/useEditedForm.ts';
import type { SchemaForm } from '../../ui/form/useSchemaForm.ts';
import { checkChange, fieldOfPath, occupiedField, type Paths } from './settings-form.ts';

export interface SettingsProps {
  readonly settings: Settings;
}

interface SettingsGroupOptions<V extends object> extends SettingsProps {
  readonly group: Group;
  readonly valuesOf: (settings: Settings) => V;
  readonly toChange: (values: V) => SettingsChange;
  /** Rules beyond those of the request. */
  readonly check?: (values: V) => FieldFaults;
  readonly paths: Paths<V>;
}

export interface SettingsGroupState<V extends object> {
  /** By which the page's address refers to it. */
  readonly name: string;
  readonly form: SchemaForm<V>['form'];
  readonly onSubmit: SchemaForm<V>['onSubmit'];
  readonly edit: Edit;
  readonly save: UseMutationResult<number, unknown, V>;
}

interface OwnSettingsGroup<V extends object> extends SettingsGroupState<V> {
  /** Saves and returns the new revision; undefined after a fault that is shown at its field. Any other is thrown. */
  readonly trySave: (values: V) => Promise<number | undefined>;
}

/** One group of settings: its form, its checks by the contract, and saving. */
export function useSettingsGroup<V extends object>(options: SettingsGroupOptions<V>): OwnSettingsGroup<V> {
  const { t, i18n } = useLingui();
  const { settings, group, valuesOf, toChange, paths } = options;
  const { form, onSubmit, place, focusFault, edit } = useEditedForm<Settings, V>({
    ...{ now: settings, revision: settings.revision[group], queryKey: settingsQuery.queryKey },
    valuesOf: (base) => valuesOf(base ?? settings),
    check: (values) => ({ ...checkChange(toChange(values), paths), ...options.check?.(values) }),
    fieldOf: (path) => fieldOfPath(paths, path),
  });
  const placeFault = (error: unknown, values: V): boolean => {
    const field = occupiedField(error, values, paths);
    if (field === undefined) return place(error);
    form.setFieldError(field, faultText(i18n, error));
    focusFault();
    return true;
  };
  const save = useMutation<number, unknown, V>({
    mutationFn: async (values) => {
      const body = { ...toChange(values), revision: edit.basis() };
      return (await call(settingsApi.set, { body })).revision;
    },
    onSuccess(revision, values) {
      // A change on trial is not saved yet.
      if (toChange(values)['confirm-within'] === undefined)
        showToast('success', t`The settings were saved.`, 'settings');
      // Also clears typed secrets from the form; the hub never sends stored ones back.
      edit.follow(revision);
    },
    onError: (error, values) => placeFault(error, values),
  });
  const trySave = async (values: V) => {
    try {
      return await save.mutateAsync(values);
    } catch (error) {
      if (!placeFault(error, values)) throw error;
      return undefined;
    }
  };
  return { name: group, form, onSubmit, edit, save, trySave };
}

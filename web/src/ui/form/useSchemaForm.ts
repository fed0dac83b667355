import { useLingui } from '@lingui/react/macro';
import { type UseFormReturnType, useForm } from '@mantine/form';
import type { FormEvent, RefObject } from 'react';
import { ruleText, ruleWith } from '../../i18n/rule-text.ts';
import { CallError } from '../../lib/call-error.ts';
import type { FieldFaults } from './schema-form.ts';
import { useFaultFocus } from './useFaultFocus.ts';

export interface SchemaFormOptions<V extends object> {
  readonly initial: V;
  /** Faults by field of the form, as rule words of the contract. */
  readonly check: (values: V) => FieldFaults;
  /** Maps a path of the request to a field of the form if their names differ. */
  readonly fieldOf?: (path: string, values: V) => string;
}

export interface SchemaForm<V extends object> {
  readonly form: UseFormReturnType<V>;
  /** For forms that show faults before the first submit. */
  readonly element: RefObject<HTMLFormElement | null>;
  /** Handler for the form element: validates, then calls `accept`; the first invalid field gets the focus. */
  readonly onSubmit: (accept: (values: V) => void) => (event: FormEvent<HTMLFormElement>) => void;
  /** Shows exactly these faults at their fields. */
  readonly show: (faults: FieldFaults) => void;
  /** Shows field faults reported by the hub; returns false if there are none to show. */
  readonly place: (error: unknown) => boolean;
  /** Focuses the first invalid field once the faults are rendered; for errors set manually. */
  readonly focusFault: () => void;
}

export function useSchemaForm<V extends object>({ initial, check, fieldOf }: SchemaFormOptions<V>): SchemaForm<V> {
  const { i18n } = useLingui();
  const texts = (faults: FieldFaults) =>
    Object.fromEntries(Object.entries(faults).map(([field, rule]) => [field, ruleText(i18n, rule)]));
  const form = useForm<V>({
    initialValues: initial,
    validate: (values) => texts(check(values)),
    // A field that the user only tabs through does not report that it is required.
    enhanceGetInputProps: ({ form: own, field, inputProps }) => ({
      // The library's password field does not set it itself.
      'aria-invalid': inputProps.error ? true : undefined,
      onBlur: () => {
        if (own.isDirty(field)) own.validateField(field);
      },
    }),
    clearInputErrorOnChange: true,
  });
  const { element, focusFault } = useFaultFocus();
  const onSubmit = (accept: (values: V) => void) => (event: FormEvent<HTMLFormElement>) => {
    element.current = event.currentTarget;
    form.onSubmit(accept, focusFault)(event);
  };
  const show = (faults: FieldFaults) => {
    form.setErrors(texts(faults));
    focusFault();
  };
  const place = (error: unknown) => {
    if (!(error instanceof CallError) || error.fields.length === 0) return false;
    const named = error.fields.map(({ path, rule, params }) => {
      return [fieldOf?.(path, form.getValues()) ?? path, ruleWith(rule, params)] as const;
    });
    const known = named.filter(([field]) => Object.hasOwn(form.getValues(), field));
    show(Object.fromEntries(known));
    return known.length > 0;
  };
  return { form, element, onSubmit, show, place, focusFault };
}

import { useLingui } from '@lingui/react/macro';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { CallError } from '../api/result.ts';
import { ruleText } from '../i18n/rule-text.ts';
import type { FieldFaults } from './schema-form.ts';

interface SchemaFormOptions<V extends object> {
  readonly initial: V;
  /** Faults by field of the form, as rule words of the contract. */
  readonly check: (values: V) => FieldFaults;
  /** Field of the form for a path of the request, where their names differ. */
  readonly fieldOf?: (path: string) => string;
}

export interface SchemaForm<V extends object> {
  readonly form: UseFormReturnType<V>;
  /** Puts the fault of a field that only the hub found beside it; false when there is none to place. */
  readonly place: (error: unknown) => boolean;
}

export function useSchemaForm<V extends object>({ initial, check, fieldOf }: SchemaFormOptions<V>): SchemaForm<V> {
  const { i18n } = useLingui();
  const texts = (faults: FieldFaults) =>
    Object.fromEntries(Object.entries(faults).map(([field, rule]) => [field, ruleText(i18n, rule)]));
  const form = useForm<V>({
    initialValues: initial,
    validate: (values) => texts(check(values)),
    // Nobody is told that a field is required who only passes by it.
    enhanceGetInputProps: ({ form: own, field }) => ({
      onBlur: () => {
        if (own.isDirty(field)) own.validateField(field);
      },
    }),
    clearInputErrorOnChange: true,
  });
  const place = (error: unknown) => {
    if (!(error instanceof CallError) || error.fields.length === 0) return false;
    const named = error.fields.map(({ path, rule }) => [fieldOf?.(path) ?? path, rule] as const);
    const known = named.filter(([field]) => Object.hasOwn(form.getValues(), field));
    form.setErrors(texts(Object.fromEntries(known)));
    return known.length > 0;
  };
  return { form, place };
}

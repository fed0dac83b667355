import { useState } from 'react';
import type { FieldFaults } from '../../lib/schema-form.ts';
import { type SchemaForm, useSchemaForm } from '../../lib/useSchemaForm.ts';

/** What a form begins with, and which revision of the object that is. */
export interface Beginning<V> {
  readonly revision: number;
  readonly values: V;
}

interface EditedFormOptions<V extends object> {
  /** As the object is now. */
  readonly current: Beginning<V>;
  readonly check: (values: V) => FieldFaults;
  readonly fieldOf?: (path: string, values: V) => string;
}

export interface EditedForm<V extends object> extends SchemaForm<V> {
  readonly base: Beginning<V>;
  readonly isDirty: boolean;
  /** Begins anew: after saving, or with what somebody else has saved. */
  readonly adopt: (next: Beginning<V>) => void;
}

/** The form of an object that others may change meanwhile: it follows them until one has begun to change it oneself. */
export function useEditedForm<V extends object>({ current, check, fieldOf }: EditedFormOptions<V>): EditedForm<V> {
  const [base, setBase] = useState(current);
  const schemaForm = useSchemaForm<V>({ initial: base.values, check, ...(fieldOf && { fieldOf }) });
  const { form } = schemaForm;
  const adopt = (next: Beginning<V>) => {
    setBase(next);
    form.setInitialValues(next.values);
    form.setValues(next.values);
    form.resetDirty(next.values);
  };
  const isDirty = !isSame(form.getValues(), base.values);
  if (!isDirty && !isSame(current, base)) adopt(current);
  return { ...schemaForm, base, isDirty, adopt };
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

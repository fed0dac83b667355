import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FieldFaults } from './schema-form.ts';
import { type SchemaForm, type SchemaFormOptions, useSchemaForm } from './useSchemaForm.ts';

/** Prevents changes by other users from being overwritten unnoticed. */
export interface Edit {
  /**
   * Revision on which the typed change is based. Called when the save call is made, which sends it with the values that
   * the form has at this moment. Undefined for a new object.
   */
  basis(): number | undefined;
  /** Bases the typed change on this revision: the user made it or was informed of it. */
  accept(revision: number): void;
  /**
   * The change was saved as this revision: the hub's values fill the form once they are loaded, except fields that were
   * edited since the save call was made.
   */
  follow(revision: number): void;
  /** Loads this revision, discarding all typed values; the first field gets the focus. */
  discard(revision: number): void;
  isBehind(revision: number): boolean;
}

interface EditedFormOptions<T, V extends object> extends Pick<SchemaFormOptions<V>, 'fieldOf'> {
  /** The latest known object; undefined for a new one. */
  readonly now: T | undefined;
  /** Revision of `now`. */
  readonly revision: number | undefined;
  readonly valuesOf: (base: T | undefined) => V;
  readonly check: (values: V, base: T | undefined) => FieldFaults;
  /** Key of the query that `now` comes from. */
  readonly queryKey: QueryKey;
}

export interface EditedForm<T, V extends object> extends SchemaForm<V> {
  /** The object that the form was filled from and that typed values are compared with. */
  readonly base: T | undefined;
  readonly edit: Edit;
}

/**
 * The form of an object that others may edit at the same time. Their changes are loaded while the form is unedited and
 * never overwrite typed values.
 */
export function useEditedForm<T, V extends object>(options: EditedFormOptions<T, V>): EditedForm<T, V> {
  const { now, revision = 0, valuesOf, queryKey } = options;
  const client = useQueryClient();
  const [base, setBase] = useState({ of: now, revision });
  /** From this revision on, the object replaces typed values: all, or those that were `saved`. */
  const [awaited, setAwaited] = useState<{ readonly revision: number; readonly saved: V | undefined }>();
  const accepted = useRef(revision);
  /** What the form had when the newest save call was made. */
  const sent = useRef<V>(undefined);
  const schemaForm = useSchemaForm<V>({
    initial: valuesOf(base.of),
    check: (values) => options.check(values, base.of),
    ...(options.fieldOf && { fieldOf: options.fieldOf }),
  });
  const { form, element } = schemaForm;
  const fill = (of: T | undefined, saved?: V) => {
    const values = valuesOf(of);
    const typed = saved && changedFields(saved, form.getValues());
    form.setInitialValues(values);
    form.setValues({ ...values, ...typed });
    form.resetDirty(values);
    form.clearErrors();
  };
  const isFree = awaited === undefined ? !form.isDirty() : revision >= awaited.revision;
  if (now !== undefined && revision > base.revision && isFree) {
    setBase({ of: now, revision });
    setAwaited(undefined);
    fill(now, awaited?.saved);
  }
  const focusAfter = useFocusAfter(base.revision, element);
  const load = (made: number, saved: V | undefined) => {
    if (made <= base.revision) return fill(base.of, saved);
    setAwaited({ revision: made, saved });
    void client.invalidateQueries({ queryKey });
  };
  const edit: Edit = {
    basis() {
      sent.current = form.getValues();
      return base.of === undefined ? undefined : Math.max(base.revision, accepted.current);
    },
    accept: (made) => {
      accepted.current = made;
    },
    follow(made) {
      const saved = sent.current;
      // Until the hub's values are loaded, what was saved counts as unedited, and "Discard" returns to it.
      if (saved) form.setInitialValues(saved);
      if (saved) form.resetDirty(saved);
      load(made, saved);
    },
    discard(made) {
      focusAfter();
      load(made, undefined);
    },
    isBehind: (made) => base.revision < made,
  };
  return { ...schemaForm, base: base.of, edit };
}

/** The fields of `after` whose values differ from those of `before`. */
function changedFields<V extends object>(before: V, after: V): Partial<V> {
  const isSame = (field: keyof V) => JSON.stringify(before[field]) === JSON.stringify(after[field]);
  const fields = Object.keys(after) as (keyof V)[];
  return Object.fromEntries(fields.flatMap((field) => (isSame(field) ? [] : [[field, after[field]]]))) as Partial<V>;
}

/** Focuses the first field after a revision change, because the clicked button and its focus disappear. */
function useFocusAfter(revision: number, element: SchemaForm<object>['element']): () => void {
  const isAsked = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when another revision is shown
  useEffect(() => {
    if (isAsked.current) element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    isAsked.current = false;
  }, [revision, element]);
  return () => {
    isAsked.current = true;
  };
}

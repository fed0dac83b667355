import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FieldFaults } from './schema-form.ts';
import { type SchemaForm, type SchemaFormOptions, useSchemaForm } from './useSchemaForm.ts';

/** Prevents changes by other users from being overwritten unnoticed. */
export interface Edit {
  /** Revision on which the typed change is based, sent with the save call. Undefined for a new object. */
  basis(): number | undefined;
  /** Bases the typed change on this revision: the user made it or was informed of it. */
  accept(revision: number): void;
  /** The change was saved as this revision: the hub's values fill the form once they are loaded. */
  follow(revision: number): void;
  /** Does the same, discarding the typed values; the first field gets the focus. */
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
  /** From this revision on, the object replaces any typed values. */
  const [awaited, setAwaited] = useState<number>();
  const accepted = useRef(revision);
  const schemaForm = useSchemaForm<V>({
    initial: valuesOf(base.of),
    check: (values) => options.check(values, base.of),
    ...(options.fieldOf && { fieldOf: options.fieldOf }),
  });
  const { form, element } = schemaForm;
  const fill = (of: T | undefined) => {
    const values = valuesOf(of);
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
  };
  const isFree = awaited === undefined ? !form.isDirty() : revision >= awaited;
  if (now !== undefined && revision > base.revision && isFree) {
    setBase({ of: now, revision });
    setAwaited(undefined);
    fill(now);
  }
  const focusAfter = useFocusAfter(base.revision, element);
  const follow = (made: number) => {
    if (made <= base.revision) return fill(base.of);
    setAwaited(made);
    void client.invalidateQueries({ queryKey });
  };
  const edit: Edit = {
    basis: () => (base.of === undefined ? undefined : Math.max(base.revision, accepted.current)),
    accept: (made) => {
      accepted.current = made;
    },
    follow,
    discard(made) {
      focusAfter();
      follow(made);
    },
    isBehind: (made) => base.revision < made,
  };
  return { ...schemaForm, base: base.of, edit };
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

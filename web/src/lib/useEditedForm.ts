import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FieldFaults } from './schema-form.ts';
import { type SchemaForm, type SchemaFormOptions, useSchemaForm } from './useSchemaForm.ts';

/** What keeps the change of somebody else from being lost unseen. */
export interface Edit {
  /** What the typed change was begun from: goes with the call that saves it. Undefined for something new. */
  basis(): number | undefined;
  /** The typed change is meant for this one: it was made by oneself, or one was told of it. */
  accept(revision: number): void;
  /** It was saved as this one: what the hub has of it comes into the form once it is known here. */
  follow(revision: number): void;
  /** The same in place of what was typed; the first field gets the focus. */
  discard(revision: number): void;
  isBehind(revision: number): boolean;
}

interface EditedFormOptions<T, V extends object> extends Pick<SchemaFormOptions<V>, 'fieldOf'> {
  /** As it is known now; undefined for something new. */
  readonly now: T | undefined;
  /** The one of `now`. */
  readonly revision: number | undefined;
  readonly valuesOf: (begun: T | undefined) => V;
  readonly check: (values: V, begun: T | undefined) => FieldFaults;
  /** Of the query that `now` comes from. */
  readonly queryKey: QueryKey;
}

export interface EditedForm<T, V extends object> extends SchemaForm<V> {
  /** What the form began from, which what is typed is held against. */
  readonly begun: T | undefined;
  readonly edit: Edit;
}

/**
 * The form of something that others may edit at the same time. What they save is taken over while nothing is being typed
 * here, and never over what is.
 */
export function useEditedForm<T, V extends object>(options: EditedFormOptions<T, V>): EditedForm<T, V> {
  const { now, revision = 0, valuesOf, queryKey } = options;
  const client = useQueryClient();
  const [begun, setBegun] = useState({ of: now, revision });
  /** Taken over whatever was typed, from this revision on. */
  const [awaited, setAwaited] = useState<number>();
  const accepted = useRef(revision);
  const schemaForm = useSchemaForm<V>({
    initial: valuesOf(begun.of),
    check: (values) => options.check(values, begun.of),
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
  if (now !== undefined && revision > begun.revision && isFree) {
    setBegun({ of: now, revision });
    setAwaited(undefined);
    fill(now);
  }
  const focusAfter = useFocusAfter(begun.revision, element);
  const follow = (made: number) => {
    if (made <= begun.revision) return fill(begun.of);
    setAwaited(made);
    void client.invalidateQueries({ queryKey });
  };
  const edit: Edit = {
    basis: () => (begun.of === undefined ? undefined : Math.max(begun.revision, accepted.current)),
    accept: (made) => {
      accepted.current = made;
    },
    follow,
    discard(made) {
      focusAfter();
      follow(made);
    },
    isBehind: (made) => begun.revision < made,
  };
  return { ...schemaForm, begun: begun.of, edit };
}

/** The button that asked for it goes, and the focus with it: the first field gets it. */
function useFocusAfter(revision: number, element: SchemaForm<object>['element']): () => void {
  const isAsked = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another revision is shown, and not before
  useEffect(() => {
    if (isAsked.current) element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    isAsked.current = false;
  }, [revision, element]);
  return () => {
    isAsked.current = true;
  };
}

/** Acts on several items of a list. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import type { Named } from './column.ts';

export interface BulkAct<T> {
  readonly key: string;
  /** The verb on its button. */
  readonly title: MessageDescriptor;
  readonly icon: ComponentType<IconProps>;
  /** Whether the act would change the item; the others are left alone. */
  readonly appliesTo: (item: T) => boolean;
  /** Asked before the act; undefined if it needs no question. */
  readonly ask: (items: readonly T[], i18n: I18n) => BulkQuestion | undefined;
  readonly run: (item: T) => Promise<unknown>;
  /** A dialog instead of the question, in which the user chooses what `run` needs. */
  readonly dialog?: (props: BulkDialogProps<T>) => ReactNode;
  /** In a menu of its own kind instead of a button. Its dialog gets all items, and says which of them it is not for. */
  readonly inMenu?: true;
  /** Whether the act is offered at all, for one of the items. Default: it is. */
  readonly isOffered?: (item: T) => boolean;
  /** Runs after the last item. */
  readonly after?: () => Promise<unknown>;
}

export interface BulkDialogProps<T> {
  readonly items: readonly T[];
  /** Runs this on each item instead of the act's own `run`. */
  readonly begin: (run: BulkAct<T>['run']) => void;
  readonly onClose: () => void;
}

export interface BulkQuestion {
  readonly title: string;
  readonly consequence: string;
  readonly verb: string;
}

export interface BulkResult<T> {
  readonly done: number;
  readonly failed: readonly { readonly item: T; readonly error: unknown }[];
}

/** Calls in flight at a time. */
const atOnce = 4;

/** Runs an act on each item; a failure of one does not stop the others. `report` gets the number of finished items. */
export async function runBulk<T extends Named>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
  report: (finished: number) => void,
): Promise<BulkResult<T>> {
  const failed: { item: T; error: unknown }[] = [];
  const waiting = items.values();
  let finished = 0;
  const work = async () => {
    for (const item of waiting) {
      try {
        await run(item);
      } catch (error) {
        failed.push({ item, error });
      }
      finished += 1;
      report(finished);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { done: items.length - failed.length, failed };
}

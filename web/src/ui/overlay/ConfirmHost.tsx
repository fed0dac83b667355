import { Suspense } from 'react';
import { lazyPart } from '../../lib/lazy-part.ts';
import { useConfirm } from './confirm.ts';

/** Dialogs are not part of the first load. */
const ConfirmDialog = lazyPart(() => import('./ConfirmDialog.tsx'));

export function ConfirmHost() {
  const open = useConfirm((state) => state.open);
  if (open === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ConfirmDialog question={open} />
    </Suspense>
  );
}

import { Suspense, useCallback } from 'react';
import { lazyPart } from '../lib/lazy-part.ts';
import { useDialogAddress } from '../ui/dialog-address.ts';
import { useSingleKey } from '../ui/single-keys.ts';

const KeySheet = lazyPart(() => import('./KeySheet.tsx'));

/** Dialog name in the URL; no page uses it for its own dialog. */
export const keySheetName = 'keys';

/** The question mark opens the list of all shortcuts. */
export default function KeyHelp() {
  const { name, open, close } = useDialogAddress();
  useSingleKey(
    '?',
    useCallback(() => open(keySheetName), [open]),
  );
  return (
    name === keySheetName && (
      <Suspense fallback={null}>
        <KeySheet onClose={close} />
      </Suspense>
    )
  );
}

import { Suspense, useCallback } from 'react';
import { lazyPart } from '../../lib/lazy-part.ts';
import { keySheetName, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { useSingleKey } from '../../ui/overlay/single-keys.ts';

const KeySheet = lazyPart(() => import('./KeySheet.tsx'));

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

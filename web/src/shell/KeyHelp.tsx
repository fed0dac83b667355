import { lazy, Suspense, useCallback } from 'react';
import { useDialogAddress } from '../ui/dialog-address.ts';
import { useSingleKey } from '../ui/single-keys.ts';

const KeySheet = lazy(() => import('./KeySheet.tsx'));

/** In the address; no page has a dialog of that name. */
export const keySheetName = 'keys';

/** The question mark opens the sheet of all keys. */
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

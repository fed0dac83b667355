import { useCallback } from 'react';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { keySheetName, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { useSingleKey } from '../../ui/overlay/single-keys.ts';

const KeySheet = deferredPart(() => import('./KeySheet.tsx'));

/** The question mark opens the list of all shortcuts. */
export default function KeyHelp() {
  const { name, open, close } = useDialogAddress();
  useSingleKey(
    '?',
    useCallback(() => open(keySheetName), [open]),
  );
  return name === keySheetName && <KeySheet onClose={close} />;
}

import { Plural } from '@lingui/react/macro';
import { CallError } from '../../lib/call-error.ts';

/** Devices would be left with half of their firmware. */
export function BusyText({ error }: { error: unknown }) {
  const running = error instanceof CallError ? Number(error.params?.by ?? 1) : 1;
  return (
    <Plural
      value={running}
      one="# upgrade of devices is running and would be interrupted. Wait until it has ended."
      other="# upgrades of devices are running and would be interrupted. Wait until they have ended."
    />
  );
}

import { faultOf } from '../../lib/call-error.ts';
import { FaultText } from './FaultText.tsx';
import { FormFault } from './FormFault.tsx';

/** Why an act failed. An ended session is shown by the dialog over the page and no longer applies after it. */
export function ActFault({ error }: { error: unknown }) {
  if (faultOf(error) === 'notLoggedIn') return null;
  return (
    <FormFault>
      <FaultText error={error} />
    </FormFault>
  );
}

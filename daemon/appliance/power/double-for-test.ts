/** A machine that only notes who restarts it. */
import type { Asker } from '../helper/operations.ts';
import type { MissingPart } from '../missing-part.ts';
import type { PowerPort } from './port.ts';

export interface PowerDouble {
  readonly port: PowerPort;
  readonly reboots: Asker[];
  /** Thrown instead. */
  refusal: MissingPart | undefined;
}

export function createPowerDouble(): PowerDouble {
  const double: PowerDouble = {
    ...{ reboots: [], refusal: undefined },
    port: {
      async reboot(by) {
        if (double.refusal !== undefined) throw double.refusal;
        double.reboots.push(by);
      },
    },
  };
  return double;
}

/** A machine that only records who restarts it, and which parts are reset. */
import type { Asker } from '../helper/operations.ts';
import type { MissingPart } from '../missing-part.ts';
import type { HelperArea, PowerPort } from './port.ts';

export interface PowerDouble {
  readonly port: PowerPort;
  readonly reboots: Asker[];
  readonly resets: HelperArea[];
  /** Thrown instead. */
  refusal: MissingPart | undefined;
}

export function createPowerDouble(): PowerDouble {
  const answer = () => {
    if (double.refusal !== undefined) throw double.refusal;
  };
  const double: PowerDouble = {
    ...{ reboots: [], resets: [], refusal: undefined },
    port: {
      async reboot(by) {
        answer();
        double.reboots.push(by);
      },
      async reset(area) {
        answer();
        double.resets.push(area);
      },
    },
  };
  return double;
}

import type { SystemArea } from '../../contract/power-fields.ts';
import type { Asker } from '../helper/operations.ts';

/** The parts that the helper resets. The areas of the network reset their own settings. */
export type HelperArea = Exclude<SystemArea, 'network'>;

/** The machine as a whole. Throws MissingPart without the helper. */
export interface PowerPort {
  /** Resolves when the system starts to stop its services, the hub among them. */
  reboot(by: Asker): Promise<void>;
  /** Restores the state from before the first change by the hub. Can be repeated. */
  reset(area: HelperArea): Promise<void>;
}

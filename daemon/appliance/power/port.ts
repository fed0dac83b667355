import type { SystemArea } from '../../contract/power-fields.ts';
import type { Asker } from '../helper/operations.ts';

/** What the helper resets; the network is reset by the areas that set it. */
export type HelperArea = Exclude<SystemArea, 'network'>;

/** The machine as a whole. Throws MissingPart without the helper. */
export interface PowerPort {
  /** Resolves when the system starts to stop its services, the hub among them. */
  reboot(by: Asker): Promise<void>;
  /** Restores what was before the hub first changed it. Can be repeated. */
  reset(area: HelperArea): Promise<void>;
}

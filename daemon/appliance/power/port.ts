import type { Asker } from '../helper/operations.ts';

/** The machine as a whole. Throws MissingPart without the helper. */
export interface PowerPort {
  /** Resolves when the system starts to stop its services, the hub among them. */
  reboot(by: Asker): Promise<void>;
}

/** The lights at the Ethernet ports of the machine. */
import type { Asker } from '../helper/operations.ts';

export const maxBlinkSeconds = 10;

export interface LightPort {
  /**
   * Makes the lights of an interface, named as in the kernel, blink, and resolves with true when they stop. Resolves
   * with false at once if the driver does not support it. Throws MissingPart without the helper or ethtool.
   */
  blink(name: string, seconds: number, by: Asker): Promise<boolean>;
}

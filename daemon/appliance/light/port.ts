/** The lights at the Ethernet ports of the machine. */
import type { Asker } from '../helper/operations.ts';

export const maxBlinkSeconds = 10;

export interface LightPort {
  /**
   * Lets the lights of an interface, named as in the kernel, blink; resolves when that ends. False at once if its driver
   * cannot do it. Throws MissingPart without the helper or its program.
   */
  blink(name: string, seconds: number, by: Asker): Promise<boolean>;
}

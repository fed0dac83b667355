/** Lights that only record that they blinked. */
import type { LightPort } from './port.ts';

export interface LightDouble {
  readonly port: LightPort;
  /** Names of interfaces. */
  readonly blinked: string[];
  /** Interfaces whose drivers do not support blinking. */
  setDark(name: string, isDark: boolean): void;
  /** With true, lights that blink continue until a call with false. */
  hold(isHeld: boolean): void;
}

export function createLightDouble(): LightDouble {
  const blinked: string[] = [];
  const dark = new Set<string>();
  let held = Promise.withResolvers<void>();
  held.resolve();
  return {
    blinked,
    port: {
      async blink(name) {
        if (dark.has(name)) return false;
        blinked.push(name);
        await held.promise;
        return true;
      },
    },
    setDark(name, isDark) {
      if (isDark) dark.add(name);
      else dark.delete(name);
    },
    hold(isHeld) {
      if (isHeld) held = Promise.withResolvers<void>();
      else held.resolve();
    },
  };
}

/** Interfaces on USB that a test plugs in. */
import type { UsbDevice, UsbPort } from './port.ts';

export function createUsbDouble() {
  let devices: readonly UsbDevice[] = [];
  const port: UsbPort = { read: async () => devices, prepare: async () => {} };
  return {
    port,
    /** Replaces what is plugged in. */
    plug(next: readonly UsbDevice[]): void {
      devices = next;
    },
  };
}

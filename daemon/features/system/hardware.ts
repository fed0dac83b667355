import { readFileSync } from 'node:fs';

/** Revision of the board: DMI on PCs, the device tree on ARM boards. */
const places = ['/sys/class/dmi/id/board_version', '/proc/device-tree/model'];
/** What makers of boards enter when they have no version. */
const fillers = /^(?:not specified|default string|to be filled by o\.?e\.?m\.?|none|n\/a|x\.x)$/i;
const maxLength = 64;

/** Returns the version of the hardware as its firmware names it; undefined if it names none. */
export function hardwareVersion(read = (path: string) => readFileSync(path, 'utf8')): string | undefined {
  for (const place of places) {
    // The device tree ends its texts with a null byte.
    const text = readIfThere(read, place)
      .replaceAll(/\p{Cc}/gu, '')
      .trim();
    if (text !== '' && !fillers.test(text)) return text.slice(0, maxLength);
  }
  return undefined;
}

function readIfThere(read: (path: string) => string, path: string): string {
  try {
    return read(path);
  } catch {
    return '';
  }
}

/** The packet filter that was set last, in the state folder of the unit: it is in effect at boot before the network is up. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FirewallSetup } from '../../appliance/firewall/setup.ts';
import { renameSynced, writeSynced } from '../../lib/durable-file.ts';

/** As many as a setup takes. */
const maxInterfaces = 8;

/** Undefined if the unit gives the helper no folder. */
function storedFile(): string | undefined {
  const { STATE_DIRECTORY: folder } = process.env;
  return folder ? join(folder, 'firewall.json') : undefined;
}

/** Writes the setup to the disk; the returned function makes it the one that counts. Throws if there is no space. */
export function prepareStoring(setup: FirewallSetup): () => void {
  const file = storedFile();
  if (file === undefined) return () => {};
  const next = `${file}.new`;
  writeSynced(next, JSON.stringify(setup));
  return () => renameSynced(next, file);
}

interface Stored {
  readonly setup: FirewallSetup;
  /** Why it is not the one that was stored. */
  readonly fault?: string;
}

/**
 * What to set at boot; undefined if nothing was ever set. If the file is damaged, all ports are closed but those that the
 * console usually has.
 */
export function storedFirewall(): Stored | undefined {
  const file = storedFile();
  if (file === undefined) return undefined;
  try {
    return { setup: FirewallSetup.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    const fault = error instanceof SyntaxError ? 'it is not JSON' : `it is not a setup: ${String(error)}`;
    const wan = readdirSync('/sys/class/net').filter((name) => name !== 'lo');
    return { setup: { mode: 0, wan: wan.slice(0, maxInterfaces), console: [80, 443, 8880, 8443], rules: [] }, fault };
  }
}

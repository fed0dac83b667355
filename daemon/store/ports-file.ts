/** `run/ports.json` in the data folder tells other programs which ports the hub opened, and where its console is. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A port is 0 until it is open; `https` is null if HTTPS is off. */
export interface HubPorts {
  readonly http: number;
  readonly https: number | null;
  readonly rtmp: number;
  readonly srt: number;
  readonly hls: number;
  /** 0 if it could not be opened; null if the hub manages no devices. */
  readonly link: number | null;
}

export interface HubPlaces extends HubPorts {
  /** URL of the console, for other machines if they can reach the hub. */
  readonly console: string;
}

/** Contains the process id of the hub, because a hub that is killed leaves its file behind. */
export type PortsFileContent = HubPlaces & { readonly pid: number };

export function createPortsFile(dataDir: string, places: () => HubPlaces) {
  const path = portsFilePath(dataDir);
  let written = '';
  return {
    /** Writes the file if the ports have changed. */
    update(): void {
      const content: PortsFileContent = { pid: process.pid, ...places() };
      const text = `${JSON.stringify(content)}\n`;
      if (text === written) return;
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
      // The rename is atomic: readers never see a partly written file.
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      written = text;
    },
    remove(): void {
      rmSync(path, { force: true });
    },
  };
}

export function portsFilePath(dataDir: string): string {
  return join(dataDir, 'run', 'ports.json');
}

/** Returns what the hub has written; undefined while it is not running, or has not written it yet. */
export function readPortsFile(dataDir: string): PortsFileContent | undefined {
  try {
    return JSON.parse(readFileSync(portsFilePath(dataDir), 'utf8')) as PortsFileContent;
  } catch {
    return undefined;
  }
}

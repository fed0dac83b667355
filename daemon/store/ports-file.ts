/** `run/ports.json` in the data folder: where the hub listens, for the program that started it with port 0. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** 0: not open yet. */
export interface HubPorts {
  readonly http: number;
  readonly https: number | null;
  readonly rtmp: number;
  readonly srt: number;
  readonly hls: number;
}

/** With the process id of the hub: a hub that was killed leaves its file behind. */
export type PortsFileContent = HubPorts & { readonly pid: number };

export interface PortsFile {
  /** Writes the file when the ports are others than before. */
  update(): void;
  remove(): void;
}

export function createPortsFile(dataDir: string, ports: () => HubPorts): PortsFile {
  const path = portsFilePath(dataDir);
  let written = '';
  return {
    update() {
      const content: PortsFileContent = { pid: process.pid, ...ports() };
      const text = `${JSON.stringify(content)}\n`;
      if (text === written) return;
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
      // Readers find the whole of it or nothing.
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      written = text;
    },
    remove() {
      rmSync(path, { force: true });
    },
  };
}

export function portsFilePath(dataDir: string): string {
  return join(dataDir, 'run', 'ports.json');
}

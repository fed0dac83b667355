/** The configuration file of the NDI library. Each process reads it once, and has a separate folder for it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../lib/durable-file.ts';
import type { NdiDesired } from './port.ts';

type RuntimeSettings = Omit<NdiDesired, 'outputs'>;

/** Returns the content of the file: absent members are the defaults of the library. */
export function runtimeConfig({ baseName, groups, discovery }: RuntimeSettings): string {
  const networks = { ...given('ips', discovery.extraIps), ...given('discovery', discovery.servers) };
  const lists = { ...given('send', groups.send), ...given('recv', groups.receive) };
  const ndi = { ...given('machinename', baseName), ...ifAny('networks', networks), ...ifAny('groups', lists) };
  return `${JSON.stringify({ ndi }, undefined, 2)}\n`;
}

const given = (name: string, value: string) => (value === '' ? {} : { [name]: value });
const ifAny = (name: string, value: object) => (Object.keys(value).length === 0 ? {} : { [name]: value });

/** Writes the file into a folder, and creates the folder if needed. */
export function writeRuntimeConfig(folder: string, settings: RuntimeSettings): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(join(folder, 'ndi-config.v1.json'), runtimeConfig(settings));
}

/** The configuration file of the NDI library. Each process reads it once, and has a separate folder for it. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../lib/durable-file.ts';
import type { NdiDesired } from './port.ts';

/** How the frames of a source travel, for both ends. */
export type NdiTransfer =
  | { readonly by: 'unicast' | 'reliableUdp' | 'multiTcp' }
  /** '' leaves the choice to the runtime. */
  | { readonly by: 'multicast'; readonly group: string; readonly mask: string; readonly ttl: number };

export interface RuntimeSettings extends Omit<NdiDesired, 'outputs'> {
  readonly transfer?: NdiTransfer;
}

/** Returns the content of the file: absent members are the defaults of the library. */
export function runtimeConfig({ baseName, groups, discovery, transfer }: RuntimeSettings): string {
  const networks = { ...given('ips', discovery.extraIps), ...given('discovery', discovery.servers) };
  const lists = { ...given('send', groups.send), ...given('recv', groups.receive) };
  const ndi = {
    ...given('machinename', baseName),
    ...ifAny('networks', networks),
    ...ifAny('groups', lists),
    ...transferOf(transfer),
  };
  return `${JSON.stringify({ ndi }, undefined, 2)}\n`;
}

/** Receivers that multicast does not reach still get the frames by the default transport of the runtime. */
function transferOf(transfer: NdiTransfer | undefined): object {
  if (!transfer) return {};
  if (transfer.by === 'multicast') {
    const { group, mask, ttl } = transfer;
    const send = { enable: true, ...given('netprefix', group), ...given('netmask', mask), ttl };
    return { multicast: { send, recv: { enable: true } } };
  }
  const section = (by: NdiTransfer['by']) => ({
    send: { enable: by === transfer.by },
    recv: { enable: by === transfer.by },
  });
  return { unicast: section('unicast'), rudp: section('reliableUdp'), tcp: section('multiTcp') };
}

const given = (name: string, value: string) => (value === '' ? {} : { [name]: value });
const ifAny = (name: string, value: object) => (Object.keys(value).length === 0 ? {} : { [name]: value });

/** Writes the file into a folder, and creates the folder if needed. A full disk is no obstacle if nothing changed. */
export function writeRuntimeConfig(folder: string, settings: RuntimeSettings): void {
  const path = join(folder, 'ndi-config.v1.json');
  const text = runtimeConfig(settings);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(path, text);
}

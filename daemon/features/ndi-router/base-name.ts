import { hostname } from 'node:os';
import { limits } from '../../contract/limits.ts';

const suffix = '-ROUTER';

/** Derives the base name from the host name. A suffix distinguishes it from other NDI programs on this machine. */
export function ownBaseName(host: string = hostname()): string {
  const [label = ''] = host.split('.');
  const usable = label.replace(/[^A-Za-z0-9-]/g, '-').replace(/^-+|-+$/g, '');
  return `${(usable || 'SIGNALBOX').slice(0, limits.ndiRouter.baseName - suffix.length).toUpperCase()}${suffix}`;
}

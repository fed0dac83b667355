import { devicePrefixes } from '../../contract/device-prefixes.ts';

const prefixes = ['/api', ...Object.keys(devicePrefixes)];

/** Whether a path is a call, as opposed to a file of the console. */
export function isCall(path: string): boolean {
  return path === '/metrics' || prefixes.some((prefix) => path.startsWith(`${prefix}/`) || path === prefix);
}

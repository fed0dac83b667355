/** Whether a path answers what the hub knows, in contrast to the files of the console. */
export function isCall(path: string): boolean {
  return path.startsWith('/api/') || path === '/metrics';
}

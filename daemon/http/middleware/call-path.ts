/** Whether a path is a call, as opposed to a file of the console. */
export function isCall(path: string): boolean {
  return path.startsWith('/api/') || path.startsWith('/socket/') || path === '/metrics';
}

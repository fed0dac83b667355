/** Whether a path is an API call, as opposed to a file of the console. */
export function isCall(path: string): boolean {
  return path.startsWith('/api/') || path === '/metrics';
}

/** Why one of the engine's TCP ports can't be opened, with the cure. */
export function whyNotListening(name: string, error: unknown, port: number): { reason: string; message: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EACCES') {
    const message = `${name} may not listen on port ${port}: ports below 1024 need privileges; choose a higher one`;
    return { reason: 'notPermitted', message };
  }
  if (code === 'EADDRINUSE' || /in use/i.test(String(error))) {
    const message = `${name} port ${port} is occupied: stop the program that uses it, or choose another port`;
    return { reason: 'portOccupied', message };
  }
  return { reason: 'failed', message: `${name} can't listen on port ${port}: ${String(error)}` };
}

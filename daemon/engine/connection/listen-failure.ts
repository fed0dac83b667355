/** Why a port cannot be opened: as text for the console, and as the termination of an attempt. */
import type { Termination } from './state.ts';
import { termination } from './terminations.ts';

/**
 * Uses the reasons of the native endpoints, some of which do not concern the port itself. `no address`: this machine
 * has no such address or interface. `bad field`: `error` names the field.
 */
export interface PortFailure {
  readonly reason: 'busy' | 'denied' | 'no address' | 'unreachable' | 'bad field' | 'internal';
  readonly error: string;
}

export function portFailureOf(error: unknown): PortFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isBusy = code === 'EADDRINUSE' || /in use/i.test(String(error));
  return { reason: code === 'EACCES' ? 'denied' : isBusy ? 'busy' : 'internal', error: code || String(error) };
}

const needsPrivileges = (port: number) =>
  port < 1024 ? ': ports below 1024 need privileges; choose a higher one' : '';

/** For a port from the hub's settings; includes the remedy. */
export function whyNotListening(
  name: string,
  port: number,
  { reason, error }: PortFailure,
): { reason: string; message: string } {
  if (reason === 'denied') {
    return { reason: 'notPermitted', message: `${name} may not listen on port ${port}${needsPrivileges(port)}` };
  }
  if (reason === 'busy') {
    const message = `${name} port ${port} is occupied: stop the program that uses it, or choose another port`;
    return { reason: 'portOccupied', message };
  }
  return { reason: 'failed', message: `${name} can't listen on port ${port}: ${error}` };
}

/** For a port of an input or output. */
export function portNotOpened(what: string, port: number, { reason, error }: PortFailure): Termination {
  const text = `${what}: ${error}`;
  if (reason === 'denied') {
    return termination('tcpFailed', 'notPermitted', `${text}${needsPrivileges(port)}`, { permanent: true });
  }
  const isBusy = reason === 'busy';
  return termination('creationFailed', isBusy ? 'addressInUse' : 'internal', text, { permanent: !isBusy });
}

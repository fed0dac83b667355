/** Why a port can't be opened: in words for the console, and as the end of an attempt. */
import { connectionStates } from '../contract/streams.ts';
import type { LegEnd } from './leg.ts';

/**
 * In the words of the native endpoints, which have some for what isn't the port's fault. `no address`: this machine has no
 * such address or interface. `bad field`: `error` names it.
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

/** Of a port that the hub's settings name, with the cure. */
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

/** Of a port that an input or output names. */
export function portNotOpened(what: string, port: number, { reason, error }: PortFailure): LegEnd {
  const text = `${what}: ${error}`;
  if (reason === 'denied') {
    const { tcpFailed: conn } = connectionStates;
    return { conn, reason: 'notPermitted', hopeless: true, text: `${text}${needsPrivileges(port)}` };
  }
  const isBusy = reason === 'busy';
  const { creationFailed: conn } = connectionStates;
  return { conn, reason: isBusy ? 'addressInUse' : 'internal', hopeless: !isBusy, text };
}

/** Destinations that the engine may connect to. All outgoing inputs and outputs resolve their host here. */
import { isIPv6 } from 'node:net';
import { connectionStates } from '../../contract/streams.ts';
import { createOutgoing, type Lookup, type Outgoing, OutgoingError, type OutgoingRules } from '../../lib/outgoing.ts';
import { timing } from '../../timing.ts';
import { type FetchFailure, failure } from '../connection/fetch-failure.ts';

/** Rejects with a FetchFailure. */
export type EngineOutgoing = Outgoing;

export function createEngineOutgoing(rules: () => OutgoingRules, lookup: Lookup): EngineOutgoing {
  const outgoing = createOutgoing({ rules, lookup, ...timing.outgoing });
  return {
    resolve: (destination) => outgoing.resolve(destination).catch(rethrow),
    choose: (destination) => outgoing.choose(destination).catch(rethrow),
    accepts: outgoing.accepts,
  };
}

function rethrow(error: unknown): never {
  throw error instanceof OutgoingError ? failureOf(error) : error;
}

/** A forbidden address always fails in the same way, whatever is there, because it was never contacted. */
function failureOf({ fault, message }: OutgoingError): FetchFailure {
  const { dnsFailed, creationFailed } = connectionStates;
  if (fault === 'notAllowed') return failure(creationFailed, 'addressNotAllowed', message, { permanent: true });
  return failure(dnsFailed, 'dnsFailed', message, { permanent: fault === 'unknownName' });
}

/**
 * Returns why a TCP connection could not be made. Bun 1.4 also reports a missing route as a refusal. A datagram socket
 * looks up the route without sending anything.
 */
export async function connectFailure(error: unknown, address: string): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code !== 'ECONNREFUSED') return error;
  try {
    const hostname = isIPv6(address) ? '::' : '0.0.0.0';
    const socket = await Bun.udpSocket({ hostname, connect: { hostname: address, port: 9 } });
    socket.close();
    return error;
  } catch (cause) {
    const isRoute = cause instanceof Error && 'code' in cause && /^E(NET|HOST)UNREACH$/.test(String(cause.code));
    return isRoute ? cause : error;
  }
}

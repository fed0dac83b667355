/** Destinations that the engine may connect to. All outgoing inputs and outputs resolve their host here. */
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

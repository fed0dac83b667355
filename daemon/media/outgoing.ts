/** Where the engine may connect to. Every input and output that is called resolves its host here. */
import { connectionStates } from '../contract/streams.ts';
import { createOutgoing, type Lookup, type Outgoing, OutgoingError, type OutgoingRules } from '../lib/outgoing.ts';
import { timing } from '../timing.ts';
import { type FetchFailure, failure } from './fetch-failure.ts';

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

/** An address that is not allowed always ends in the same way, whatever is there: nothing was asked of it. */
function failureOf({ fault, message }: OutgoingError): FetchFailure {
  const { dnsFailed, creationFailed } = connectionStates;
  if (fault === 'notAllowed') return failure(creationFailed, 'addressNotAllowed', message, { hopeless: true });
  return failure(dnsFailed, 'dnsFailed', message, { hopeless: fault === 'unknownName' });
}

/** Outgoing rules for tests, whose servers all listen on loopback. */

import { createEngineOutgoing, type EngineOutgoing } from '../../daemon/engine/net/outgoing.ts';
import { type Lookup, type OutgoingRules, systemLookup } from '../../daemon/lib/outgoing.ts';

export const privateAllowed: OutgoingRules = {
  allowsPrivate: true,
  setting: 'outgoing.private-media',
  closedPorts: [],
};
export const privateRefused: OutgoingRules = { ...privateAllowed, allowsPrivate: false };

export const toLoopback = createEngineOutgoing(() => privateAllowed, systemLookup);

/**
 * Resolves names that no resolver knows, each time to the next of its answers: code that resolves a name twice, or lets
 * the system do it, does not connect to the first answer.
 */
export function namesLookup(names: Readonly<Record<string, readonly string[]>>): Lookup {
  const asked = new Map<string, number>();
  return async (host) => {
    const time = asked.get(host) ?? 0;
    asked.set(host, time + 1);
    const answer = names[host]?.[time];
    if (answer === undefined) throw Object.assign(new Error('not known'), { code: 'ENOTFOUND' });
    return [answer];
  };
}

/** The engine with these names. */
export function withNames(
  names: Readonly<Record<string, readonly string[]>>,
  rules: OutgoingRules = privateAllowed,
): EngineOutgoing {
  return createEngineOutgoing(() => rules, namesLookup(names));
}

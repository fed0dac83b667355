/** How fetching an input fails. */
import { connectionStates } from '../contract/streams.ts';
import type { LegEnd } from './leg.ts';

/** Why a fetch failed, as the leg will say it. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly end: LegEnd;

  constructor(end: LegEnd) {
    super(end.text);
    this.end = end;
  }
}

export function failure(
  conn: number,
  reason: LegEnd['reason'],
  text: string,
  { hopeless }: { readonly hopeless: boolean } = { hopeless: false },
): FetchFailure {
  return new FetchFailure({ conn, reason, hopeless, text });
}

export function broken(reason: 'stalled' | 'closedByPeer', text: string): FetchFailure {
  return failure(connectionStates.disconnected, reason, text);
}

/** The address without path, query and credentials: any of them may hold a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}

/** How a fetch that threw ended; anything else than a FetchFailure is a fault of ours. */
export function endOfFetch(error: unknown): LegEnd {
  if (error instanceof FetchFailure) return error.end;
  const text = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  return { conn: connectionStates.failed, reason: 'internal', hopeless: false, text };
}

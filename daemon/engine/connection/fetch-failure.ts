/** How fetching an input fails. */
import { connectionStates } from '../../contract/streams.ts';
import type { Termination } from './state.ts';
import { termination } from './terminations.ts';

/** Why a fetch failed, as the connection reports it. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly end: Termination;

  constructor(end: Termination) {
    super(end.text);
    this.end = end;
  }
}

export function failure(
  conn: number,
  reason: Termination['reason'],
  text: string,
  { permanent }: { readonly permanent: boolean } = { permanent: false },
): FetchFailure {
  return new FetchFailure({ conn, reason, permanent, text });
}

export function broken(reason: 'stalled' | 'closedByPeer', text: string): FetchFailure {
  return failure(connectionStates.disconnected, reason, text);
}

/** The address without path, query and credentials: any of them may hold a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}

/** How a fetch that threw ended. Anything but a FetchFailure is a bug of ours. */
export function endOfFetch(error: unknown): Termination {
  if (error instanceof FetchFailure) return error.end;
  const text = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  return termination('failed', 'internal', text);
}

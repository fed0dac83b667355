/** How attempts end. */
import { connectionStates } from '../../contract/streams.ts';
import type { Termination } from './state.ts';

/** `permanent`: the cause will not go away by itself. The text is for the log and contains no secrets. */
export function termination(
  conn: keyof typeof connectionStates,
  reason: Termination['reason'],
  text: string,
  { permanent }: { readonly permanent: boolean } = { permanent: false },
): Termination {
  return { conn: connectionStates[conn], reason, permanent, text };
}

/** The attempt could not start: no file descriptors, no memory, or a bug of ours. */
export const unopened = (error: unknown) =>
  termination(
    'creationFailed',
    'internal',
    `it can't begin: ${error instanceof Error ? error.message : String(error)}`,
  );

export const occupied = termination('creationFailed', 'internal', 'the channel has another publisher still');
export const stalled = termination('disconnected', 'stalled', 'nothing came for 10 s');
export const noSync = termination('streamFailed', 'noSync', 'what came is no transport stream');

/** Ends an attempt through a native endpoint. */
export const endpointMissing = (name: 'SRT' | 'UDP') =>
  termination('creationFailed', 'partMissing', `the ${name} endpoint is not running`);

/** The stream has a codec that the protocol cannot carry, so retries cannot succeed. */
export const impossibleIn = (where: string) =>
  termination('streamFailed', 'codecNotPossible', `the codec has no place in ${where}`, { permanent: true });

import { HubError } from '../lib/hub-error.ts';

interface Kept {
  readonly body: unknown;
  /** Whether the body has members of a response that can only be read. */
  readonly isEcho: boolean;
  readonly user: string | undefined;
}

/**
 * A published client keeps an object and sends all of it again, with the revision that it had before the client's own
 * last change. That revision does not protect against this client, so the call is repeated with the present one, unless
 * another user has changed the object meanwhile. The console, where one user may have the same form open twice, and
 * scripts that send a revision on purpose send no read-only members.
 */
export async function withoutOwnChanges<T>({ body, isEcho, user }: Kept, call: (body: unknown) => Promise<T>) {
  try {
    return await call(body);
  } catch (error) {
    if (!isEcho || !(error instanceof HubError) || error.result !== 'stateChanged') throw error;
    const { editors = [], params } = error;
    if (editors.length === 0 || editors.some((editor) => editor !== user)) throw error;
    return await call({ ...(body as object), revision: params?.revision });
  }
}

/** Requests to another process that wait for their reply, each with its own deadline. */

/** The process did not respond: `down` it is not running, `timeout` it was too slow, `busy` too many requests wait. */
export class RequestError extends Error {
  readonly kind: 'down' | 'timeout' | 'busy';

  constructor(kind: RequestError['kind'], message: string) {
    super(message);
    this.name = 'RequestError';
    this.kind = kind;
  }
}

interface Waiting<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: RequestError) => void;
  readonly timer: Timer;
}

/** `name`: of the other process, for errors. */
export function createRequestTable<Reply>(name: string, maxRequests: number) {
  const waiting = new Map<number, Waiting<Reply>>();
  let nextId = 1;

  const take = (id: number): Waiting<Reply> | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    clearTimeout(found?.timer);
    return found;
  };
  return {
    /** The reply rejects with a RequestError. */
    add(timeoutMs: number): { id: number; reply: Promise<Reply> } {
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      const timer = setTimeout(
        () => take(id)?.reject(new RequestError('timeout', `the ${name} did not answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      waiting.set(id, { resolve, reject, timer });
      return { id, reply: promise };
    },
    isFull: () => waiting.size >= maxRequests,
    resolve: (id: number, reply: Reply) => take(id)?.resolve(reply),
    rejectAll(error: RequestError): void {
      for (const id of [...waiting.keys()]) take(id)?.reject(error);
    },
  };
}

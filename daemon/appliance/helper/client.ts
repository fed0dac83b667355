/** Asks the helper to do something as root: one connection per request, one line each way. */
import { createConnection } from 'node:net';
import { createSemaphore } from '../../lib/semaphore.ts';
import { timing } from '../../timing.ts';
import {
  type AnswerOf,
  type ArgsOf,
  type Asker,
  HelperRefusal,
  longestAnswer,
  type OperationName,
  operations,
  Refusal,
} from './operations.ts';

/** The helper is not there, or does not answer as it should. */
export class HelperUnavailable extends Error {
  /** `missing`: nothing listens at its socket, or this user may not connect to it. */
  readonly reason: 'missing' | 'silent' | 'broken';

  constructor(reason: HelperUnavailable['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HelperUnavailable';
    this.reason = reason;
  }
}

export interface HelperClient {
  /**
   * Throws HelperUnavailable, HelperRefusal, or `HubError('tryAgain')` if too many requests wait. After `silent`, the
   * helper may have done it, or still do it.
   */
  call<N extends OperationName>(op: N, args: ArgsOf<N>, asker: Asker): Promise<AnswerOf<N>>;
}

/** The helper does one thing at a time; the others wait here instead of as processes. */
const longestLine = 32;

export function createHelperClient(socket: string, { answerMs } = timing.helper): HelperClient {
  const inTurn = createSemaphore({ atOnce: 1, longestLine });
  return {
    call: (op, args, asker) =>
      inTurn(async () => answerTo(op, await exchange(socket, JSON.stringify({ op, ...asker, ...args }), answerMs))),
  };
}

function answerTo<N extends OperationName>(op: N, line: string): AnswerOf<N> {
  let value: { readonly ok?: unknown };
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new HelperUnavailable('broken', 'the helper ended without an answer', { cause });
  }
  const refusal = Refusal.safeParse(value);
  if (refusal.success) throw new HelperRefusal(refusal.data.error, refusal.data.message, refusal.data.part);
  const { ok, ...rest } = value;
  const answer = operations[op].answer.safeParse(rest);
  if (ok !== true || !answer.success) throw new HelperUnavailable('broken', 'the helper speaks another protocol');
  return answer.data as AnswerOf<N>;
}

/** Sends the line and resolves with the answer. */
function exchange(path: string, line: string, answerMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = createConnection({ path });
  const chunks: Buffer[] = [];
  let size = 0;
  const fail = (reason: HelperUnavailable['reason'], message: string, cause?: unknown) =>
    reject(new HelperUnavailable(reason, message, { cause }));
  const limit = setTimeout(() => fail('silent', `the helper does not answer within ${answerMs} ms`), answerMs);
  socket.on('connect', () => socket.end(`${line}\n`));
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > longestAnswer) fail('broken', 'the answer of the helper is too long');
  });
  socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (isAbsent(error)) fail('missing', `the helper is not reachable at ${path} (${error.code})`, error);
    else if (size === 0) fail('broken', `the connection to the helper failed (${error.code})`, error);
  });
  return promise.finally(() => {
    clearTimeout(limit);
    socket.destroy();
  });
}

function isAbsent({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOTSOCK'].includes(code);
}

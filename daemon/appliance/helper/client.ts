/** Asks the helper to do something as root: one connection per request, one line each way. */
import { createConnection } from 'node:net';
import { HubError } from '../../lib/hub-error.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { timing } from '../../timing.ts';
import { MissingPart } from '../missing-part.ts';
import {
  type AnswerOf,
  type ArgsOf,
  type Asker,
  longestAnswer,
  type OperationName,
  operations,
  Refusal,
} from './operations.ts';

export interface HelperClient {
  /**
   * Throws MissingPart if the helper, or a program that it needs, does not work; `ioFailed` with the reason if the
   * operation fails, and `tryAgain` if too many wait. A helper that is `silent` may have done it, or still do it.
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
  } catch {
    throw silent('it ended without an answer');
  }
  const refusal = Refusal.safeParse(value);
  if (refusal.success) throw errorOf(refusal.data);
  const { ok, ...rest } = value;
  const answer = operations[op].answer.safeParse(rest);
  if (ok !== true || !answer.success) throw silent('it speaks another protocol');
  return answer.data as AnswerOf<N>;
}

function errorOf({ error, message, part }: Refusal): HubError {
  if (part !== undefined) return new MissingPart(part, 'absent', message);
  return new HubError(error === 'busy' ? 'tryAgain' : 'ioFailed', message);
}

const silent = (message: string) => new MissingPart('helper', 'silent', message);

/** Sends the line and resolves with the answer. */
function exchange(path: string, line: string, answerMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = createConnection({ path });
  const chunks: Buffer[] = [];
  let size = 0;
  const limit = setTimeout(() => reject(silent(`no answer within ${answerMs} ms`)), answerMs);
  socket.on('connect', () => socket.end(`${line}\n`));
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > longestAnswer) reject(silent('its answer is too long'));
  });
  socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  socket.on('error', ({ code = 'unknown fault' }: NodeJS.ErrnoException) => {
    if (isRefusal(code)) reject(new MissingPart('helper', 'refused', `this user may not open ${path} (${code})`));
    else if (isAbsence(code)) reject(new MissingPart('helper', 'absent', `nothing listens at ${path} (${code})`));
    else if (size === 0) reject(silent(`the connection broke (${code})`));
  });
  return promise.finally(() => {
    clearTimeout(limit);
    socket.destroy();
  });
}

const isRefusal = (code: string) => code === 'EACCES' || code === 'EPERM';
const isAbsence = (code: string) => ['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK'].includes(code);

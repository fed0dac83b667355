/** Serves the one request of a helper process. */
import {
  type AnswerOf,
  askerIn,
  HelperRefusal,
  harmless,
  longestRequest,
  type Members,
  membersOf,
  type OperationName,
  type Request,
  requestIn,
} from '../../appliance/helper/operations.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { exitCodes } from '../role.ts';
import { handlerOf } from './handlers.ts';
import { takeTurn } from './turn.ts';

export interface Connection {
  readonly input: ReadableStream<Uint8Array>;
  readonly write: (text: string) => Promise<void>;
  readonly log: Log;
  /** Folder of the lock. */
  readonly runDir: string;
}

/** Resolves with the exit code. */
export async function serveRequest({ input, write, log, runDir }: Connection): Promise<number> {
  const began = performance.now();
  const { requestMs, limitMs } = timing.helper;
  let members: Members = {};
  let code: number = 0;
  const work = async () => {
    members = membersOf(await within(requestMs, 'the request did not arrive in time', lineOf(input)));
    const request = requestIn(members);
    if (!harmless.has(request.op)) await takeTurn(runDir);
    return await run(request);
  };
  const answer = await within(limitMs, 'the operation did not end in time', work()).then(
    (data) => ({ ok: true as const, ...data }),
    (error: unknown) => {
      if (error instanceof HelperRefusal) return refusal(error);
      code = exitCodes.fault;
      log.error('the operation failed', { error: error instanceof Error ? error.stack : String(error) });
      return refusal(new HelperRefusal('failed', 'the operation failed; the log of the helper has the reason'));
    },
  );
  const ms = Math.round(performance.now() - began);
  const facts = { ...factsOf(members), ms };
  if (answer.ok) log.info('done', facts);
  else log.warn('refused', { ...facts, error: answer.error, reason: answer.message });
  try {
    await write(`${JSON.stringify(answer)}\n`);
  } catch (error) {
    log.warn('the answer could not be written', { error: String(error) });
    code = exitCodes.fault;
  }
  return code;
}

async function run<N extends OperationName>({ op, args }: Request<N>): Promise<AnswerOf<N>> {
  return (await handlerOf(op))(args);
}

/** What the log says of a request, whatever it contains. */
function factsOf(members: Members) {
  const { op } = members;
  const asker = askerIn(members);
  return {
    op: typeof op === 'string' ? op.slice(0, 64) : undefined,
    user: asker && (asker.user || 'the hub'),
    address: asker?.address || undefined,
  };
}

function refusal({ fault, message, part }: HelperRefusal) {
  return { ok: false as const, error: fault, message, ...(part && { part }) };
}

/** What still runs at the limit ends with the process. */
async function within<T>(ms: number, message: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new HelperRefusal('timeout', message)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the first line, without its end. Nothing may follow it. */
async function lineOf(input: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    const end = chunk.indexOf(newline);
    if (end >= 0 && end < chunk.length - 1) throw new HelperRefusal('badRequest', 'more than one line was sent');
    if (size > longestRequest + 1) throw new HelperRefusal('tooLong', `a line has at most ${longestRequest} bytes`);
    if (end >= 0) return textOf(Buffer.concat(chunks).subarray(0, -1));
  }
  throw new HelperRefusal('badRequest', 'the connection ended before its line did');
}

const newline = 0x0a;

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HelperRefusal('badRequest', 'the line is not UTF-8');
  }
}

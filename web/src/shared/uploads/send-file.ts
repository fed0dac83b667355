/** Sends a file to the task of an upload, part by part, and goes on where the hub is after each interruption. */
import { uploadDataPath } from '../../../../daemon/contract/calls.ts';
import { addressOf } from '../../api/client.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { CallError, faultOf, readAnswer } from '../../lib/call-error.ts';

export interface SentPart {
  readonly task: number;
  readonly file: File;
  /** Position of the first byte, and after the last. */
  readonly from: number;
  readonly end: number;
  readonly signal: AbortSignal;
  /** Called with the number of bytes of this part that have left. */
  readonly onSent: (bytes: number) => void;
}

interface SendOptions {
  readonly task: number;
  readonly file: File;
  /** Bytes that the hub has. */
  readonly from: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
  /** Called with the reason while nothing is sent, and with undefined when it goes on. */
  readonly onStall: (reason: unknown) => void;
  /** Sends one part. Returns the number of bytes that the hub has then. */
  readonly put?: (part: SentPart) => Promise<number>;
  readonly wait?: (ms: number) => Promise<void>;
}

/** A part is short enough that an interruption costs little, and long enough that its request does not matter. */
const partBytes = 32 * 1024 * 1024;

/** Resolves when the hub has the whole file. Rejects with the fault that ends the upload, or the reason of the signal. */
export async function sendFile(options: SendOptions): Promise<void> {
  const { task, file, signal, onProgress, onStall, put = putPart, wait = pause } = options;
  let at = options.from;
  let failures = 0;
  while (at < file.size) {
    signal.throwIfAborted();
    const from = at;
    const onSent = (bytes: number) => onProgress(from + bytes);
    try {
      at = await put({ task, file, from, end: Math.min(from + partBytes, file.size), signal, onSent });
      failures = 0;
      onStall(undefined);
    } catch (error) {
      signal.throwIfAborted();
      await refuseUnreadable(file, from);
      const told = positionIn(error);
      if (told === undefined && !isPassing(error)) throw error;
      if (told !== undefined) at = told;
      // A hub that says the same each time is asked ever more slowly.
      if (failures > 0 || told === undefined) {
        onStall(error);
        await wait(backoffMs(failures));
      }
      failures++;
    }
    onProgress(at);
  }
}

/** Where the hub says that the file continues. */
function positionIn(error: unknown): number | undefined {
  if (!(error instanceof CallError) || error.fault !== 'rangeError') return undefined;
  const { done } = error.params;
  return typeof done === 'number' ? done : undefined;
}

function isPassing(error: unknown): boolean {
  return error instanceof CallError && (error.isRetryable || error.fault === 'unexpectedAnswer');
}

/** A file that was moved or changed since it was chosen looks like a lost connection to the request that sends it. */
async function refuseUnreadable(file: File, at: number): Promise<void> {
  try {
    await file.slice(at, at + 1).arrayBuffer();
  } catch {
    throw new CallError('readFailed');
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Nothing leaves for this long: the connection is dead. The hub closes it after the same time. */
const stallMs = 30_000;

/** `fetch` does not tell how much of a body has left. */
async function putPart({ task, file, from, end, signal, onSent }: SentPart): Promise<number> {
  const request = new XMLHttpRequest();
  const answer = Promise.withResolvers<unknown>();
  const fail = () => answer.reject(new CallError('unreachable'));
  let watch = setTimeout(() => request.abort(), stallMs);
  request.open('PUT', addressOf(uploadDataPath, { task }));
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.setRequestHeader('Content-Range', `bytes ${from}-${end - 1}/${file.size}`);
  request.upload.onprogress = ({ loaded }) => {
    clearTimeout(watch);
    watch = setTimeout(() => request.abort(), stallMs);
    onSent(loaded);
  };
  request.onload = () => {
    const body = parsed(request);
    if (body === undefined) fail();
    else answer.resolve(body);
  };
  request.onerror = fail;
  request.onabort = fail;
  const stop = () => request.abort();
  signal.addEventListener('abort', stop);
  try {
    request.send(file.slice(from, end));
    return (readAnswer(await answer.promise) as { done: number }).done;
  } finally {
    clearTimeout(watch);
    signal.removeEventListener('abort', stop);
  }
}

/** Undefined for an answer that is not JSON, as a proxy sends while the hub is away. */
function parsed({ responseText }: XMLHttpRequest): unknown {
  try {
    return JSON.parse(responseText);
  } catch {
    return undefined;
  }
}

/** Whether the upload was canceled by the hub or by the user. */
export const isCanceled = (error: unknown): boolean => faultOf(error) === 'canceled';

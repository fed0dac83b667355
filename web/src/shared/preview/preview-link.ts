/**
 * The single preview stream of a tab. It carries the pictures that are in view, is closed while the tab is
 * hidden, and is reopened after a loss with all that are wanted.
 */

import { handleHeader, previewOpenPath } from '../../../../daemon/contract/preview-stream.ts';
import { previewApi } from '../../api/calls.ts';
import { addressOf, call } from '../../api/client.ts';
import { useSessionEnded } from '../../api/session-end.ts';
import { faultOf } from '../../lib/call-error.ts';
import { MultipartReader } from './multipart.ts';

/** Specification, section 9. */
const reconnectMs = 3000;
const retryMs = 500;
/** Collects the pictures of one page into one stream and keeps the stream open across page changes. */
const settleMs = 100;
const lingerMs = 1000;

type Listener = (address: string | undefined) => void;

interface Stream {
  readonly abort: AbortController;
  readonly carried: Set<string>;
  handle: string;
}

const listeners = new Map<string, Set<Listener>>();
const addresses = new Map<string, string>();
let stream: Stream | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `listener` with the URL of each version of a picture until the returned function is called. */
export function watchPicture(imageId: string, listener: Listener): () => void {
  const own = listeners.get(imageId) ?? new Set();
  listeners.set(imageId, own.add(listener));
  listener(addresses.get(imageId));
  settle(settleMs);
  return () => {
    own.delete(listener);
    if (own.size > 0) return;
    listeners.delete(imageId);
    settle(lingerMs);
  };
}

function settle(withinMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void sync(), withinMs);
}

async function sync(): Promise<void> {
  clearTimeout(timer);
  for (const [id, address] of addresses) if (!listeners.has(id)) show(id, address, undefined);
  if (listeners.size === 0 || document.hidden || useSessionEnded.getState().hasEnded) return close();
  if (stream === undefined) return void open();
  if (stream.handle === '') return;
  const { handle, carried } = stream;
  const add = [...listeners.keys()].filter((id) => !carried.has(id));
  const del = [...carried].filter((id) => !listeners.has(id));
  if (add.length + del.length === 0) return;
  try {
    await call(previewApi.setup, {
      isUse: false,
      body: { id: handle, add, del },
    });
    for (const id of add) carried.add(id);
    for (const id of del) carried.delete(id);
  } catch (error) {
    if (stream?.handle === handle && faultOf(error) === 'notExist') close();
    settle(retryMs);
  }
}

function close(): void {
  stream?.abort.abort();
  stream = undefined;
}

async function open(): Promise<void> {
  const own: Stream = { abort: new AbortController(), carried: new Set(), handle: '' };
  stream = own;
  try {
    const answer = await fetch(addressOf(previewOpenPath, { v: Date.now() }), { signal: own.abort.signal });
    const boundary = /boundary=([^;]+)/.exec(answer.headers.get('content-type') ?? '')?.[1];
    const handle = answer.headers.get(handleHeader);
    if (!answer.ok || answer.body === null || !boundary || !handle) throw new Error('no preview stream');
    own.handle = handle;
    settle(0);
    const reader = new MultipartReader(boundary, ({ imageId, type, bytes }) =>
      keep(imageId, new Blob([bytes], { type })),
    );
    await read(answer.body, reader);
  } catch {
    // The stream was closed here, or lost: both are handled below.
  }
  if (stream !== own) return;
  close();
  settle(reconnectMs);
}

async function read(body: ReadableStream<Uint8Array>, into: MultipartReader): Promise<void> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    into.feed(value);
  }
}

function keep(imageId: string, picture: Blob): void {
  if (listeners.has(imageId)) show(imageId, addresses.get(imageId), URL.createObjectURL(picture));
}

function show(id: string, before: string | undefined, next: string | undefined): void {
  if (next === undefined) addresses.delete(id);
  else addresses.set(id, next);
  for (const listener of listeners.get(id) ?? []) listener(next);
  if (before !== undefined) URL.revokeObjectURL(before);
}

useSessionEnded.subscribe(() => settle(settleMs));
document.addEventListener('visibilitychange', () => settle(document.hidden ? 0 : settleMs));
window.addEventListener('pagehide', close);
window.addEventListener('pageshow', () => settle(settleMs));

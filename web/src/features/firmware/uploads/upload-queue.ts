/**
 * The files that this window sends, one after another. They are sent while any page of the console is open; after a
 * reload, the user chooses the file again and the upload goes on where it was.
 */
import { create } from 'zustand';
import type { StatedFirmware } from '../../../../../daemon/contract/firmware.ts';
import { firmwareApi, taskApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { noticeFault, refresh } from '../../../api/query-client.ts';
import { CallError } from '../../../lib/call-error.ts';
import { isCanceled, sendFile } from '../../../shared/uploads/send-file.ts';
import { taskDone } from '../../../shared/uploads/task-done.ts';
import { forgetFile, keepFile } from './known-files.ts';
import { createRate } from './rate.ts';

export interface QueuedFile {
  readonly key: number;
  readonly file: File;
  readonly stated: StatedFirmware;
  /** Id of the task of the hub; undefined before the upload begins. */
  readonly task: number | undefined;
  /** `checking`: all bytes have left, and the hub puts the file into the library. */
  readonly state: 'waiting' | 'sending' | 'checking' | 'failed';
  /** Bytes. */
  readonly done: number;
  /** Bytes per second; undefined while unknown. */
  readonly rate: number | undefined;
  /** Why it has failed, or why nothing is sent at the moment. */
  readonly error: unknown;
}

interface Queue {
  readonly list: readonly QueuedFile[];
}

export const useUploads = create<Queue>(() => ({ list: [] }));

let lastKey = 0;
let isRunning = false;
const aborts = new Map<number, AbortController>();

interface Added {
  readonly file: File;
  readonly stated: StatedFirmware;
  /** An upload that is resumed, and what the hub has of it. */
  readonly resumed?: { readonly task: number; readonly done: number };
}

export function addUpload({ file, stated, resumed }: Added): void {
  const added: QueuedFile = {
    ...{ key: ++lastKey, file, stated, task: resumed?.task, done: resumed?.done ?? 0 },
    ...{ state: 'waiting', rate: undefined, error: undefined },
  };
  useUploads.setState(({ list }) => ({ list: [...list, added] }));
  void run();
}

/** Ends an upload, and takes it off the list. */
export async function cancelUpload(key: number): Promise<void> {
  const one = find(key);
  aborts.get(key)?.abort(new CallError('canceled'));
  remove(key);
  if (one?.task !== undefined && one.state !== 'failed') await cancelTask(one.task);
}

export async function cancelTask(task: number): Promise<void> {
  forgetFile(task);
  await call(taskApi.cancel, { body: { id: task } });
}

export function removeUpload(key: number): void {
  remove(key);
}

const find = (key: number) => useUploads.getState().list.find((one) => one.key === key);

function change(key: number, next: Partial<QueuedFile>): void {
  useUploads.setState(({ list }) => ({ list: list.map((one) => (one.key === key ? { ...one, ...next } : one)) }));
}

function remove(key: number): void {
  useUploads.setState(({ list }) => ({ list: list.filter((one) => one.key !== key) }));
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  addEventListener('beforeunload', askBrowser);
  for (let next = firstWaiting(); next !== undefined; next = firstWaiting()) await send(next);
  removeEventListener('beforeunload', askBrowser);
  isRunning = false;
}

const firstWaiting = () => useUploads.getState().list.find(({ state }) => state === 'waiting');

async function send({ key, file, stated, task: resumed, done }: QueuedFile): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  aborts.set(key, abort);
  change(key, { state: 'sending' });
  let task = resumed;
  try {
    task ??= await begin(file, stated);
    change(key, { task });
    keepFile(task, file);
    // Canceled before the hub had answered.
    if (signal.aborted) return await cancelTask(task);
    const rate = createRate();
    const onProgress = (now: number) =>
      change(key, { done: now, rate: rate.add(now), state: now === file.size ? 'checking' : 'sending' });
    const onStall = (error: unknown) => change(key, { error, ...(error !== undefined && { rate: undefined }) });
    await sendFile({ task, file, from: done, signal, onProgress, onStall });
    await taskDone(task, signal);
    remove(key);
  } catch (error) {
    noticeFault(error);
    if (signal.aborted || isCanceled(error)) remove(key);
    else change(key, { state: 'failed', error, rate: undefined });
  } finally {
    aborts.delete(key);
    if (task !== undefined && find(key)?.state !== 'failed') forgetFile(task);
    await refresh('firmware');
  }
}

async function begin(file: File, stated: StatedFirmware): Promise<number> {
  const { task } = await call(firmwareApi.beginUpload, { body: { name: file.name, size: file.size, ...stated } });
  return task;
}

/** Closing the window interrupts the uploads. */
function askBrowser(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

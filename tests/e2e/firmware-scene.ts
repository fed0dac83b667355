/** Firmware files for browser tests and screenshots: small ones, because devices of tests take any content. */
import type { Task } from '../../daemon/contract/tasks.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { until } from '../support/until.ts';

/** Adds a file to the library. `stated`: what its name does not say. */
export async function addFirmware(
  hub: HubProcess,
  name: string,
  content: string | Buffer,
  stated: object = {},
): Promise<void> {
  const task = await beginFirmware(hub, name, content.length, stated);
  await sendFirmware(hub, task, content, content.length);
  await until(async () => (await hub.api<Task>(`/api/task/query?id=${task}`)).state === 'done');
}

/** Begins an upload that waits for its file. Returns the id of its task. */
export async function beginFirmware(hub: HubProcess, name: string, size: number, stated: object = {}): Promise<number> {
  return (await hub.api<{ task: number }>('/api/firmware/begin-upload', { name, size, ...stated })).task;
}

/** Sends the first part of the file. */
export async function sendFirmware(
  hub: HubProcess,
  task: number,
  content: string | Buffer,
  size: number,
): Promise<void> {
  const response = await fetch(`${hub.url}/api/upload/data?task=${task}`, {
    method: 'PUT',
    body: new Uint8Array(Buffer.from(content)),
    headers: { ...hub.headers(), 'content-range': `bytes 0-${content.length - 1}/${size}` },
  });
  if (!response.ok) throw new Error(`the upload was answered ${response.status} ${await response.text()}`);
}

export async function clearFirmware(hub: HubProcess): Promise<void> {
  const { list } = await hub.api<{ list: Task[] }>('/api/task/list');
  for (const { id, kind, ended } of list)
    if (kind === 'firmware.upload' && ended === 0) await hub.api('/api/task/cancel', { id });
  const known = await hub.api<{ list: { id: number }[] }>('/api/firmware/list');
  if (known.list.length > 0) await hub.api('/api/firmware/del', { id: known.list.map(({ id }) => id) });
}

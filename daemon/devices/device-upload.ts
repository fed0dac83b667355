/** Bodies of requests that are read while they are sent. */
import { randomBytes } from 'node:crypto';
import type { DeviceRequest, DeviceUpload, FirmwareFile } from './driver.ts';

export function isUpload(body: DeviceRequest['body']): body is DeviceUpload {
  return typeof body === 'object' && 'parts' in body;
}

/** A form of one part with the name `file`, as all devices take firmware. */
export function fileForm({ name, bytes, read }: FirmwareFile): DeviceUpload {
  const boundary = `signalbox-${randomBytes(12).toString('hex')}`;
  const text = (value: string) => new TextEncoder().encode(value);
  const quoted = name.replaceAll(/[^\w.\- ]/g, '_');
  const head = text(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const tail = text(`\r\n--${boundary}--\r\n`);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: head.byteLength + bytes + tail.byteLength,
    async *parts() {
      yield head;
      yield* read();
      yield tail;
    },
  };
}

/** Forms with a file of any size, as programs send them to the hub, in pieces. */
import { openFormFile } from '../../../daemon/http/form-file.ts';
import { HubError } from '../../../daemon/lib/hub-error.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, parser } from '../target.ts';

const maxBytes = 4096;
const head = 'Content-Disposition: form-data; name="file"; filename="firmware-787-0-B-2.4.288.mwf"\r\n\r\n';
const forms = [
  `--xyz\r\n${head}content\r\n--xy\r\n--xyz--\r\n`,
  `pre\r\n--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--xyz\r\n${head}\r\n--xyz--`,
  `--xyz\r\nX: y\r\nContent-Disposition: form-data; name=file; filename*=UTF-8''%E5%9B%BA.mwf\r\n\r\n${'b'.repeat(3000)}\r\n--xyz--`,
];

export const formTargets: readonly FuzzTarget[] = [
  parser('form-file', 600, () => forms.map((form) => Buffer.from(form)), read),
];

async function read(input: Uint8Array, random: Random): Promise<unknown> {
  const step = 1 + random.below(64);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= input.length) return controller.close();
      controller.enqueue(input.slice(at, at + step));
      at += step;
    },
  });
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz' };
  try {
    const file = await openFormFile(new Request('http://hub/', { method: 'POST', headers, body }), maxBytes);
    if (/[\p{Cc}/\\]/u.test(file.name)) throw new Error(`a name with a path or control characters: ${file.name}`);
    let size = 0;
    for await (const chunk of file.bytes()) size += chunk.length;
    if (size > Math.min(maxBytes, input.length)) throw new Error(`${size} bytes of a form of ${input.length}`);
    return size;
  } catch (error) {
    if (error instanceof HubError) return error.result;
    throw error;
  }
}

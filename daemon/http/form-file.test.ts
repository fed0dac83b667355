import { describe, expect, test } from 'bun:test';
import { openFormFile } from './form-file.ts';

const bytes = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31) % 251));

/** A request whose body arrives in pieces of that many bytes. */
function requestOf(body: Uint8Array, { step = 4096, type = 'multipart/form-data; boundary=xyz' } = {}): Request {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < body.length; at += step) controller.enqueue(body.slice(at, at + step));
      controller.close();
    },
  });
  return new Request('http://hub.test/', { method: 'POST', headers: { 'content-type': type }, body: stream });
}

const fileHead = (disposition = 'form-data; name="file"; filename="a.mwf"') =>
  `Content-Disposition: ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`;
const form = (...parts: readonly (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
const whole = (content: Uint8Array = bytes) => form('--xyz\r\n', fileHead(), content, '\r\n--xyz--\r\n');

async function read(request: Request, maxBytes = 1e6): Promise<{ name: string; bytes: Buffer }> {
  const file = await openFormFile(request, maxBytes);
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes()) chunks.push(chunk);
  return { name: file.name, bytes: Buffer.concat(chunks) };
}

const refusal = (result: string) => expect.objectContaining({ result });

describe('the part named file', () => {
  test.each([1, 2, 3, 7, 61, 64, 67, 101, 4096, 100_000])('arrives byte for byte in pieces of %d', async (step) => {
    const content = step < 64 ? bytes.subarray(0, 3000) : bytes;
    const got = await read(requestOf(whole(content), { step }));
    expect(got.name).toBe('a.mwf');
    expect(got.bytes.equals(content)).toBe(true);
  });

  test('may contain line breaks and beginnings of the delimiter', async () => {
    const content = Buffer.from('\r\n\r\n--xy\r\n--xyy\r\n-\r\n--x');
    for (const step of [1, 5, 500])
      expect((await read(requestOf(whole(content), { step }))).bytes.equals(content)).toBe(true);
  });

  test('is found after other parts and a preamble, and may be empty', async () => {
    const other = 'Content-Disposition: form-data; name="note"\r\n\r\nhello';
    const got = await read(
      requestOf(form('preamble\r\n--xyz\r\n', other, '\r\n--xyz\r\n', fileHead(), '\r\n--xyz--'), { step: 3 }),
    );
    expect(got).toEqual({ name: 'a.mwf', bytes: Buffer.alloc(0) });
  });

  test('is what a client of this runtime sends', async () => {
    const data = new FormData();
    data.append('other', 'x');
    data.append('file', new Blob([bytes]), 'firmware-787-0-B-2.4.288.mwf');
    const request = new Request('http://hub.test/', { method: 'POST', body: data });
    const got = await read(request);
    expect(got.name).toBe('firmware-787-0-B-2.4.288.mwf');
    expect(got.bytes.equals(bytes)).toBe(true);
  });

  test.each([
    ['form-data; name="file"; filename="../../etc/passwd.mwf"', 'passwd.mwf'],
    ['form-data; name="file"; filename="C:\\fw\\a.mwf"', 'a.mwf'],
    ['form-data; filename="b.mwf"; name=file', 'b.mwf'],
    ['form-data; name="file"; filename="x"; filename*=UTF-8\'\'%E5%9B%BA%E4%BB%B6.mwf', '固件.mwf'],
    ['form-data; name="file"; filename="固件\u0000\u202e.mwf"', '固件.mwf'],
    ['form-data; name="file"', ''],
    [`form-data; name="file"; filename="${'n'.repeat(300)}.mwf"`, 'n'.repeat(255)],
  ])('of %p is named %p', async (disposition, name) => {
    const request = requestOf(form('--xyz\r\n', fileHead(disposition), 'x\r\n--xyz--'));
    expect(await read(request)).toEqual({ name, bytes: Buffer.from('x') });
  });
});

describe('a form is refused', () => {
  test('if it ends early', async () => {
    await expect(read(requestOf(whole().subarray(0, 50_000)))).rejects.toEqual(refusal('interrupted'));
    await expect(read(requestOf(form('--xyz\r\nContent-')))).rejects.toEqual(refusal('interrupted'));
  });

  test('without a part named file, or a boundary', async () => {
    const other = form('--xyz\r\n', fileHead('form-data; name="other"'), 'x\r\n--xyz--\r\n');
    await expect(read(requestOf(other))).rejects.toMatchObject({ fields: [{ path: 'file', rule: 'required' }] });
    await expect(read(requestOf(whole(), { type: 'multipart/form-data' }))).rejects.toEqual(refusal('formatError'));
    await expect(read(requestOf(Buffer.from('nothing')))).rejects.toEqual(refusal('interrupted'));
  });

  test('if the file, the headers or the other parts are too large, and the rest is not read', async () => {
    await expect(read(requestOf(whole()), bytes.length - 1)).rejects.toEqual(refusal('tooLarge'));
    const longHeader = form('--xyz\r\n', `X: ${'y'.repeat(9000)}\r\n`, fileHead(), 'x\r\n--xyz--');
    await expect(read(requestOf(longHeader))).rejects.toEqual(refusal('formatError'));
    const other = form('--xyz\r\n', fileHead('form-data; name="other"'), 'x'.repeat(300_000), '\r\n--xyz\r\n');
    await expect(read(requestOf(other))).rejects.toEqual(refusal('tooLarge'));
  });
});

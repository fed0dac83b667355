/** Forms with a file: each step is one piece of the body, as the listener delivers it. */
import { openFormFile } from '../../../daemon/http/form-file.ts';
import type { WorstCase } from '../worst-case.ts';

/** Bun delivers pieces of at most this size. */
const pieceBytes = 512 << 10;
const type = `multipart/form-data; boundary=${'-'.repeat(70)}`;
const begin = `--${'-'.repeat(70)}\r\n`;
const head = 'Content-Disposition: form-data; name="file"; filename="a.mwf"\r\n\r\n';

const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);

async function readAll(...pieces: readonly Uint8Array[]): Promise<void> {
  const waiting = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = waiting.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  const request = new Request('http://hub/', { method: 'POST', headers: { 'content-type': type }, body });
  try {
    const file = await openFormFile(request, Number.POSITIVE_INFINITY);
    for await (const _ of file.bytes());
  } catch {
    // A refusal is an answer, too.
  }
}

const piece = (input: string, text: string): WorstCase => ({
  parser: 'form with a file',
  input,
  prepare() {
    const bytes = Buffer.from(text, 'latin1');
    return () => readAll(bytes);
  },
});

export const formCases: readonly WorstCase[] = [
  piece('dashes', begin + head + fill('-', pieceBytes)),
  piece('beginnings of the delimiter', begin + head + fill(`\r\n--${'-'.repeat(69)}x`, pieceBytes)),
  piece('line breaks', begin + head + fill('\r\n', pieceBytes)),
  piece('many empty parts', fill(`${begin}\r\n\r\n\r\n`, pieceBytes)),
  piece('a header of quotes', `${begin}Content-Disposition: form-data; name="${fill('\\"', 8000)}\r\n\r\n`),
  piece('a header of names', `${begin}Content-Disposition: form-data${fill('; name=', 8000)}\r\n\r\n`),
  piece('headers without an end', begin + fill('a: b\r\n', pieceBytes)),
  {
    parser: 'form with a file',
    input: 'headers byte by byte',
    prepare() {
      const pieces = [...Buffer.from(begin + fill('a', 4000))].map((byte) => Uint8Array.of(byte));
      return () => readAll(...pieces);
    },
  },
];

import { expect, test } from 'bun:test';
import { type ImagePart, MultipartReader } from './multipart.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const part = (id: string, body: string) =>
  `image-id: ${id}\r\ncontent-type: image/jpeg\r\ncontent-length: ${body.length}\r\n\r\n${body}\r\n--edge\r\n`;
const stream = `--edge\r\n${part('CH-1', 'one\r\n--edge\r\nstill one')}${part('CH-2', 'two')}${part('CH-1', 'x'.repeat(200_000))}`;

function read(pieces: readonly Uint8Array[]): string[] {
  const parts: ImagePart[] = [];
  const reader = new MultipartReader('edge', (found) => parts.push(found));
  for (const piece of pieces) reader.feed(piece);
  return parts.map(({ imageId, type, bytes }) => `${imageId} ${type} ${new TextDecoder().decode(bytes)}`);
}

test('parts are read completely, wherever the stream is cut', () => {
  const bytes = encode(stream);
  const expected = [
    'CH-1 image/jpeg one\r\n--edge\r\nstill one',
    'CH-2 image/jpeg two',
    `CH-1 image/jpeg ${'x'.repeat(200_000)}`,
  ];
  for (const size of [7, 190, 4096, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(read(pieces)).toEqual(expected);
  }
});

test('a picture is complete with its last byte, before the next one arrives', () => {
  expect(read([encode(`--edge\r\n${part('CH-9', 'now').replace(/\r\n--edge\r\n$/, '')}`)])).toEqual([
    'CH-9 image/jpeg now',
  ]);
});

test('another kind of response is refused', () => {
  expect(() => read([encode('<html>\r\n')])).toThrow('boundary');
  expect(() => read([encode('y'.repeat(100))])).toThrow('boundary');
  expect(() => read([encode(`--edge\r\nfiller: ${'y'.repeat(2000)}`)])).toThrow('head');
  expect(() => read([encode('--edge\r\ncontent-length: 99999999\r\n\r\n')])).toThrow('length');
});

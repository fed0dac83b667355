import { expect, test } from 'bun:test';
import { Reader, variant, Writer } from './wire.ts';

test.each([1, 4, 8, 100, 300, 5000])('values are whole, whatever had to grow for them: texts of %d bytes', (length) => {
  const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(length + at));
  const settings = Object.fromEntries(texts.map((text, at) => [`key${at}`, variant('s', text)]));
  const signature = 'a{sv}asayx';
  const values = [settings, texts, [1, 2, 255], 600];
  const writer = new Writer();
  writer.values(signature, values);
  const read = new Reader(writer.bytes(), { isLittle: true }).values(signature);
  expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(values)));
});

import { expect, test } from 'bun:test';
import { createJsonLineReader } from './json-lines.ts';

function reader(maxBytes = 1000) {
  const values: unknown[] = [];
  const faults: string[] = [];
  const read = createJsonLineReader({
    maxBytes,
    onValue: (value) => values.push(value),
    onFault: (r) => faults.push(r),
  });
  return { read: (text: string) => read(Buffer.from(text)), bytes: read, values, faults };
}

test('values arrive complete however the bytes are cut', () => {
  const { bytes, values } = reader();
  const all = Buffer.from('{"a":"é"}\n[1,2]\n\n"x"\n');
  for (const byte of all) bytes(Buffer.from([byte]));
  expect(values).toEqual([{ a: 'é' }, [1, 2], 'x']);
});

test('a chunk may contain several lines and the start of another', () => {
  const { read, values } = reader();
  read('1\n2\n3');
  expect(values).toEqual([1, 2]);
  read('4\n');
  expect(values).toEqual([1, 2, 34]);
});

test('overwriting a chunk later does not change an incomplete line', () => {
  const { bytes, values } = reader();
  const chunk = Buffer.from('"ab');
  bytes(chunk);
  chunk.fill(0);
  bytes(Buffer.from('c"\n'));
  expect(values).toEqual(['abc']);
});

test('a line over the limit is an error, and nothing after it is read', () => {
  const { read, values, faults } = reader(10);
  read('1\n"12345');
  read('67890123');
  read('\n2\n');
  expect(values).toEqual([1]);
  expect(faults).toEqual(['a line of more than 10 bytes']);
});

test('a line that is not JSON is an error', () => {
  const { read, values, faults } = reader();
  read('{oops\n1\n');
  expect(values).toEqual([]);
  expect(faults).toEqual(['a line that is no JSON']);
});

import { expect, test } from 'bun:test';
import { fieldBytes, type Layout, layouts } from './layout.ts';

const tables: readonly (readonly [string, Layout])[] = Object.entries(layouts);

test.each(tables)('the fields of %s lie where a C compiler puts them', (_, { bytes, fields }) => {
  let end = 0;
  for (const { at, type } of Object.values(fields)) {
    const size = fieldBytes[type];
    expect(at).toBe(Math.ceil(end / size) * size);
    end = at + size;
  }
  const alignment = Math.max(...Object.values(fields).map(({ type }) => fieldBytes[type]));
  expect(bytes).toBe(Math.ceil(end / alignment) * alignment);
});

test('sizes are those of the published headers', () => {
  const sizes = Object.fromEntries(tables.map(([name, { bytes }]) => [name, bytes]));
  expect(sizes).toEqual({
    ...{ source: 16, findCreate: 24, routingCreate: 16, sendCreate: 24, receiveCreate: 40, videoFrame: 72 },
    ...{ audioFrame: 64, metadataFrame: 24 },
  });
});

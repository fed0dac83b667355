import { expect, test } from 'bun:test';
import { jpegOf, pngOf } from '../../tests/fixtures/pictures.ts';
import { readImage } from './image-file.ts';

test('the content of a picture decides its type', () => {
  expect(readImage(pngOf(640, 360))).toEqual({ type: 'png', width: 640, height: 360 });
  expect(readImage(jpegOf(1920, 1080))).toEqual({ type: 'jpeg', width: 1920, height: 1080 });
});

test('a truncated picture is refused', () => {
  for (const whole of [pngOf(640, 360), jpegOf(64, 48)]) {
    for (let length = 0; length < whole.length; length++) expect(readImage(whole.subarray(0, length))).toBeUndefined();
  }
});

test('other content is refused, and nothing throws', () => {
  const texts = [
    '',
    '<svg onload="x">',
    'GIF89a',
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff\xd9',
    '\xff\xd8\xff\xff\xff\xff\xff\xd9',
  ];
  for (const text of texts) expect(readImage(Buffer.from(text, 'latin1'))).toBeUndefined();
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % 256;
  };
  for (const start of [pngOf(8, 8), jpegOf(8, 8)]) {
    for (let round = 0; round < 500; round++) {
      const broken = Buffer.from(start);
      for (let hit = 0; hit < 4; hit++) broken[2 + (random() % (broken.length - 2))] = random();
      const facts = readImage(broken);
      if (facts) expect(facts.width).toBeGreaterThan(0);
    }
  }
});

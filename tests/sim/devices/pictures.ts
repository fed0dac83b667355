/** The pictures of a simulated camera: eight frames with a counter, so that a preview visibly moves. */
import { readFileSync } from 'node:fs';
import { clip } from '../../support/clips.ts';

const frames = 8;
const frameMs = 500;
let pictures: readonly Uint8Array<ArrayBuffer>[] | undefined;

export function currentPicture(): Uint8Array<ArrayBuffer> {
  pictures ??= makePictures();
  const picture = pictures[Math.floor(Date.now() / frameMs) % frames];
  if (picture === undefined) throw new Error('no pictures');
  return picture;
}

function makePictures(): Uint8Array<ArrayBuffer>[] {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=480x270:rate=1'];
  const file = clip([...source, '-frames:v', `${frames}`, '-q:v', '6'], 'mjpeg');
  const bytes = readFileSync(file);
  const starts: number[] = [];
  const start = Buffer.from([0xff, 0xd8, 0xff]);
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) starts.push(at);
  return starts.map((at, index) => new Uint8Array(bytes.subarray(at, starts[index + 1])));
}

/**
 * One FFmpeg process that turns keyframes into small JPEG pictures, one at a time: it gets the next one when the last
 * is done, so a process that hangs holds a single picture. Without keyframes it sleeps on its pipe.
 */

import type { NalCodec } from '../codec/nal-units.ts';
import { confinedFfmpeg } from '../ffmpeg/process.ts';

export type PictureMaker = ReturnType<typeof startPictureMaker>;

interface MakerOptions {
  readonly binary: string;
  readonly codec: NalCodec;
  readonly onPicture: (jpeg: Buffer) => void;
  /** Also called after `close`. */
  readonly onEnd: () => void;
}

/** The box that pictures fit into, in pixels. */
const pictureBox = { width: 320, height: 180 } as const;
/** A 4K picture needs half of the address space. */
const limits = { addressSpace: 2 ** 30, files: 64, nice: 10 };
/** FFmpeg keeps the first copies to analyze the stream. */
const firstCopies = 3;

const { width, height } = pictureBox;
const fit = [
  `scale=w='2*max(1,trunc(min(${width},${height}*dar)/2))'`,
  `h='2*max(1,trunc(min(${height},${width}/dar)/2))'`,
  'flags=bilinear,setsar=1',
].join(':');

export function startPictureMaker({ binary, codec, onPicture, onEnd }: MakerOptions) {
  const child = Bun.spawn(
    confinedFfmpeg(
      [
        ...[binary, '-nostdin', '-v', 'quiet', '-threads', '1', '-filter_threads', '1'],
        ...['-flags', 'low_delay', '-flags2', '+showall', '-fflags', '+nobuffer', '-probesize', '32'],
        ...['-analyzeduration', '0', '-fpsprobesize', '0', '-f', codec, '-i', 'pipe:0'],
        ...['-an', '-fps_mode', 'passthrough', '-vf', fit, '-c:v', 'mjpeg', '-threads', '1', '-q:v', '6'],
        ...['-flush_packets', '1', '-f', 'mpjpeg', 'pipe:1'],
      ],
      { limits },
    ),
    { stdin: 'pipe', stdout: 'pipe', stderr: 'ignore', env: { PATH: process.env.PATH ?? '' } },
  );
  let busySince: number | undefined;
  let isFirst = true;
  const close = () => {
    child.kill('SIGKILL');
  };
  const reader = createPictureReader((jpeg) => {
    // The copies of the first picture also produce output.
    if (busySince === undefined) return;
    busySince = undefined;
    onPicture(jpeg);
  });
  const read = async () => {
    for await (const bytes of child.stdout) if (!reader.feed(bytes)) close();
  };
  // Only the end of the process matters.
  read().catch(() => undefined);
  void child.exited.then(onEnd);
  return {
    /** Must not be called while it is busy. */
    make(keyPicture: Uint8Array): void {
      busySince = performance.now();
      const copies = Array.from({ length: isFirst ? firstCopies : 1 }, () => keyPicture);
      isFirst = false;
      // If the process is already gone, its exit is reported separately.
      const write = async () => {
        child.stdin.write(Buffer.concat(copies));
        await child.stdin.flush();
      };
      write().catch(close);
    },
    /** Milliseconds since it got its current keyframe; undefined if it is idle. */
    busyMs: () => (busySince === undefined ? undefined : performance.now() - busySince),
    /** Kills the process: it has nothing to lose, and a hanging one reacts to nothing else. */
    close,
  };
}

const maxHeadBytes = 256;
/** A JPEG picture of the requested size is a twentieth of this. */
const maxPictureBytes = 256 << 10;
const headEnd = '\r\n\r\n';

/** Cuts FFmpeg's `mpjpeg` output into pictures. */
function createPictureReader(onPicture: (jpeg: Buffer) => void) {
  let kept = Buffer.alloc(0);
  /** Size of the picture being read; 0 within a header. */
  let desired = 0;
  let isGood = true;

  function readHead(): boolean {
    const end = kept.indexOf(headEnd);
    if (end < 0) {
      isGood = kept.length <= maxHeadBytes;
      return false;
    }
    desired = Number(/^content-length: *(\d{1,9})$/im.exec(kept.toString('latin1', 0, end))?.[1] ?? 0);
    kept = kept.subarray(end + headEnd.length);
    isGood = end <= maxHeadBytes && desired > 0 && desired <= maxPictureBytes;
    return isGood;
  }

  function readPicture(): boolean {
    if (kept.length < desired) return false;
    const jpeg = Buffer.from(kept.subarray(0, desired));
    kept = kept.subarray(desired);
    desired = 0;
    isGood = jpeg[0] === 0xff && jpeg[1] === 0xd8;
    if (isGood) onPicture(jpeg);
    return isGood;
  }

  return {
    /** Returns false once the data is not such output. */
    feed(bytes: Uint8Array): boolean {
      kept = Buffer.concat([kept, bytes]);
      while (isGood && (desired > 0 ? readPicture() : readHead()));
      return isGood;
    },
  };
}

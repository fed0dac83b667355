/** Cuts FFmpeg's `mpjpeg` output into pictures. */

export interface PictureReader {
  /** False once what came is no such output. */
  feed(bytes: Uint8Array): boolean;
}

const mostHeadBytes = 256;
/** A JPEG picture of the size asked for is a twentieth of this. */
const mostPictureBytes = 256 << 10;
const headEnd = '\r\n\r\n';

export function createPictureReader(onPicture: (jpeg: Buffer) => void): PictureReader {
  let kept = Buffer.alloc(0);
  /** Of the picture that is being read; 0 within a head. */
  let wanted = 0;
  let isGood = true;

  function readHead(): boolean {
    const end = kept.indexOf(headEnd);
    if (end < 0) {
      isGood = kept.length <= mostHeadBytes;
      return false;
    }
    wanted = Number(/^content-length: *(\d{1,9})$/im.exec(kept.toString('latin1', 0, end))?.[1] ?? 0);
    kept = kept.subarray(end + headEnd.length);
    isGood = end <= mostHeadBytes && wanted > 0 && wanted <= mostPictureBytes;
    return isGood;
  }

  function readPicture(): boolean {
    if (kept.length < wanted) return false;
    const jpeg = Buffer.from(kept.subarray(0, wanted));
    kept = kept.subarray(wanted);
    wanted = 0;
    isGood = jpeg[0] === 0xff && jpeg[1] === 0xd8;
    if (isGood) onPicture(jpeg);
    return isGood;
  }

  return {
    feed(bytes) {
      kept = Buffer.concat([kept, bytes]);
      while (isGood && (wanted > 0 ? readPicture() : readHead()));
      return isGood;
    },
  };
}

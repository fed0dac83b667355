/** Cuts FFmpeg's `mpjpeg` output into pictures. */

const maxHeadBytes = 256;
/** A JPEG picture of the requested size is a twentieth of this. */
const maxPictureBytes = 256 << 10;
const headEnd = '\r\n\r\n';

export function createPictureReader(onPicture: (jpeg: Buffer) => void) {
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

/** Reads the endless multipart response of the preview: parts with `image-id`, `content-type` and `content-length`. */

export interface ImagePart {
  readonly imageId: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Limits of the specification: a boundary line within 48 bytes, a part header within 1024. */
const maxLineBytes = 48;
const maxHeadBytes = 1024;
const maxImageBytes = 4 << 20;
const firstBufferBytes = 64 << 10;
const [cr, lf] = [13, 10];
const decoder = new TextDecoder();

export class MultipartReader {
  private readonly boundary: string;
  private readonly onPart: (part: ImagePart) => void;
  private buffer = new Uint8Array(firstBufferBytes);
  private length = 0;
  private head: { imageId: string; type: string; bytes: number } | undefined;

  constructor(boundary: string, onPart: (part: ImagePart) => void) {
    this.boundary = `--${boundary}`;
    this.onPart = onPart;
  }

  /** Throws if the data is not such a stream. */
  feed(bytes: Uint8Array): void {
    this.append(bytes);
    while (this.head === undefined ? this.readHead() : this.readImage(this.head));
  }

  private append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (needed > this.buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2));
      larger.set(this.buffer.subarray(0, this.length));
      this.buffer = larger;
    }
    this.buffer.set(bytes, this.length);
    this.length = needed;
  }

  /** Boundary line, header lines, an empty line. */
  private readHead(): boolean {
    const lines: string[] = [];
    let from = 0;
    for (let at = 0; at + 1 < this.length; at++) {
      if (this.buffer[at] !== cr || this.buffer[at + 1] !== lf) continue;
      const line = decoder.decode(this.buffer.subarray(from, at));
      from = at + 2;
      // The line break after a picture.
      if (line === '' && lines.length === 0) continue;
      if (lines.length === 0 && line !== this.boundary) throw new Error('no boundary where one should be');
      if (line === '') {
        this.head = headOf(lines.slice(1));
        this.drop(from);
        return true;
      }
      lines.push(line);
    }
    const limit = lines.length === 0 ? maxLineBytes : maxHeadBytes;
    if (this.length > limit) throw new Error(`no end of a ${lines.length === 0 ? 'boundary' : 'head'} in sight`);
    return false;
  }

  private readImage({ imageId, type, bytes }: { imageId: string; type: string; bytes: number }): boolean {
    if (this.length < bytes) return false;
    this.onPart({ imageId, type, bytes: this.buffer.slice(0, bytes) });
    this.head = undefined;
    this.drop(bytes);
    return true;
  }

  private drop(bytes: number): void {
    this.buffer.copyWithin(0, bytes, this.length);
    this.length -= bytes;
  }
}

function headOf(lines: readonly string[]) {
  const fields = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const [imageId = '', type = ''] = [fields.get('image-id'), fields.get('content-type')];
  const bytes = Number(fields.get('content-length'));
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > maxImageBytes) throw new Error('a part without its length');
  return { imageId, type, bytes };
}

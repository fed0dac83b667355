/** Format of an uploaded image, determined from its content. Parses only enough for type, size and completeness. */
export interface ImageFacts {
  readonly type: 'png' | 'jpeg';
  readonly width: number;
  readonly height: number;
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Undefined for anything but a complete PNG or JPEG. */
export function readImage(bytes: Uint8Array): ImageFacts | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (pngSignature.every((byte, at) => data[at] === byte)) return readPng(data);
  return data[0] === 0xff && data[1] === 0xd8 ? readJpeg(data) : undefined;
}

/** Chunks of length, name, data and checksum; the first is the header, the last IEND. */
function readPng(data: Buffer): ImageFacts | undefined {
  const nameAt = (at: number) => data.toString('latin1', at + 4, at + 8);
  if (data.length < 33 || nameAt(8) !== 'IHDR' || data.readUInt32BE(8) !== 13) return undefined;
  const [width, height] = [data.readUInt32BE(16), data.readUInt32BE(20)];
  for (let at = 8; at + 12 <= data.length; at += 12 + data.readUInt32BE(at)) {
    if (nameAt(at) === 'IEND') return sized('png', width, height);
  }
  return undefined;
}

/** Markers with a length, up to the frame header; the end marker must exist as well. */
function readJpeg(data: Buffer): ImageFacts | undefined {
  const endMarker = data.lastIndexOf(Buffer.from([0xff, 0xd9]));
  for (let at = 2; at + 9 <= endMarker; at += 2 + data.readUInt16BE(at + 2)) {
    while (data[at] === 0xff && data[at + 1] === 0xff && at + 9 <= endMarker) at += 1;
    const marker = data[at + 1] ?? 0;
    if (data[at] !== 0xff || marker === 0xda) return undefined;
    // 0xc0 to 0xcf except the tables DHT, JPG and DAC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized('jpeg', data.readUInt16BE(at + 7), data.readUInt16BE(at + 5));
  }
  return undefined;
}

function sized(type: ImageFacts['type'], width: number, height: number): ImageFacts | undefined {
  return width > 0 && height > 0 ? { type, width, height } : undefined;
}

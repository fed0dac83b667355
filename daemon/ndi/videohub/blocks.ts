/** Blocks of the Videohub protocol, which have a header, lines and an empty line: reads and writes them. */

export interface Block {
  /** Without the colon, such as `VIDEO OUTPUT ROUTING`. */
  readonly header: string;
  readonly lines: readonly string[];
}

export interface BlockLimits {
  readonly lineBytes: number;
  readonly blockBytes: number;
}

export const blockLimits: BlockLimits = { lineBytes: 1024, blockBytes: 64 * 1024 };

const lineFeed = 0x0a;

/**
 * Returns a function that takes the next bytes of a connection and returns the blocks that they complete; undefined if a
 * line or block is longer than allowed, after which the connection must be closed. Lines end in LF or CRLF.
 */
export function createBlockReader(limits: BlockLimits = blockLimits): (bytes: Uint8Array) => Block[] | undefined {
  let rest = Buffer.alloc(0);
  let lines: string[] = [];
  let size = 0;
  return (bytes) => {
    const blocks: Block[] = [];
    const data = Buffer.concat([rest, bytes]);
    let from = 0;
    for (let end = data.indexOf(lineFeed); end >= 0; end = data.indexOf(lineFeed, from)) {
      size += end + 1 - from;
      if (end - from > limits.lineBytes || size > limits.blockBytes) return undefined;
      const line = data.toString('utf8', from, end).replace(/\r$/, '');
      from = end + 1;
      if (line !== '') {
        lines.push(line);
        continue;
      }
      const [header, ...items] = lines;
      if (header !== undefined) blocks.push({ header: header.trimEnd().replace(/:$/, ''), lines: items });
      lines = [];
      size = 0;
    }
    rest = Buffer.from(data.subarray(from));
    return rest.length > limits.lineBytes || size + rest.length > limits.blockBytes ? undefined : blocks;
  };
}

/** Replaces what some client may take for the end of the line: names of sources are not ours. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

export function writeBlock(header: string, lines: readonly string[]): string {
  return [`${header}:`, ...lines.map(plain), '', ''].join('\n');
}

/** Reads lines of the form `INDEX VALUE`; undefined if a line has another form. The value may be empty. */
export function readItems(lines: readonly string[]): { readonly index: number; readonly value: string }[] | undefined {
  const items = lines.map((line) => {
    const match = /^(\d{1,5})(?: (.*))?$/.exec(line);
    return match ? { index: Number(match[1]), value: (match[2] ?? '').trim() } : undefined;
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}

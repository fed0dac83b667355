/** A byte stream of JSON values, one per line, with a memory limit per line. */

interface JsonLineHandlers {
  readonly maxBytes: number;
  onValue(value: unknown): void;
  /** Called for a line that is too long or not JSON. Nothing is read after it. */
  onFault(reason: string): void;
}

const newline = 0x0a;

/** Returns a function that takes the chunks of a socket as they arrive. */
export function createJsonLineReader(handlers: JsonLineHandlers): (chunk: Uint8Array) => void {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let broken = false;

  const fail = (reason: string): void => {
    broken = true;
    kept = [];
    handlers.onFault(reason);
  };
  const keep = (part: Uint8Array): void => {
    if (part.length === 0) return;
    keptBytes += part.length;
    if (keptBytes > handlers.maxBytes) fail(`a line of more than ${handlers.maxBytes} bytes`);
    else kept.push(part);
  };
  const finishLine = (): void => {
    const line = Buffer.concat(kept).toString('utf8');
    kept = [];
    keptBytes = 0;
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      fail('a line that is no JSON');
      return;
    }
    handlers.onValue(value);
  };

  return (chunk) => {
    let from = 0;
    while (!broken) {
      const end = chunk.indexOf(newline, from);
      // The socket may reuse its buffer, so an incomplete line is copied.
      if (end < 0) {
        keep(new Uint8Array(chunk.subarray(from)));
        return;
      }
      keep(chunk.subarray(from, end));
      if (!broken) finishLine();
      from = end + 1;
    }
  };
}

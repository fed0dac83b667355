/** Logs what a process of this area prints. */
import type { Log } from '../lib/log.ts';

/** How many lines of a process are logged. */
const maxLines = 100;
const maxLength = 4096;

/** Resolves when the process has closed the stream. */
export async function logLines(stream: ReadableStream<Uint8Array>, log: Log): Promise<void> {
  const text = new TextDecoder();
  let rest = '';
  let count = 0;
  for await (const chunk of stream) {
    const lines = (rest + text.decode(chunk, { stream: true })).split('\n');
    rest = (lines.pop() ?? '').slice(0, maxLength);
    for (const line of lines) {
      if (line === '') continue;
      count += 1;
      if (count <= maxLines) log.warn(line.slice(0, maxLength));
      else if (count === maxLines + 1) log.warn('further lines of this process are not logged');
    }
  }
  if (rest !== '') log.warn(rest);
}

/** Splits the text of a log line into what the page can show better: objects by name, and durations with a unit. */

export type LinePart =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'channel' | 'output'; readonly id: number; readonly text: string };

/** `channel 100001`, `channel=100001`, and durations such as `retryInMs=27256`. */
const known = /\b(channel|output)[ =](\d+)\b|\b(\w+)Ms=(\d+)\b/g;

export function linePartsOf(line: string): LinePart[] {
  const parts: LinePart[] = [];
  let from = 0;
  const add = (text: string) => {
    const last = parts.at(-1);
    if (last?.is === 'text') parts[parts.length - 1] = { is: 'text', text: last.text + text };
    else if (text !== '') parts.push({ is: 'text', text });
  };
  for (const match of line.matchAll(known)) {
    const [text, object, id, name, ms] = match;
    add(line.slice(from, match.index));
    from = match.index + text.length;
    if (object === 'channel' || object === 'output') parts.push({ is: object, id: Number(id), text });
    else add(`${name}=${durationOf(Number(ms))}`);
  }
  add(line.slice(from));
  return parts;
}

function durationOf(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

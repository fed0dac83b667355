/** The list of sources of an IP decoder. How its entries are changed or deleted is not published. */
import { createHash } from 'node:crypto';
import type { Answer } from '../answer.ts';
import type { StreamSource } from '../driver.ts';
import { presetUrl } from '../mwapi/presets.ts';
import type { QueryParams } from '../query-session.ts';

const longestName = 63;
const digits = 6;

/**
 * Name of a source on the device. It ends with digits of its address: a stream with another address becomes another
 * entry, because the old one cannot be changed.
 */
export function sourceName({ name, url }: StreamSource): string {
  const digest = createHash('sha256').update(url).digest('hex').slice(0, digits);
  return `${name.trim().slice(0, longestName - digits - 1)} ${digest}`.trim();
}

/** Whether a name that the device shows is one that `sourceName` made of this name, for whatever address. */
export function isSourceName(shown: string | undefined, name: string): boolean {
  if (shown === undefined) return false;
  const start = name
    .trim()
    .slice(0, longestName - digits - 1)
    .trimEnd();
  return shown.startsWith(`${start} `) && /^[0-9a-f]{6}$/.test(shown.slice(start.length + 1));
}

/** Id of the source that shows nothing. Published for IP to USB. */
export const noSource = 0;

export function sourceFields(source: StreamSource): QueryParams {
  const url = presetUrl({ name: source.name, url: source.url });
  return {
    name: sourceName(source),
    protocol: url.startsWith('srt:') ? 'ts-srt' : 'rtmp',
    type: 'url',
    data: { url, ...(source.bufferMs !== undefined && { 'buffer-ms': source.bufferMs }) },
  };
}

/** Id of the source of this name; what the list in the answer is called is not published. */
export function sourceId(answer: Answer, name: string): number | undefined {
  for (const list of answer.lists()) {
    const found = list.find((source) => source.text('name') === name)?.integer('id');
    if (found !== undefined) return found;
  }
  return undefined;
}

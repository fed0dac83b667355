import type { NamedEvent } from './process.ts';

/**
 * Reads control frames. The endpoints are built from the same tree and send their version first, so only the outline is
 * checked. Returns undefined for anything but the named events.
 */
export function createEventReader<Event extends NamedEvent>(
  names: readonly Event['ev'][],
): (text: string) => Event | undefined {
  const known = new Set<string>(names);
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (typeof value !== 'object' || value === null || !('ev' in value)) return undefined;
    return typeof value.ev === 'string' && known.has(value.ev) ? (value as Event) : undefined;
  };
}

/** Components that the engine needs and may lack: ports, native endpoints, FFmpeg. Reports each change of state. */
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../lib/log.ts';
import type { EnginePart } from '../media/protocol/reported.ts';

export type EngineParts = ReturnType<typeof createEngineParts>;

export function createEngineParts(log: Log, onChange: (parts: readonly EnginePart[]) => void) {
  const known = new Map<EnginePart['name'], EnginePart>();
  const list = () => [...known.values()];
  return {
    list,
    set(part: EnginePart): void {
      const before = known.get(part.name);
      if (isDeepStrictEqual(before, part)) return;
      known.set(part.name, part);
      if (!part.ok && before?.message !== part.message) log.error(part.message ?? `${part.name} can't be used`);
      if (part.ok && before?.ok === false) log.info(`${part.name} can be used again`);
      onChange(list());
    },
    /** The component is no longer needed. */
    drop(name: EnginePart['name']): void {
      if (known.delete(name)) onChange(list());
    },
  };
}

/** Makes methods of an area fail in the ways of a real system. */

/**
 * `crash`: the method does its work, and its caller never learns of it, as when the hub is killed. `lie`: it does nothing
 * and reports success. An error: it is thrown instead. A number: the milliseconds that it takes longer.
 */
export type Fault = 'crash' | 'lie' | Error | number;

export interface Faulty<Area> {
  readonly area: Area;
  /** Lets the next calls of the method fail until `mend`. */
  fail(method: keyof Area, fault: Fault): void;
  mend(): void;
  /** Names of the methods that were called, in order. */
  readonly called: readonly (keyof Area)[];
}

export function withFaults<Area extends object>(real: Area): Faulty<Area> {
  const faults = new Map<keyof Area, Fault>();
  const called: (keyof Area)[] = [];
  const area = new Proxy(real, {
    get(target, name) {
      const method = name as keyof Area;
      const member = target[method];
      if (typeof member !== 'function') return member;
      return async (...input: unknown[]) => {
        called.push(method);
        const fault = faults.get(method);
        if (fault instanceof Error) throw fault;
        if (fault === 'lie') return undefined;
        if (typeof fault === 'number') await Bun.sleep(fault);
        const output = await member.apply(target, input);
        return fault === 'crash' ? new Promise(() => {}) : output;
      };
    },
  });
  return {
    area,
    called,
    fail: (method, fault) => void faults.set(method, fault),
    mend: () => faults.clear(),
  };
}

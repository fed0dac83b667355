/** Listeners of one kind of event. The same function may subscribe more than once. */
export function createEmitter<Event extends readonly unknown[] = []>() {
  const listeners = new Set<(...event: Event) => void>();
  return {
    emit(...event: Event): void {
      for (const listener of listeners) listener(...event);
    },
    /** Calls the listener with each event until the returned function is called, which returns false the second time. */
    on(listener: (...event: Event) => void): () => boolean {
      const own = (...event: Event) => listener(...event);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    /** Number of listeners. */
    count: () => listeners.size,
  };
}

const { promise, resolve } = Promise.withResolvers<void>();

/** Resolves once the code of the first page has been loaded. */
export const firstPageLoaded = promise;

/** Returns the same function, for the code of what is shown as a page. */
export function asPage<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    const part = await load();
    resolve();
    return part;
  };
}

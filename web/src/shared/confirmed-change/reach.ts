/** Finds out at which addresses the hub answers, beside that of the page (`public/reach.js`). */

let prepared: Worker | undefined;

/** Loads what `watchReach` needs; to be called before the hub may go away. */
export function prepareReach(): void {
  prepared ??= newWorker();
}

/**
 * Calls `onReached` for each of the addresses as soon as the hub answers there, until the returned function is called.
 * An address whose certificate the browser does not trust never counts as reached, nor does one over plain HTTP for a
 * page over HTTPS: browsers refuse both.
 */
export function watchReach(addresses: readonly string[], onReached: (address: string) => void): () => void {
  if (addresses.length === 0) return () => {};
  const worker = prepared ?? newWorker();
  prepared = undefined;
  worker.addEventListener('message', ({ data }: MessageEvent<string>) => onReached(data));
  worker.postMessage(addresses);
  return () => worker.terminate();
}

function newWorker(): Worker {
  return new Worker(new URL('reach.js', document.baseURI));
}

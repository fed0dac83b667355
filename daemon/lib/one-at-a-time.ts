/**
 * Returns a function that runs tasks in the order of its calls, each after the one before it has ended. A task that fails
 * does not stop those after it; its caller gets the error.
 */
export function oneAtATime(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

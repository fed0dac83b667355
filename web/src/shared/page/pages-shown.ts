/** Counts the pages that were shown since the console was loaded, those before sign-in included. */
let shown = 0;

/** Returns how many there are with this one. */
export function countPage(): number {
  shown += 1;
  return shown;
}

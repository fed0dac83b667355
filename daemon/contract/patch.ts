/**
 * Differences between two states of an object, as `GET /api/events?changes=patch` sends them. A patch has the members
 * that changed: objects are patched member by member, `null` removes a member, and everything else is replaced. An
 * array that kept its length is patched like an object, with indices as members; any other array is replaced.
 */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Members = { readonly [name: string]: Json };
export type Patch = Members;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Thrown inside `diff`: a member that became null would read as removed. */
const notPatchable = Symbol('not patchable');

/** Returns the patch, or undefined if the objects have differences that a patch cannot express. */
export function diff(before: object, after: object): Patch | undefined {
  try {
    return diffMembers(before as Members, after as Members);
  } catch (error) {
    if (error === notPatchable) return undefined;
    throw error;
  }
}

function diffMembers(before: Members, after: Members): Members {
  const patch: Record<string, Json> = {};
  for (const name of Object.keys(before)) {
    if (before[name] !== undefined && after[name] === undefined) patch[name] = null;
  }
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (value === undefined || Object.is(old, value)) continue;
    const change = old === undefined ? value : diffValue(old, value);
    if (change === null) throw notPatchable;
    if (change !== undefined) patch[name] = change;
  }
  return patch;
}

/** Returns undefined if the values are the same. */
function diffValue(before: Json, after: Json): Json | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return after;
    const patch = diffMembers(membersOf(before), membersOf(after));
    return Object.keys(patch).length === 0 ? undefined : patch;
  }
  if (!isMembers(before) || !isMembers(after)) return before === after ? undefined : replacing(before, after);
  const patch = diffMembers(before, after);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

const membersOf = (list: readonly Json[]): Members => Object.fromEntries(list.entries());

/** An object in the place of an array, or the reverse, would be taken for a patch. */
function replacing(before: Json, after: Json): Json {
  if (isMembers(after) && typeof before === 'object') throw notPatchable;
  return after;
}

/** Returns the new state; members that did not change stay the same objects. */
export function applyPatch<T extends object>(before: T, patch: Patch): T {
  return patched(before as unknown as Json, patch) as unknown as T;
}

function patched(before: Json, patch: Json): Json {
  if (!isMembers(patch)) return patch;
  if (Array.isArray(before)) {
    return before.map((item: Json, at) => (patch[at] === undefined ? item : patched(item, patch[at])));
  }
  if (!isMembers(before)) return patch;
  const next: Record<string, Json> = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete next[name];
    else next[name] = patched(next[name] ?? null, value);
  }
  return next;
}

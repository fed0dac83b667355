/** Errors shared by all kinds of objects, so that their messages and parameters are the same everywhere. */
import type { FieldFault } from '../contract/result.ts';
import { HubError } from './hub-error.ts';

export function notExist(what: string, id: number | string): HubError {
  return new HubError('notExist', `there is no ${what} ${id}`, { params: { what, id } });
}

export function tooMany(what: string, limit: number): HubError {
  return new HubError('tooMany', `the limit of ${limit} ${what} is reached`, {
    params: { what, limit },
  });
}

/** Maximum number of names in an error; the rest are counted. */
const namedUsers = 10;

/** The object is used by others; calls that support `force` may succeed with it. */
export function inUse(name: string, ...owners: readonly string[]): HubError {
  const users = [...new Set(owners)];
  const more = users.length > namedUsers ? ` (+${users.length - namedUsers})` : '';
  const by = `${users.slice(0, namedUsers).join(', ')}${more}`;
  return new HubError('objectBusy', `'${name}' is used by '${by}'`, { params: { what: name, by } });
}

/** A listener may not use a port that the hub itself listens on. */
export function portTaken(port: number): HubError {
  return new HubError('portOccupied', `port ${port} is used by the hub itself`, { params: { port } });
}

export function nameTaken(name: string): HubError {
  const fields: FieldFault[] = [{ path: 'name', rule: 'exists', message: 'name: already in use' }];
  return new HubError('objectExists', `'${name}' already exists`, { params: { what: name }, fields });
}

/**
 * `absent`: there is no bus, or no service of that name. `silent`: no answer within the time limit. `closed`: the bus
 * ended the connection meanwhile. `refused`: the service returned an error, whose name is in `name`. `invalidMessage`:
 * the message does not follow the specification.
 */
export type DBusFault = 'absent' | 'silent' | 'closed' | 'refused' | 'invalidMessage';

/** Why a call over D-Bus failed. */
export class DBusError extends Error {
  readonly fault: DBusFault;
  /** Of an error that a service returned, such as `org.freedesktop.DBus.Error.AccessDenied`; otherwise empty. */
  readonly errorName: string;

  constructor(fault: DBusFault, message: string, errorName = '') {
    super(message);
    this.name = 'DBusError';
    this.fault = fault;
    this.errorName = errorName;
  }
}

/** Whether a service returned this error; the name may be given without its prefix. */
export function isRefusal(error: unknown, name: string): boolean {
  return error instanceof DBusError && error.fault === 'refused' && `.${error.errorName}`.endsWith(`.${name}`);
}

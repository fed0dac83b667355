/** What calls of NetworkManager fail with, as what the hub says about it. */
import type { Bus } from './dbus/bus.ts';
import { DBusError } from './dbus/dbus-error.ts';
import { MissingPart } from './missing-part.ts';

/** A bus whose calls throw MissingPart if NetworkManager cannot be used. */
export function forNetworkManager(bus: Bus): Bus {
  const mapped = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw missingPart(error);
    }
  };
  return {
    ...bus,
    call: (...input) => mapped(bus.call(...input)),
    property: (...input) => mapped(bus.property(...input)),
    setProperty: (...input) => mapped(bus.setProperty(...input)),
  };
}

/** Other errors stay what they are. */
export function missingPart(error: unknown): unknown {
  if (!(error instanceof DBusError)) return error;
  if (error.fault === 'silent') return new MissingPart('networkManager', 'silent', error.message);
  if (/AccessDenied|PermissionDenied|NotAuthorized/.test(error.errorName)) {
    return new MissingPart('networkManager', 'refused', error.message);
  }
  if (error.fault === 'refused') return error;
  const isBus = error.errorName === '';
  return new MissingPart(isBus ? 'bus' : 'networkManager', 'absent', error.message);
}

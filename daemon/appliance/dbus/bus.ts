/**
 * The system bus. It is connected to with the first call, again after it was gone, and at once while something is
 * watched. The client is our own because the maintained packages for Node.js come without types or limits, and with
 * parsers and streams that nothing here needs.
 */
import { createEmitter } from '../../lib/emitter.ts';
import { timing } from '../../timing.ts';
import { type BusConnection, type MethodCall, openConnection } from './connection.ts';
import { DBusError } from './dbus-error.ts';
import type { Message } from './message.ts';
import { type DBusValue, plain, variant } from './wire.ts';

export type { MethodCall } from './connection.ts';

/** An object of a service. */
export interface BusObject {
  readonly destination: string;
  readonly path: string;
}

export interface Watch {
  /** Name of the service. */
  readonly service: string;
  /** Signals of objects at this path and below it. */
  readonly path: string;
}

export interface Bus {
  /** Returns the values of the answer. Throws DBusError, after `limitMs` at the latest. */
  call(call: MethodCall, limitMs?: number): Promise<readonly DBusValue[]>;
  /** The value of a property, without signatures. */
  property(object: BusObject, interfaceName: string, name: string): Promise<unknown>;
  /** Sets a property. */
  setProperty(
    object: BusObject,
    interfaceName: string,
    name: string,
    value: { signature: string; value: DBusValue },
  ): Promise<void>;
  /** Calls the listener with signals, and without one when the bus or the service has come or gone. */
  watch(what: Watch, listener: (signal: Message | undefined) => void): () => void;
  close(): void;
}

const defaultSocket = '/run/dbus/system_bus_socket';
const busName = 'org.freedesktop.DBus';
const theBus = { destination: busName, path: '/org/freedesktop/DBus', interface: busName };
const properties = 'org.freedesktop.DBus.Properties';

/** Returns the socket in a D-Bus address; others than sockets in the file system are not supported. */
export function socketOf(address: string | undefined): string {
  const [, path] = /^unix:(?:.*,)?path=([^,;]+)/.exec(address ?? '') ?? [];
  return path === undefined ? defaultSocket : decodeURIComponent(path);
}

export function createBus(path = socketOf(process.env.DBUS_SYSTEM_BUS_ADDRESS)): Bus {
  const { callMs, connectMs, reconnectMs } = timing.dbus;
  const watches = new Map<symbol, Watch>();
  const signals = createEmitter<[signal: Message | undefined, ownerOf: string | undefined]>();
  let connection: BusConnection | undefined;
  let retry: Timer | undefined;
  let isClosed = false;

  function connected(): BusConnection {
    if (isClosed) throw new DBusError('closed', 'the hub stops');
    connection ??= open();
    return connection;
  }

  function open(): BusConnection {
    clearTimeout(retry);
    const opened = openConnection({ path, limitMs: connectMs, onSignal, onClose });
    for (const watch of watches.values()) match(opened, watch);
    return opened;
  }

  function onClose(): void {
    connection = undefined;
    if (isClosed || watches.size === 0) return;
    signals.emit(undefined, undefined);
    retry = setTimeout(() => {
      if (connection !== undefined || watches.size === 0) return;
      // Calls that follow find out whether the bus is back.
      connected();
      signals.emit(undefined, undefined);
    }, reconnectMs);
  }

  function onSignal(signal: Message): void {
    const isOwner = signal.member === 'NameOwnerChanged' && signal.sender === busName;
    if (isOwner) signals.emit(undefined, String(signal.body[0]));
    else signals.emit(signal, undefined);
  }

  function match(to: BusConnection, { service, path: below }: Watch, member = 'AddMatch'): void {
    const rules = [
      `type='signal',sender='${service}',path_namespace='${below}'`,
      `type='signal',sender='${busName}',member='NameOwnerChanged',arg0='${service}'`,
    ];
    // If the connection ends meanwhile, the next one asks again.
    for (const rule of rules) to.call({ ...theBus, member, signature: 's', body: [rule] }, callMs).catch(() => {});
  }

  const call: Bus['call'] = async (asked, limitMs = callMs) => connected().call(asked, limitMs);

  return {
    call,
    async property(object, interfaceName, name) {
      const asked = { ...object, interface: properties, member: 'Get', signature: 'ss', body: [interfaceName, name] };
      return plain((await call(asked))[0]);
    },
    async setProperty(object, interfaceName, name, { signature, value }) {
      const body = [interfaceName, name, variant(signature, value)];
      await call({ ...object, interface: properties, member: 'Set', signature: 'ssv', body });
    },
    watch(what, listener) {
      const key = Symbol(what.service);
      watches.set(key, what);
      if (connection) match(connection, what);
      else if (!isClosed) connected();
      const stop = signals.on((signal, ownerOf) => {
        if (signal === undefined) {
          if (ownerOf === undefined || ownerOf === what.service) listener(undefined);
        } else if (signal.path === what.path || signal.path?.startsWith(`${what.path}/`)) listener(signal);
      });
      return () => {
        if (!watches.delete(key)) return;
        stop();
        if (connection) match(connection, what, 'RemoveMatch');
      };
    },
    close() {
      isClosed = true;
      clearTimeout(retry);
      connection?.close();
    },
  };
}

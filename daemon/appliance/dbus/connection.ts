/** One connection to a bus: authentication, calls with a time limit, and signals. */
import { connect } from 'node:net';
import { DBusError } from './dbus-error.ts';
import { decode, encode, type Message, messageTypes, sizeOf } from './message.ts';
import type { DBusValue } from './wire.ts';

/** A call of a method of an object. */
export interface MethodCall {
  /** Name of the service. */
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly DBusValue[];
  /** Whether the bus may start the service; by default it may not. */
  readonly autoStarts?: boolean;
}

export interface BusConnection {
  /** Returns the values of the answer. */
  call(call: MethodCall, limitMs: number): Promise<readonly DBusValue[]>;
  close(): void;
}

interface ConnectionOptions {
  /** The socket of the bus. */
  readonly path: string;
  /** To connect and authenticate. */
  readonly limitMs: number;
  readonly onSignal: (message: Message) => void;
  /** Called once, also if the connection was never open. */
  readonly onClose: (error: DBusError) => void;
}

interface Pending {
  readonly resolve: (body: readonly DBusValue[]) => void;
  readonly reject: (error: DBusError) => void;
  readonly timer: Timer;
}

const maxPending = 64;
const maxAuthBytes = 1024;
/** Errors of the bus itself: no process owns the name. */
const absentErrors = /\.(ServiceUnknown|NameHasNoOwner|Spawn\.[A-Za-z]+)$/;

/** Opens a connection. Calls wait until it is open. */
export function openConnection({ path, limitMs, onSignal, onClose }: ConnectionOptions): BusConnection {
  const pending = new Map<number, Pending>();
  /** Encoded calls that wait for the authentication. */
  let waiting: Buffer[] = [];
  let isOpen = false;
  let ended: DBusError | undefined;
  let received: Buffer = Buffer.alloc(0);
  let lastSerial = 0;
  const socket = connect({ path });
  const limit = setTimeout(() => end(new DBusError('silent', 'the bus does not answer')), limitMs);

  function end(error: DBusError): void {
    if (ended) return;
    ended = error;
    clearTimeout(limit);
    socket.destroy();
    waiting = [];
    for (const { reject, timer } of pending.values()) {
      clearTimeout(timer);
      reject(error);
    }
    pending.clear();
    onClose(error);
  }

  function authenticate(): boolean {
    const line = received.indexOf('\r\n');
    if (line < 0) {
      if (received.length > maxAuthBytes) throw new DBusError('invalidMessage', 'this is not a bus');
      return false;
    }
    const answer = received.toString('latin1', 0, line);
    if (!answer.startsWith('OK ')) throw new DBusError('absent', `the bus refuses this user: ${answer.slice(0, 80)}`);
    received = received.subarray(line + 2);
    clearTimeout(limit);
    isOpen = true;
    socket.write('BEGIN\r\n');
    for (const bytes of waiting.splice(0)) socket.write(bytes);
    return true;
  }

  function readAll(): void {
    if (!isOpen && !authenticate()) return;
    for (let size = sizeOf(received); size !== undefined && received.length >= size; size = sizeOf(received)) {
      const message = decode(received.subarray(0, size));
      received = received.subarray(size);
      if (message.type === messageTypes.signal) onSignal(message);
      else settle(message);
    }
  }

  function settle({ type, replySerial, body, errorName = '' }: Message): void {
    const call = replySerial === undefined ? undefined : pending.get(replySerial);
    if (replySerial === undefined || call === undefined) return;
    pending.delete(replySerial);
    clearTimeout(call.timer);
    if (type === messageTypes.return) call.resolve(body);
    else call.reject(refusal(errorName, body[0]));
  }

  socket.on('connect', () => {
    const uid = String(process.getuid?.() ?? 0);
    socket.write(`\0AUTH EXTERNAL ${Buffer.from(uid).toString('hex')}\r\n`);
    // Before any other call, the bus gives the connection its name.
    const bus = 'org.freedesktop.DBus';
    const hello = { destination: bus, path: '/org/freedesktop/DBus', interface: bus, member: 'Hello' };
    lastSerial += 1;
    waiting.unshift(encode({ ...hello, type: messageTypes.call, serial: lastSerial, body: [] }));
  });
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    try {
      readAll();
    } catch (error) {
      end(error instanceof DBusError ? error : new DBusError('invalidMessage', String(error)));
    }
  });
  socket.on('error', (error) => end(new DBusError(isOpen ? 'closed' : 'absent', `the bus: ${error.message}`)));
  socket.on('close', () => end(new DBusError(isOpen ? 'closed' : 'absent', 'the bus ended the connection')));

  return {
    call(call, callLimitMs) {
      if (ended) return Promise.reject(ended);
      if (pending.size >= maxPending) return Promise.reject(new DBusError('silent', 'too many calls wait for answers'));
      lastSerial += 1;
      const serial = lastSerial;
      const { signature = '', body = [], ...rest } = call;
      const bytes = encode({ ...rest, type: messageTypes.call, serial, signature, body });
      const { promise, resolve, reject } = Promise.withResolvers<readonly DBusValue[]>();
      const timer = setTimeout(() => {
        pending.delete(serial);
        reject(new DBusError('silent', `${call.destination} does not answer to ${call.member}`));
      }, callLimitMs);
      pending.set(serial, { resolve, reject, timer });
      if (isOpen) socket.write(bytes);
      else waiting.push(bytes);
      return promise;
    },
    close: () => end(new DBusError('closed', 'the connection was closed')),
  };
}

function refusal(errorName: string, text: DBusValue | undefined): DBusError {
  const message = `${errorName}: ${typeof text === 'string' ? text : ''}`;
  if (absentErrors.test(errorName)) return new DBusError('absent', message, errorName);
  return new DBusError('refused', message, errorName);
}

/** One attempt to send a mail by SMTP. Every step has a timeout, and so has the whole; errors hold no credentials. */
import { isIP, connect as openSocket, type Socket } from 'node:net';
import { connect as openTls, type TLSSocket } from 'node:tls';
import type { MailAttempt, mailReasons } from '../../contract/alarms.ts';
import type { MailEncryption } from '../../contract/settings-fields.ts';
import { type Outgoing, OutgoingError } from '../../lib/outgoing.ts';

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

export interface MailDeps {
  readonly outgoing: Pick<Outgoing, 'choose'>;
  readonly times: { readonly stepMs: number; readonly sendMs: number };
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

export interface MailServer {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  readonly encryption: MailEncryption;
  /** Empty: the hub does not sign in. */
  readonly user: string;
  /** In clear. */
  readonly password: string;
  readonly from: string;
  readonly to: readonly string[];
}
type Reason = (typeof mailReasons)[number];

/** Carries the reason of a step that this file does itself. */
class StepError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

export async function sendMail(server: MailServer, mail: Mail, deps: MailDeps): Promise<MailAttempt> {
  const ended = AbortSignal.any([deps.signal, AbortSignal.timeout(deps.times.sendMs)]);
  let socket: Socket | undefined;
  const end = () => socket?.destroy();
  ended.addEventListener('abort', end);
  try {
    const { host, port } = server;
    const address = await deps.outgoing.choose({ host, port });
    socket = await connected(openSocket({ host: address, port }), 'connect', deps.times.stepMs);
    if (server.encryption === 'tls' && !ended.aborted) {
      socket = await connected(openTls({ socket, ...servername(host) }), 'secureConnect', deps.times.stepMs);
    }
    if (ended.aborted) throw new StepError('timeout');
    // A transport that gets a socket which is closed already would wait for its own timeout.
    const cut = new Promise<never>((_, reject) => {
      ended.addEventListener('abort', () => reject(new StepError('timeout')), { once: true });
    });
    return await Promise.race([submit(server, mail, socket, deps.times.stepMs), cut]);
  } catch (error) {
    if (ended.aborted) return { ok: false, code: 0, reason: 'timeout' };
    return faultOf(error, server.to);
  } finally {
    ended.removeEventListener('abort', end);
    end();
  }
}

/** The name in the certificate, for a connection to an address that was looked up. */
function servername(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** Returns the socket once it emits `event`. */
async function connected<S extends Socket | TLSSocket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  stepMs: number,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const isTls = event === 'secureConnect';
  const fail = (error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    reject(new StepError(isTls ? 'tlsFailed' : code === 'ECONNREFUSED' ? 'refused' : 'unreachable'));
  };
  const timer = setTimeout(() => reject(new StepError('timeout')), stepMs);
  // This one stays: an error after this step must not end the hub.
  socket
    .on('error', () => {})
    .once(event, () => resolve())
    .once('error', fail)
    .once('close', fail);
  try {
    await promise;
    socket.off('error', fail).off('close', fail);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function submit(server: MailServer, mail: Mail, socket: Socket, stepMs: number): Promise<MailAttempt> {
  const { host, port, encryption, user, password, from, to } = server;
  // Loaded with the first mail: most hubs send none.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...{ host, port, secure: encryption === 'tls', connection: socket, secured: encryption === 'tls' },
    ...{ requireTLS: encryption === 'starttls', ignoreTLS: encryption === 'none', tls: servername(host) },
    ...(user !== '' && { auth: { user, pass: password } }),
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const sender = { name: 'Signalbox', address: from };
  const { rejected } = await transport.sendMail({ ...mail, from: sender, to: [...to], headers: headers() });
  return rejected.length === 0
    ? { ok: true, code: 0 }
    : { ok: false, code: 0, reason: 'recipientRefused', refused: rejected.map(String) };
}

/** Keeps out-of-office replies away. */
function headers(): Record<string, string> {
  return { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
}

function faultOf(error: unknown, to: readonly string[]): MailAttempt {
  if (error instanceof StepError) return { ok: false, code: 0, reason: error.reason };
  if (error instanceof OutgoingError) {
    return { ok: false, code: 0, reason: error.fault === 'notAllowed' ? 'addressNotAllowed' : 'dnsFailed' };
  }
  const { code = '', originalCode = '', responseCode = 0, command = '' } = error as Partial<SmtpError>;
  const reason = reasonOf(`${code} ${originalCode}`, command);
  return { ok: false, code: responseCode, reason, ...(reason === 'recipientRefused' && { refused: [...to] }) };
}

interface SmtpError {
  readonly code: string;
  /** Of the socket. */
  readonly originalCode: string;
  readonly responseCode: number;
  readonly command: string;
}

function reasonOf(codes: string, command: string): Reason {
  if (/EAUTH|ENOAUTH/.test(codes)) return 'authRefused';
  if (/ETIMEDOUT/.test(codes)) return 'timeout';
  if (command === 'MAIL FROM') return 'senderRefused';
  if (command === 'RCPT TO') return 'recipientRefused';
  if (command === 'STARTTLS' || /CERT|SIGNATURE|TLS|SSL|HOSTNAME|EPROTO\b/i.test(codes)) return 'tlsFailed';
  return 'notAccepted';
}

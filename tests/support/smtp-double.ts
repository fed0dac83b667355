/** A double of a mail server: speaks SMTP with STARTTLS, TLS and AUTH PLAIN, and keeps the mails that it accepts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** Whether the sender signed in. */
  readonly isSignedIn: boolean;
  /** As it was sent. */
  readonly data: string;
}

export interface SmtpDoubleOptions {
  readonly tls: 'none' | 'starttls' | 'tls';
  /** If given, mails are accepted only after this sign-in. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Recipients that are refused. */
  readonly refuses?: readonly string[];
  /** Never answers. */
  readonly isSilent?: boolean;
}

export interface SmtpDouble {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Answers to the next mails instead of accepting them. */
  readonly answers: string[];
  /** Number of connections so far. */
  readonly connections: () => number;
  close(): void;
}

/** A certificate for `localhost` that signs itself. `file` is for NODE_EXTRA_CA_CERTS; `remove` deletes it. */
export function makeTestCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-smtp-'));
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', keyFile, '-out', file], { stdio: 'ignore' });
  return {
    ...{ file, key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8') },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export type TestCertificate = Pick<ReturnType<typeof makeTestCertificate>, 'key' | 'cert'>;

export async function startSmtpDouble(options: SmtpDoubleOptions, certificate?: TestCertificate): Promise<SmtpDouble> {
  const mails: ReceivedMail[] = [];
  const answers: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const take = (socket: Socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => {}));
    if (options.isSilent !== true) serve(socket, { options, certificate, mails, answers });
  };
  const server = options.tls === 'tls' ? createTlsServer({ ...certificate }, take) : createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    ...{ port: typeof address === 'object' && address !== null ? address.port : 0, mails, answers },
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

interface Session {
  readonly options: SmtpDoubleOptions;
  readonly certificate: TestCertificate | undefined;
  readonly mails: ReceivedMail[];
  readonly answers: string[];
}

function serve(first: Socket, { options, certificate, mails, answers }: Session): void {
  const { login, refuses = [], tls } = options;
  let socket = first;
  let isSecure = tls === 'tls';
  let isSignedIn = false;
  let text = '';
  let [from, to]: [string, string[]] = ['', []];
  let data: string | undefined;
  const say = (line: string) => void socket.write(`${line}\r\n`);
  const address = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? '';

  const commands: Readonly<Record<string, (line: string) => void>> = {
    EHLO() {
      const offers = [tls === 'starttls' && !isSecure && 'STARTTLS', login && 'AUTH PLAIN', '8BITMIME'].filter(Boolean);
      for (const [index, offer] of offers.entries()) say(`250${index === offers.length - 1 ? ' ' : '-'}${offer}`);
    },
    STARTTLS() {
      say('220 go ahead');
      first.removeAllListeners('data');
      socket = new TLSSocket(first, { isServer: true, ...certificate });
      isSecure = true;
      socket.on('error', () => {}).on('data', read);
    },
    AUTH(line) {
      const [, user, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0');
      isSignedIn = user === login?.user && password === login?.password;
      say(isSignedIn ? '235 welcome' : '535 5.7.8 wrong user or password');
    },
    MAIL(line) {
      [from, to] = [address(line), []];
      say(login && !isSignedIn ? '530 sign in first' : '250 fine');
    },
    RCPT(line) {
      const one = address(line);
      if (refuses.includes(one)) return say('550 5.1.1 no such mailbox');
      to.push(one);
      say('250 fine');
    },
    DATA() {
      data = '';
      say('354 go on');
    },
    QUIT() {
      say('221 bye');
      socket.end();
    },
  };

  const onLine = (line: string) => {
    if (data === undefined) {
      const command = commands[line.split(' ')[0]?.toUpperCase() ?? ''];
      return command === undefined ? say('500 unknown') : command(line);
    }
    if (line !== '.') {
      data += `${line.startsWith('.') ? line.slice(1) : line}\r\n`;
      return;
    }
    const answer = answers.shift() ?? '250 taken';
    if (answer.startsWith('2')) mails.push({ from, to, isSecure, isSignedIn, data });
    data = undefined;
    say(answer);
  };
  function read(chunk: Buffer): void {
    text += chunk.toString();
    for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      onLine(line);
    }
  }
  socket.on('data', read);
  say('220 double.example ESMTP');
}

/** The processes of one measurement: origin, baselines, hub, device, and a line between them. */

import { randomFillSync } from 'node:crypto';
import { chmodSync, closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '../../../daemon/http/make-certificate.ts';
import { leasePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { type Child, startTalkingChild } from '../child.ts';
import { openNginx, rtmpBlock } from '../subjects/nginx-rtmp.ts';
import { makeTempFolder } from '../temp-folder.ts';

const here = import.meta.dir;
const readyMs = 20_000;

/** A program of this folder that prints JSON. */
export interface Program<Printed extends object> {
  readonly child: Child;
  readonly pid: number;
  /** All lines together; later ones replace fields of earlier ones. */
  readonly printed: Partial<Printed>;
  readonly lines: readonly Partial<Printed>[];
  say(line: string): void;
}

export function startProgram<Printed extends object>(
  name: string,
  args: readonly (string | number)[],
): Program<Printed> {
  const printed: Partial<Printed> = {};
  const lines: Partial<Printed>[] = [];
  const argv = [process.execPath, join(here, `${name}.ts`), ...args.map(String)];
  const { child, say } = startTalkingChild(name, argv, (text) => {
    const line = JSON.parse(text) as Partial<Printed>;
    lines.push(line);
    Object.assign(printed, line);
  });
  return { child, pid: child.pid, printed, lines, say };
}

/** Resolves with a field that the program prints. */
export async function printedBy<Printed extends object, Name extends keyof Printed>(
  program: Program<Printed>,
  name: Name,
): Promise<NonNullable<Printed[Name]>> {
  await until(() => program.printed[name] !== undefined, readyMs, `${program.child.name} prints ${String(name)}`);
  return program.printed[name] as NonNullable<Printed[Name]>;
}

export const largeBytes = 200_000_000;
export const smallBytes = 1024;

/** nginx on the device with a large and a small file, and another one as a reverse proxy. */
export async function startOrigin() {
  const root = makeTempFolder('link-origin');
  // Its worker runs as another user when root starts nginx.
  chmodSync(root, 0o755);
  for (const [name, bytes] of [
    ['large.bin', largeBytes],
    ['small.bin', smallBytes],
  ] as const) {
    writeRandom(join(root, name), bytes);
  }
  const [port, proxyPort] = [leasePort(), leasePort()];
  const http = (server: string, more = '') =>
    `${rtmpBlock(leasePort(), '')}http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; ${more} ${server} }\n`;
  const origin = await openNginx(
    makeTempFolder('nginx'),
    port,
    http(`server { listen 127.0.0.1:${port}; root ${root}; }`),
  );
  const upstream = `upstream origin { server 127.0.0.1:${port}; keepalive 128; keepalive_requests 100000000; }`;
  const pass = 'proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";';
  const proxy = await openNginx(
    makeTempFolder('nginx'),
    proxyPort,
    http(`server { listen 127.0.0.1:${proxyPort}; location / { ${pass} } }`, upstream),
  );
  return { root, port, proxyPort, proxyPids: () => Object.values(proxy.processes()).flat(), origin, proxy };
}
export type Origin = Awaited<ReturnType<typeof startOrigin>>;

function writeRandom(path: string, bytes: number): void {
  const block = Buffer.allocUnsafe(Math.min(bytes, 1_000_000));
  const out = openSync(path, 'w', 0o644);
  for (let at = 0; at < bytes; at += block.length) writeSync(out, randomFillSync(block));
  closeSync(out);
}

interface HubPrints {
  readonly link: number;
  readonly forward: number;
  /** The same to a device that the hub reaches without a link. */
  readonly direct: number;
  /** The two ways to the port that gives and takes bytes. */
  readonly copies: number;
  readonly directCopies: number;
  readonly proxy: number;
  readonly sockets: number;
  readonly isDown: boolean;
}

export interface LinkRigOptions {
  readonly target: number;
  readonly socketsTarget?: number;
  readonly copiesTarget?: number;
  readonly isTls?: boolean;
  /** Between device and hub. */
  readonly line?: { readonly rttMs: number; readonly bytesPerMs: number };
  readonly control?: 'unlimited' | 'paused';
}

/** A hub and a device with a link. */
export async function startLinkRig({
  target,
  socketsTarget = 0,
  copiesTarget = 0,
  isTls = false,
  line,
  control,
}: LinkRigOptions) {
  const files = isTls ? await certificateFiles() : [];
  const hub =
    control === undefined
      ? startProgram<HubPrints>('hub', [target, socketsTarget, copiesTarget, ...files])
      : startProgram<HubPrints>('control-hub', [control, target]);
  const link = await printedBy(hub, 'link');
  const wan = line && startProgram<{ port: number }>('wan', [link, line.rttMs, line.bytesPerMs]);
  const port = wan === undefined ? link : await printedBy(wan, 'port');
  const device = startProgram<{ name: string }>('device', [`${isTls ? 'wss' : 'ws'}://127.0.0.1:${port}/link`]);
  const forward = await printedBy(hub, 'forward');
  return {
    hub,
    device,
    wan,
    forward,
    direct: hub.printed.direct ?? 0,
    copies: hub.printed.copies ?? 0,
    directCopies: hub.printed.directCopies ?? 0,
    proxy: hub.printed.proxy ?? 0,
    sockets: hub.printed.sockets ?? 0,
    async stop() {
      await Promise.all([hub, device, wan].map((each) => each?.child.kill()));
    },
  };
}
export type LinkRig = Awaited<ReturnType<typeof startLinkRig>>;

export async function certificateFiles(): Promise<[string, string]> {
  const folder = makeTempFolder('link-tls');
  const files = { cert: join(folder, 'hub.crt'), key: join(folder, 'hub.key') };
  const made = await makeCertificate({ commonName: 'hub', required: ['hub.local'], further: [] });
  if ('reason' in made) throw new Error(made.message);
  writeFileSync(files.cert, made.cert);
  writeFileSync(files.key, made.key);
  return [files.cert, files.key];
}

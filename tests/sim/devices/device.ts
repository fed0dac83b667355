/** What all simulated devices with sessions of cookies have in common. */
import { createHash, randomBytes } from 'node:crypto';
import type { Credentials } from '../../../daemon/devices/driver.ts';
import { cutOff, type Faults, spoiled, untilGivenUp } from './faults.ts';
import { type FirmwareFault, SimulatedFirmware } from './firmware.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface DeviceOptions {
  readonly sn: string;
  readonly name: string;
  readonly credentials?: Credentials;
  /** IP address that it states; default: the recorded one. */
  readonly address?: string;
  /** Milliseconds without answers after a reboot, and after a rename of a device that has that. */
  readonly rebootMs?: number;
  readonly renameMs?: number;
  /** Milliseconds that it takes to write new firmware. */
  readonly writeMs?: number;
}

export const factoryCredentials: Credentials = { user: 'Admin', password: 'Admin' };
const keptCalls = 200;
const maxSessions = 64;

export abstract class SimulatedDevice {
  readonly sn: string;
  credentials: Credentials;
  name: string;
  protected readonly address: string | undefined;
  faults: Faults = {};
  /** Whether there is a signal at the input, or from the source. */
  hasSignal = true;
  readonly firmware: SimulatedFirmware;
  /** Percent of a firmware update that somebody else began; undefined: there is none. */
  updatePercent: number | undefined;
  /** The last 200 methods that were called. */
  readonly calls: string[] = [];
  protected readonly rebootMs: number;
  protected readonly renameMs: number;
  private readonly sessions = new Set<string>();
  private bootedAt = Date.now() - 7_215_000;
  private silentUntil = 0;

  constructor(options: DeviceOptions & { readonly firmwareVersion: string; readonly restartsItself: boolean }) {
    const { sn, name, credentials = factoryCredentials, rebootMs = 60_000, renameMs = 15_000 } = options;
    this.sn = sn;
    this.address = options.address;
    this.name = name;
    this.credentials = credentials;
    this.rebootMs = rebootMs;
    this.renameMs = renameMs;
    const { firmwareVersion, restartsItself, writeMs = 20_000 } = options;
    this.firmware = new SimulatedFirmware(firmwareVersion, {
      sn,
      restartsItself,
      writeMs,
      restart: () => this.reboot(),
    });
  }

  /** Path of the API; of APIs with one path per call, their beginning. */
  protected abstract readonly path: string;
  protected abstract readonly resultField: 'status' | 'result';
  protected abstract readonly codes: { readonly signedOut: number; readonly wrongPassword: number };
  /** Takes firmware. */
  protected abstract readonly uploadMethod: string;
  protected abstract readonly firmwareCodes: Readonly<Record<FirmwareFault, number>>;
  /** Fields of the answer, or its result code. */
  protected abstract answer(method: string, params: URLSearchParams): Json | number;

  /** Whether each call has a path of its own, with the method in it instead of in the query. */
  protected readonly hasPathPerCall: boolean = false;
  protected readonly loginMethod: string = 'login';

  async handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const isCall = this.hasPathPerCall && pathname.startsWith(`${this.path}/`);
    const method = isCall ? pathname.slice(this.path.length + 1) : (searchParams.get('method') ?? pathname);
    this.calls.push(method);
    if (this.calls.length > keptCalls) this.calls.shift();
    const { isSilent, delayMs, unanswered, lost } = this.faults;
    if (isSilent || lost?.includes(method) || Date.now() < this.silentUntil) return untilGivenUp(request);
    if (delayMs !== undefined) await Bun.sleep(delayMs);
    const response = await this.respond(pathname, method, searchParams, request);
    return unanswered?.includes(method) ? untilGivenUp(request) : response;
  }

  expireSessions(): void {
    this.sessions.clear();
  }

  get uptimeSeconds(): number {
    return Math.max(0, Math.floor((Date.now() - this.bootedAt) / 1000));
  }

  /** Ends the silence after a reboot or a rename early. */
  answerAgain(): void {
    this.silentUntil = 0;
  }

  /** Ends the publishers of the device. */
  async close(): Promise<void> {}

  protected file(_path: string): Response | undefined {
    return undefined;
  }

  /** HTTP status with which the device refuses the method of this request; 200: it does not. */
  protected statusOf(_request: Request, _method: string): number {
    return 200;
  }

  /** Result code of a login: 0 for the right user name and password. */
  protected codeOfLogin(params: URLSearchParams): number {
    const { user, password } = this.credentials;
    const digest = createHash('md5').update(password).digest('hex');
    return params.get('id') === user && params.get('pass') === digest ? 0 : this.codes.wrongPassword;
  }

  protected get cookieName(): string {
    return 'sid';
  }

  protected reboot(): void {
    this.beSilent(this.rebootMs);
    this.firmware.restarted();
    this.sessions.clear();
    this.bootedAt = Date.now() + this.rebootMs;
  }

  /** From the next request on. */
  protected beSilent(forMs: number): void {
    this.silentUntil = Date.now() + forMs;
  }

  private async respond(pathname: string, method: string, params: URLSearchParams, request: Request) {
    const file = this.file(pathname);
    if (file !== undefined) return this.isSignedIn(request) ? file : new Response(null, { status: 401 });
    const isKnown = pathname === (this.hasPathPerCall ? `${this.path}/${method}` : this.path);
    const status = isKnown ? this.statusOf(request, method) : 404;
    if (status !== 200) return new Response(null, { status });
    for (const [name, value] of await bodyFields(request)) params.set(name, value);
    const code = this.faults.codes?.[method];
    if (code !== undefined) return this.spoil(code);
    if (method === 'ping') return this.spoil(0);
    if (method === this.loginMethod) return this.signIn(params);
    if (!this.isSignedIn(request)) return this.spoil(this.codes.signedOut);
    if (method === 'logout') {
      this.sessions.delete(this.sessionOf(request));
      return this.spoil(0);
    }
    if (method === this.uploadMethod) return await this.takeFirmware(request);
    return this.spoil(this.answer(method, params));
  }

  private async takeFirmware(request: Request): Promise<Response> {
    const fault = await this.firmware.receive(request);
    if (fault === 'drop') return cutOff();
    return await this.spoil(fault === undefined ? 0 : this.firmwareCodes[fault]);
  }

  /** Result code with which it begins to write; 0: it does. */
  protected beginUpdate(): number {
    const fault = this.firmware.begin();
    return fault === undefined ? 0 : this.firmwareCodes[fault];
  }

  private spoil(answer: Json | number): Promise<Response> {
    const json = typeof answer === 'number' ? { [this.resultField]: answer } : { [this.resultField]: 0, ...answer };
    return spoiled(this.faults, json);
  }

  private async signIn(params: URLSearchParams): Promise<Response> {
    const code = this.codeOfLogin(params);
    if (code !== 0) return this.spoil(code);
    const sid = randomBytes(16).toString('hex');
    if (this.sessions.size >= maxSessions) this.sessions.clear();
    if (!this.faults.forgetsSessions) this.sessions.add(sid);
    const response = await this.spoil(0);
    response.headers.append('set-cookie', 'lang=en; Path=/');
    response.headers.append('set-cookie', `${this.cookieName}=${sid}; Path=/; HttpOnly`);
    return response;
  }

  private isSignedIn(request: Request): boolean {
    return this.sessions.has(this.sessionOf(request));
  }

  private sessionOf(request: Request): string {
    const cookies = (request.headers.get('cookie') ?? '').split(/;\s*/);
    const own = `${this.cookieName}=`;
    return cookies.find((cookie) => cookie.startsWith(own))?.slice(own.length) ?? '';
  }
}

/** The fields of a JSON body as text, those that are objects as JSON. */
async function bodyFields(request: Request): Promise<[string, string][]> {
  if (request.headers.get('content-type') !== 'application/json') return [];
  const fields = (await request.json()) as Json;
  return Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  ]);
}

/**
 * The session of the two APIs whose calls are GET requests of one path, with method and parameters in the query, a
 * result code in the JSON answer, and a cookie after the login. User name and digest of the password are in the query
 * of the login: no URL of a request may get into an error or a log.
 */
import { createHash } from 'node:crypto';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import { Answer } from './answer.ts';
import type { Credentials, DeviceResponse, Transport } from './driver.ts';
import { DeviceProblem } from './problem.ts';

export interface QueryApi {
  /** Without query. */
  readonly path: string;
  /** Field of the result code; some calls answer with the field of the other API. */
  readonly resultField: 'status' | 'result';
  isDone(code: number): boolean;
  /** The session has ended, or there is none. */
  isSignedOut(code: number): boolean;
  wordOf(code: number): DeviceProblemWord;
  /** In English words. */
  textOf(code: number): string;
}

export interface QueryTimes {
  /** A call is answered within this time. */
  readonly answerMs: number;
  /** A call that changes something is answered within this time. */
  readonly actMs: number;
}

export type QueryParams = Readonly<Record<string, string | number>>;

export const maxJsonBytes = 256 * 1024;
const maxCookies = 16;
const maxCookieLength = 4096;
/** Answer of a device that requires a login for a call, by HTTP status instead of a code. */
const unauthorized = 401;

/** Calls a method without a session, such as `ping`. Returns its result code; undefined if the answer has none. */
export async function askWithoutSession(
  api: QueryApi,
  transport: Transport,
  method: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const { timeoutMs, signal } = options;
  const request = { path: pathOf(api, method, {}), timeoutMs, maxBytes: maxJsonBytes };
  const { status, body } = await transport.request(request, signal);
  return status === 200 ? Answer.parse(body)?.number(api.resultField) : undefined;
}

export class QuerySession {
  private readonly api: QueryApi;
  private readonly transport: Transport;
  private readonly credentials: Credentials;
  private readonly times: QueryTimes;
  private readonly cookies = new Map<string, string>();
  private isSignedIn = false;
  /** The device refused the password: it is not asked again, because it might lock the user out. */
  private refusal: DeviceProblem | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(api: QueryApi, transport: Transport, credentials: Credentials, times: QueryTimes) {
    this.api = api;
    this.transport = transport;
    this.credentials = credentials;
    this.times = times;
  }

  /** Calls a method that changes nothing. Returns the answer if its code means success. */
  read(method: string, signal: AbortSignal, params: QueryParams = {}): Promise<Answer> {
    return this.inTurn(() => this.call(method, params, this.times.answerMs, signal));
  }

  /**
   * Calls a method that changes something, once. If its answer does not arrive, `isDone` reads from the device whether
   * it did it; the call rejects if it did not.
   */
  async write(method: string, params: QueryParams, signal: AbortSignal, isDone: () => Promise<boolean>): Promise<void> {
    try {
      await this.inTurn(() => this.call(method, params, this.times.actMs, signal));
    } catch (error) {
      if (!isUnanswered(error) || !(await isDone().catch(() => false))) throw error;
    }
  }

  /** Returns a file of the device, such as a picture. */
  file(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const fetchFile = () => this.send(path, { timeoutMs: this.times.answerMs, maxBytes }, signal);
    return this.inTurn(async () => {
      if (!this.isSignedIn) await this.signIn(signal);
      let response = await fetchFile();
      if (response.status === unauthorized) {
        await this.signIn(signal);
        response = await fetchFile();
      }
      if (response.status !== 200)
        throw new DeviceProblem('invalidAnswer', `HTTP status ${response.status} for a file`);
      return response.body;
    });
  }

  async close(): Promise<void> {
    await this.inTurn(async () => {
      if (!this.isSignedIn) return;
      this.isSignedIn = false;
      const request = { timeoutMs: this.times.answerMs, maxBytes: maxJsonBytes };
      await this.send(pathOf(this.api, 'logout', {}), request, new AbortController().signal);
    }).catch(() => {});
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  private async call(method: string, params: QueryParams, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    if (this.refusal !== undefined) throw this.refusal;
    const wasSignedIn = this.isSignedIn;
    if (!wasSignedIn) await this.signIn(signal);
    let { code, answer } = await this.ask(method, params, timeoutMs, signal);
    if (wasSignedIn && this.isSignedOut(code)) {
      await this.signIn(signal);
      ({ code, answer } = await this.ask(method, params, timeoutMs, signal));
    }
    if (answer !== undefined && this.api.isDone(code)) return answer;
    if (this.isSignedOut(code)) {
      this.isSignedIn = false;
      throw new DeviceProblem('refused', `${method}: the device does not keep the session`, code);
    }
    throw new DeviceProblem(this.api.wordOf(code), `${method}: ${this.api.textOf(code)}`, code);
  }

  private async signIn(signal: AbortSignal): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.isSignedIn = false;
    this.cookies.clear();
    const { user, password } = this.credentials;
    const params = { id: user, pass: createHash('md5').update(password).digest('hex') };
    const { code } = await this.ask('login', params, this.times.answerMs, signal);
    if (this.api.isDone(code)) {
      this.isSignedIn = true;
      return;
    }
    const word = this.isSignedOut(code) ? 'wrongPassword' : this.api.wordOf(code);
    const problem = new DeviceProblem(word, `login: ${this.api.textOf(code)}`, code);
    if (word === 'wrongPassword') this.refusal = problem;
    throw problem;
  }

  private isSignedOut(code: number): boolean {
    return code === unauthorized || this.api.isSignedOut(code);
  }

  /** `answer` is absent if the device refused with HTTP status 401, which is the code then. */
  private async ask(
    method: string,
    params: QueryParams,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly answer?: Answer }> {
    const { status, body } = await this.send(
      pathOf(this.api, method, params),
      { timeoutMs, maxBytes: maxJsonBytes },
      signal,
    );
    if (status === unauthorized) return { code: unauthorized };
    if (status === 403) throw new DeviceProblem('noPermission', `${method}: HTTP status 403`);
    if (status !== 200) throw new DeviceProblem('invalidAnswer', `${method}: HTTP status ${status}`);
    const answer = Answer.parse(body);
    if (answer === undefined) throw new DeviceProblem('invalidAnswer', `${method}: the answer is not a JSON object`);
    const code = answer.number(this.api.resultField) ?? answer.number('status') ?? answer.number('result');
    if (code === undefined) throw new DeviceProblem('invalidAnswer', `${method}: the answer has no result code`);
    return { code, answer };
  }

  private async send(
    path: string,
    limits: { readonly timeoutMs: number; readonly maxBytes: number },
    signal: AbortSignal,
  ): Promise<DeviceResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: '*/*', ...(cookie !== '' && { cookie }) };
    const response = await this.transport.request({ path, headers, ...limits }, signal);
    for (const line of response.headers.getSetCookie()) this.keepCookie(line);
    return response;
  }

  private keepCookie(line: string): void {
    const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(line.slice(0, maxCookieLength)) ?? [];
    if (name === undefined || value === undefined) return;
    if (value === '' || /;\s*max-age=0*(;|$)/i.test(line)) this.cookies.delete(name);
    else if (this.cookies.has(name) || this.cookies.size < maxCookies) this.cookies.set(name, value.trim());
  }
}

/** Whether the device may have done what it was asked to, although it did not say so. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof DeviceProblem && (error.word === 'timeout' || error.word === 'invalidAnswer');
}

function pathOf({ path }: QueryApi, method: string, params: QueryParams): string {
  const query = Object.entries({ method, ...params }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${path}?${query.join('&')}`;
}

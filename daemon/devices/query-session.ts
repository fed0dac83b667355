/**
 * The session of the APIs with a result code in each JSON answer and a cookie after the login. User name and digest of
 * the password may be in the query of the login: no URL of a request may get into an error or a log.
 */
import { createHash } from 'node:crypto';
import type { ActionFault } from '../contract/device-actions.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import { Answer } from './answer.ts';
import type { Credentials, DeviceRequest, DeviceResponse, DeviceUpload, Transport } from './driver.ts';
import { DeviceProblem } from './problem.ts';

export interface QueryApi {
  /** Without query. */
  readonly path: string;
  /** How calls are written; default: as `queryForm` does. */
  readonly form?: CallForm;
  /** Field of the result code; some calls answer with the field of the other API. */
  readonly resultField: 'status' | 'result';
  isDone(code: number): boolean;
  /** The session has ended, or there is none. */
  isSignedOut(code: number): boolean;
  /** Further codes of a login with the wrong user name or password. */
  readonly wrongLogin?: readonly number[];
  wordOf(code: number): DeviceProblemWord;
  /** In English words. */
  textOf(code: number): string;
  /** What a code says of the action that this method is; undefined if no more than the others. */
  faultOf?(method: string, code: number): ActionFault | undefined;
}

export interface QueryTimes {
  /** A call is answered within this time. */
  readonly answerMs: number;
  /** A call that changes something is answered within this time. */
  readonly actMs: number;
}

export interface QueryParams {
  readonly [name: string]: string | number | boolean | QueryParams;
}

type CallRequest = Pick<DeviceRequest, 'method' | 'path' | 'headers' | 'body'>;

export interface CallForm {
  /** `path` is the one of the API. */
  request(path: string, method: string, params: QueryParams, isWrite: boolean): CallRequest;
  login(credentials: Credentials): { readonly method: string; readonly params: QueryParams };
  /** Undefined: the call is not known. */
  readonly logout: string | undefined;
  /** Whether products exist that take also their reads as POST requests. */
  readonly mayPostReads: boolean;
  /** Whether each call has a path of its own, which some firmware lacks. */
  readonly hasPathPerCall: boolean;
}

/** GET requests of one path, with method and parameters in the query; of the password, its MD5. */
const queryForm: CallForm = {
  request(path, method, params) {
    const fields = Object.entries({ method, ...params });
    const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(`${value}`)}`);
    return { path: `${path}?${query.join('&')}` };
  },
  login: ({ user, password }) => ({ method: 'login', params: { id: user, pass: digestOf('md5', password) } }),
  logout: 'logout',
  mayPostReads: false,
  hasPathPerCall: false,
};

const json = { 'content-type': 'application/json' };

/** One path per call, such as `/api/system/summary`; writes are POST requests with JSON; of the password, its SHA-256. */
export const pathForm: CallForm = {
  request(path, method, params, isWrite) {
    const request = { path: `${path}/${method}` };
    if (isWrite) return { ...request, method: 'POST', headers: json, body: JSON.stringify(params) };
    const query = Object.entries(params).map(([name, value]) => `${name}=${encodeURIComponent(`${value}`)}`);
    return query.length === 0 ? request : { path: `${request.path}?${query.join('&')}` };
  },
  login: ({ user, password }) => ({
    method: 'user/login',
    params: { username: user, password: digestOf('sha256', password) },
  }),
  logout: undefined,
  mayPostReads: true,
  hasPathPerCall: true,
};

const digestOf = (algorithm: 'md5' | 'sha256', text: string) => createHash(algorithm).update(text).digest('hex');

export const maxJsonBytes = 256 * 1024;
const maxCookies = 16;
const maxCookieLength = 4096;
/** Answer of a device that requires a login for a call, by HTTP status instead of a code. */
const unauthorized = 401;
/** Answers of a device that has no call of this path and method of HTTP. */
const unknownCall: ReadonlySet<number> = new Set([404, 405]);

/** Calls a method without a session, such as `ping`. Returns its result code; undefined if the answer has none. */
export async function askWithoutSession(
  api: QueryApi,
  transport: Transport,
  method: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const { timeoutMs, signal } = options;
  const form = api.form ?? queryForm;
  const send = (isWrite: boolean) => {
    const request = { ...form.request(api.path, method, {}, isWrite), timeoutMs, maxBytes: maxJsonBytes };
    return transport.request(request, signal);
  };
  let { status, body } = await send(false);
  if (form.mayPostReads && unknownCall.has(status)) ({ status, body } = await send(true));
  return status === 200 ? Answer.parse(body)?.number(api.resultField) : undefined;
}

interface Call {
  readonly method: string;
  readonly params: QueryParams;
  readonly isWrite: boolean;
  readonly body?: DeviceUpload;
}

export class QuerySession {
  private readonly api: QueryApi;
  private readonly transport: Transport;
  private readonly credentials: Credentials;
  private readonly times: QueryTimes;
  private readonly form: CallForm;
  private postsReads = false;
  private readonly cookies = new Map<string, string>();
  private isSignedIn = false;
  private signIns = 0;
  /** The device refused the password: it is not asked again, because it might lock the user out. */
  private refusal: DeviceProblem | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(api: QueryApi, transport: Transport, credentials: Credentials, times: QueryTimes) {
    this.api = api;
    this.form = api.form ?? queryForm;
    this.transport = transport;
    this.credentials = credentials;
    this.times = times;
  }

  /** Number of the present login. After another one, another device may answer: with the same user and password. */
  get login(): number {
    return this.signIns;
  }

  /** Calls a method that changes nothing. Returns the answer if its code means success. */
  read(method: string, signal: AbortSignal, params: QueryParams = {}): Promise<Answer> {
    return this.inTurn(() => this.call({ method, params, isWrite: false }, this.times.answerMs, signal));
  }

  /** The same with a POST request, where the API asks for one. */
  readByPost(method: string, signal: AbortSignal, params: QueryParams = {}): Promise<Answer> {
    return this.inTurn(() => this.call({ method, params, isWrite: true }, this.times.answerMs, signal));
  }

  /** Calls a method that changes nothing. Returns the answer whatever its code means, unless the session has ended. */
  ask(method: string, signal: AbortSignal): Promise<Answer> {
    return this.inTurn(() => this.answerOf({ method, params: {}, isWrite: false }, this.times.answerMs, signal)).then(
      ({ answer }) => answer,
    );
  }

  /**
   * Calls a method that changes something, once. If its answer does not arrive, `isDone` reads from the device whether
   * it did it; the call rejects if it did not.
   */
  async write(method: string, params: QueryParams, signal: AbortSignal, isDone: () => Promise<boolean>): Promise<void> {
    await this.writeForCode(method, params, signal, isDone);
  }

  /** The same. Returns the code of the answer, if there was one. */
  async writeForCode(
    method: string,
    params: QueryParams,
    signal: AbortSignal,
    isDone: () => Promise<boolean>,
  ): Promise<number | undefined> {
    try {
      const call = { method, params, isWrite: true };
      return (await this.inTurn(() => this.doneCall(call, this.times.actMs, signal))).code;
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      const seen = await isDone().catch(() => undefined);
      if (seen === true) return undefined;
      const rest = seen === false ? 'the device has not done it' : 'it is not known whether the device has done it';
      const { word, message } = error;
      throw new DeviceProblem(word, `${message}; ${rest}`, undefined, seen === false ? 'notDone' : 'unknown');
    }
  }

  /**
   * Sends a file to a method that takes one, once: in a session that answered a moment before, because a device tells
   * only after the last byte that the session has ended. Returns the answer if its code means success.
   */
  async upload(method: string, body: DeviceUpload, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    return await this.inTurn(() => this.call({ method, params: {}, isWrite: true, body }, timeoutMs, signal));
  }

  /** Returns a file of the device, such as a picture. */
  file(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const fetchFile = () => this.send({ path, timeoutMs: this.times.answerMs, maxBytes }, signal);
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
      const { logout } = this.form;
      if (logout === undefined) return;
      const request = this.form.request(this.api.path, logout, {}, true);
      const limits = { timeoutMs: this.times.answerMs, maxBytes: maxJsonBytes };
      await this.send({ ...request, ...limits }, new AbortController().signal);
    }).catch(() => {});
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  private async call(call: Call, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    return (await this.doneCall(call, timeoutMs, signal)).answer;
  }

  private async doneCall(call: Call, timeoutMs: number, signal: AbortSignal) {
    const answered = await this.answerOf(call, timeoutMs, signal);
    const { code } = answered;
    if (this.api.isDone(code)) return answered;
    const { method } = call;
    const text = `${method}: ${this.api.textOf(code)}`;
    throw new DeviceProblem(this.api.wordOf(code), text, code, this.api.faultOf?.(method, code));
  }

  /** Signs in if need be, once. */
  private async answerOf(
    call: Call,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly answer: Answer }> {
    if (this.refusal !== undefined) throw this.refusal;
    const wasSignedIn = this.isSignedIn;
    if (!wasSignedIn) await this.signIn(signal);
    let { code, answer } = await this.codeOf(call, timeoutMs, signal);
    if (wasSignedIn && this.isSignedOut(code) && call.body === undefined) {
      await this.signIn(signal);
      ({ code, answer } = await this.codeOf(call, timeoutMs, signal));
    }
    if (answer !== undefined && !this.isSignedOut(code)) return { code, answer };
    this.isSignedIn = false;
    throw new DeviceProblem('refused', `${call.method}: the device does not keep the session`, code);
  }

  private async signIn(signal: AbortSignal): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.isSignedIn = false;
    this.cookies.clear();
    const login = { ...this.form.login(this.credentials), isWrite: true };
    const { code } = await this.codeOf(login, this.times.answerMs, signal);
    if (this.api.isDone(code)) {
      this.isSignedIn = true;
      this.signIns += 1;
      return;
    }
    const isWrong = this.isSignedOut(code) || this.api.wrongLogin?.includes(code);
    const word = isWrong ? 'wrongPassword' : this.api.wordOf(code);
    const problem = new DeviceProblem(word, `login: ${this.api.textOf(code)}`, code);
    if (word === 'wrongPassword') this.refusal = problem;
    throw problem;
  }

  private isSignedOut(code: number): boolean {
    return code === unauthorized || this.api.isSignedOut(code);
  }

  /** `answer` is absent if the device refused with HTTP status 401, which is the code then. */
  private async codeOf(
    call: Call,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly answer?: Answer }> {
    const { method } = call;
    const { status, body } = await this.sendCall(call, timeoutMs, signal);
    if (status === unauthorized) return { code: unauthorized };
    if (status === 403) throw new DeviceProblem('noPermission', `${method}: HTTP status 403`);
    // Another device, or another kind of server, has the address now.
    if (status === 404 && !this.form.hasPathPerCall) {
      throw new DeviceProblem('notADevice', `nothing at the address has the path ${this.api.path}`);
    }
    if (status !== 200) throw new DeviceProblem('invalidAnswer', `${method}: HTTP status ${status}`);
    const answer = Answer.parse(body);
    if (answer === undefined) throw new DeviceProblem('invalidAnswer', `${method}: the answer is not a JSON object`);
    const code = answer.number(this.api.resultField) ?? answer.number('status') ?? answer.number('result');
    if (code === undefined) throw new DeviceProblem('invalidAnswer', `${method}: the answer has no result code`);
    return { code, answer };
  }

  private async sendCall({ method, params, isWrite, body }: Call, timeoutMs: number, signal: AbortSignal) {
    if (body !== undefined) {
      const { path } = this.form.request(this.api.path, method, params, isWrite);
      return await this.send({ method: 'POST', path, body, timeoutMs, maxBytes: maxJsonBytes }, signal);
    }
    const send = (byPost: boolean) => {
      const request = this.form.request(this.api.path, method, params, byPost);
      return this.send({ ...request, timeoutMs, maxBytes: maxJsonBytes }, signal);
    };
    const response = await send(isWrite || this.postsReads);
    if (isWrite || this.postsReads || !this.form.mayPostReads || !unknownCall.has(response.status)) return response;
    const posted = await send(true);
    this.postsReads = posted.status === 200;
    return posted;
  }

  private async send(request: DeviceRequest, signal: AbortSignal): Promise<DeviceResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: '*/*', ...request.headers, ...(cookie !== '' && { cookie }) };
    const response = await this.transport.request({ ...request, headers }, signal);
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
export function isUnanswered(error: unknown): error is DeviceProblem {
  return error instanceof DeviceProblem && (error.word === 'timeout' || error.word === 'invalidAnswer');
}

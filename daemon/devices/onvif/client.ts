/** Calls of ONVIF. All of them go to the address of the device: of the addresses that it states, only the path counts. */
import type { Answer } from '../answer.ts';
import type { Credentials, DeviceResponse, Transport } from '../driver.ts';
import { readPicture } from '../http-file.ts';
import { DeviceProblem } from '../problem.ts';
import { maxJsonBytes as maxAnswerBytes, type QueryTimes } from '../query-session.ts';
import { envelope, namespaces, parseSoap, type Service } from './soap.ts';

export interface OnvifCall {
  readonly service: Service;
  readonly name: string;
  /** XML of the fields. */
  readonly content?: string;
  /** Whether it changes something. */
  readonly isAct?: boolean;
}

export const devicePath = '/onvif/device_service';
const clockCall = { service: 'device', name: 'GetSystemDateAndTime' } as const;
/** Clocks that differ by less are not the reason of a refusal. */
const smallDriftMs = 2000;
const refused = /NotAuthorized|FailedAuthentication|InvalidSecurity/i;
const notSupported = /ActionNotSupported|OptionalActionNotImplemented|NotImplemented/i;

/** Dates close to the last one of the runtime cannot be calculated with. */
const latestClock = Date.UTC(2200, 0);

/** Returns the clock of the device in milliseconds since 1970; undefined if what answers speaks no ONVIF. */
export async function readClock(
  transport: Transport,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | 'unstated' | undefined> {
  const { body } = await post(transport, devicePath, clockCall, undefined, timeoutMs, signal);
  const soap = parseSoap(body);
  if (soap?.has('Fault')) return 'unstated';
  const clock = soap?.part('GetSystemDateAndTimeResponse').part('SystemDateAndTime');
  if (soap === undefined || clock === undefined || !soap.has('GetSystemDateAndTimeResponse')) return undefined;
  const [date, time] = [clock.part('UTCDateTime').part('Date'), clock.part('UTCDateTime').part('Time')];
  const numbers = [
    ...['Year', 'Month', 'Day'].map((key) => date.integer(key)),
    ...['Hour', 'Minute', 'Second'].map((key) => time.integer(key)),
  ];
  const [year, month, day, hour, minute, second] = numbers.map((number) => number ?? Number.NaN);
  const ms = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  return ms > 0 && ms < latestClock ? ms : 'unstated';
}

export class OnvifClient {
  private readonly transport: Transport;
  private readonly credentials: Credentials;
  private readonly times: QueryTimes;
  private readonly paths = new Map<Service, string>([['device', devicePath]]);
  /** Clock of the device minus the one of the hub. */
  private driftMs: number | undefined;
  private refusal: DeviceProblem | undefined;

  constructor(transport: Transport, credentials: Credentials, times: QueryTimes) {
    this.transport = transport;
    this.credentials = credentials;
    this.times = times;
  }

  setPath(service: Service, path: string): void {
    this.paths.set(service, path);
  }

  has(service: Service): boolean {
    return this.paths.has(service);
  }

  /** Returns the response element. Repeats a call once, if the clock of the device was the reason of a refusal. */
  async call(call: OnvifCall, signal: AbortSignal): Promise<Answer> {
    if (this.refusal !== undefined) throw this.refusal;
    const known = this.driftMs;
    this.driftMs ??= await this.readDrift(signal);
    try {
      return await this.ask(call, signal);
    } catch (error) {
      if (!(error instanceof DeviceProblem) || error.word !== 'wrongPassword') throw error;
      const drift = known === undefined ? undefined : await this.readDrift(signal);
      if (drift !== undefined && Math.abs(drift - (known ?? 0)) > smallDriftMs) {
        this.driftMs = drift;
        return await this.ask(call, signal);
      }
      this.refusal = error;
      throw error;
    }
  }

  /** Returns a JPEG of the device. */
  async picture(path: string, signal: AbortSignal): Promise<Uint8Array> {
    if (this.refusal !== undefined) throw this.refusal;
    return await readPicture(this.transport, path, this.credentials, this.times.answerMs, signal);
  }

  /** Whether the device answers at all. */
  async answers(signal: AbortSignal): Promise<boolean> {
    return (await readClock(this.transport, this.times.answerMs, signal)) !== undefined;
  }

  private async readDrift(signal: AbortSignal): Promise<number> {
    const clock = await readClock(this.transport, this.times.answerMs, signal);
    return typeof clock === 'number' ? clock - Date.now() : 0;
  }

  private async ask(call: OnvifCall, signal: AbortSignal): Promise<Answer> {
    const { service, name, isAct } = call;
    const path = this.paths.get(service);
    if (path === undefined) throw new DeviceProblem('unsupported', `the device has no service ${service}`);
    const { user } = this.credentials;
    const login = user === '' ? undefined : { ...this.credentials, now: Date.now() + (this.driftMs ?? 0) };
    const timeoutMs = isAct ? this.times.actMs : this.times.answerMs;
    const { status, body } = await post(this.transport, path, call, login, timeoutMs, signal);
    const soap = parseSoap(body);
    const reason = faultOf(soap);
    if (status === 401 || refused.test(reason))
      throw new DeviceProblem('wrongPassword', `${name}: the device refuses user name and password`);
    if (notSupported.test(reason)) throw new DeviceProblem('unsupported', `${name}: the device has no such call`);
    if (reason !== '') throw new DeviceProblem('refused', `${name}: the device refuses the call`);
    if (status === 403) throw new DeviceProblem('noPermission', `${name}: HTTP status 403`);
    if (status !== 200) throw new DeviceProblem('invalidAnswer', `${name}: HTTP status ${status}`);
    if (!soap?.has(`${name}Response`)) throw new DeviceProblem('invalidAnswer', `${name}: the answer is not SOAP`);
    return soap.part(`${name}Response`);
  }
}

/** The codes of a fault; empty if there is none. */
function faultOf(soap: Answer | undefined): string {
  if (!soap?.has('Fault')) return '';
  const code = soap.part('Fault').part('Code');
  const subcode = code.part('Subcode');
  const codes = [code.text('Value'), subcode.text('Value'), subcode.part('Subcode').text('Value')];
  return codes.filter((text) => text !== undefined).join(' ') || 'unknown';
}

function post(
  transport: Transport,
  path: string,
  call: OnvifCall,
  login: Parameters<typeof envelope>[1],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DeviceResponse> {
  const action = `${namespaces[call.service]}/${call.name}`;
  const headers = { 'content-type': `application/soap+xml; charset=utf-8; action="${action}"` };
  const body = envelope(call, login);
  return transport.request({ method: 'POST', path, headers, body, timeoutMs, maxBytes: maxAnswerBytes }, signal);
}

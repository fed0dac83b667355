/**
 * Calls of existing programs to a device through the hub, `/socket/usapi?method=...&sc-client-id=SERIAL` and the like.
 * An act is the one of `actions.ts`, with its rules and its entry in the operation log; a read is passed on.
 */
import type { Context } from 'hono';
import { type DevicePrefix, devicePrefixes } from '../../contract/device-prefixes.ts';
import { publicAddress } from '../../devices/units.ts';
import { actorOf } from '../../http/actor.ts';
import { readJson } from '../../http/body.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { refuseForeignPage } from '../../http/middleware/same-origin.ts';
import { accessOf, type CallerAccess } from '../../http/object-access.ts';
import { queryOf } from '../../http/query.ts';
import { type Actor, type HubEnv, type Session, signedIn } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { OwnDevice } from './inventory.ts';
import { type PublishedAction, publishedCall, withoutSecrets } from './published-calls.ts';
import { type DeviceContext, visibleDevice } from './service.ts';

export interface ProxyDeps {
  readonly context: DeviceContext;
  /** Throws a `HubError`. Returns whether the device did that already. */
  readonly act: (caller: Caller, own: OwnDevice, request: ActRequest) => Promise<{ readonly isRepeated: boolean }>;
}
interface Caller {
  readonly actor: Actor;
  readonly session: Session;
  readonly objects: CallerAccess;
}
interface ActRequest {
  readonly action: PublishedAction;
  /** Of a rename. */
  readonly name: string | undefined;
}

/** As published, for every API: "repeated". */
const repeated = 1;

/** Answers a call whose path begins with the prefix. */
export async function answerPublishedCall(
  c: Context<HubEnv>,
  prefix: DevicePrefix,
  { context, act }: ProxyDeps,
): Promise<object> {
  const field = devicePrefixes[prefix];
  const session = signedIn(c.var.session);
  const objects = accessOf(context.access, session);
  if (!context.isOn) throw new HubError('unsupported', 'only hubs with devices have this');
  const query = queryOf(c.req.url);
  const { 'sc-client-id': sn, method } = query;
  if (sn === undefined) throw fieldError('sc-client-id', 'required', 'the serial number of the device is needed');
  const own = visibleDevice(context, objects, sn);
  const path = c.req.path.slice(prefix.length);
  const call = publishedCall(prefix, own.row.api, { path, method });
  if (call === undefined) throw notPassedOn(own.row.name);
  if (c.req.method === 'HEAD') throw new HubError('unsupported', 'use GET or POST', { http: 405 });
  if (call.kind === 'read') return await keepOpenDuring(c.env, () => readFrom(context, own, call.name));

  if (c.req.method === 'GET') {
    if (call.byPost) throw new HubError('unsupported', 'send this call by POST', { http: 405 });
    refuseForeignPage(c);
  }
  if (!objects.canAct(own, 'deviceControl')) throw new HubError('notPermitted', 'this needs deviceControl');
  const name = call.action === 'rename' ? await newName(c, query) : undefined;
  const request = { action: call.action, name };
  try {
    const done = await keepOpenDuring(c.env, () => act({ actor: actorOf(c), session, objects }, own, request));
    return { [field]: done.isRepeated ? repeated : 0 };
  } catch (error) {
    const code = error instanceof HubError ? codeOfDevice(error) : undefined;
    if (code === undefined || !(error instanceof HubError)) throw error;
    return { ...error.body(), [field]: code };
  }
}

/** That a device wants a login is not what a program understands by these codes: its own session has not ended. */
const codesOfLogin: readonly unknown[] = [36, 37];

function codeOfDevice({ result, params }: HubError): number | undefined {
  const code = params?.code;
  return typeof code === 'number' && result !== 'authFailed' && !codesOfLogin.includes(code) ? code : undefined;
}

async function readFrom({ reports }: DeviceContext, own: OwnDevice, name: string): Promise<object> {
  const answer = await reports.ask(own, async ({ ask }, signal) => {
    if (ask === undefined) throw notPassedOn(own.row.name);
    return await ask(name, signal);
  });
  return withoutSecrets(answer, (url) => publicAddress(url) ?? '') as object;
}

/** From the query, or from the JSON of a POST request. */
async function newName(c: Context<HubEnv>, query: Readonly<Record<string, string>>): Promise<string> {
  const { 'sc-client-id': _, method, ...inQuery } = query;
  const body = c.req.method === 'POST' ? await readJson(c.req.raw) : undefined;
  const { name, ...others } = { ...inQuery, ...(isObject(body) ? body : {}) };
  const [other] = Object.keys(others).filter((one) => one !== 'v');
  if (other !== undefined) throw fieldError(other, 'unknown', 'only the name of a device is changed by this call');
  if (typeof name !== 'string') throw fieldError('name', 'required', 'the new name is needed');
  return name;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function notPassedOn(name: string): HubError {
  const message = `the hub does not pass this call on to '${name}'; docs/compatibility.md lists those that it does`;
  return new HubError('unsupported', message, { params: { what: name } });
}

/**
 * Calls of existing programs to a device through the hub, `/socket/usapi?method=...&sc-client-id=SERIAL` and the like.
 * An act is the one of `actions.ts`, with its rules and its entry in the operation log; a read is passed on.
 */
import type { Context } from 'hono';
import { NewDeviceName } from '../../contract/device-fields.ts';
import { type DevicePrefix, devicePrefixes } from '../../contract/device-prefixes.ts';
import { publicAddress } from '../../devices/units.ts';
import { actorOf } from '../../http/actor.ts';
import { readJson } from '../../http/body.ts';
import { invalidArgument } from '../../http/faults.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { refuseForeignPage } from '../../http/middleware/same-origin.ts';
import { accessOf } from '../../http/object-access.ts';
import { queryOf } from '../../http/query.ts';
import { type HubEnv, signedIn } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { DeviceActions } from './actions.ts';
import type { OwnDevice } from './inventory.ts';
import { publishedCall, withoutSecrets } from './published-calls.ts';
import { type DeviceContext, visibleDevice } from './service.ts';

interface ProxyDeps {
  readonly context: DeviceContext;
  readonly actions: () => Promise<DeviceActions>;
}

/** As published, for every API: "repeated". */
const repeated = 1;

/** Answers a call whose path begins with the prefix. */
export async function answerPublishedCall(
  c: Context<HubEnv>,
  prefix: DevicePrefix,
  { context, actions }: ProxyDeps,
): Promise<object> {
  const field = devicePrefixes[prefix];
  const session = signedIn(c.var.session);
  const objects = accessOf(context.access, session);
  if (!context.isOn) throw new HubError('unsupported', 'this hub does not manage devices');
  const query = queryOf(c.req.url);
  const { 'sc-client-id': sn, method } = query;
  if (sn === undefined) throw fieldError('sc-client-id', 'required', 'the serial number of the device is required');
  const own = visibleDevice(context, objects, sn);
  const path = c.req.path.slice(prefix.length);
  const call = publishedCall(prefix, own.row.api, { path, method });
  if (call === undefined) throw notPassedOn(own.row.name);
  if (c.req.method === 'HEAD') throw new HubError('unsupported', 'use GET or POST', { http: 405 });
  if (call.kind === 'read') return await keepOpenDuring(c.env, () => readFrom(context, own, call.name));

  if (c.req.method === 'GET') {
    if (call.byPost) throw new HubError('unsupported', 'send this call as POST', { http: 405 });
    refuseForeignPage(c);
  }
  const { action } = call;
  const params = action === 'rename' ? { name: await newName(c, query) } : {};
  try {
    const { tell } = await actions();
    // What the device says: the state that the hub has seen last may be seconds old.
    const { isRepeated } = await keepOpenDuring(c.env, () => tell(sn, action, params, { actor: actorOf(c), objects }));
    return { [field]: isRepeated ? repeated : 0 };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { reason } = error.params ?? {};
    const isRestarting = action === 'reboot' && (reason === 'pausing' || reason === 'rebooting');
    const code = isRestarting ? repeated : codeOfDevice(error);
    if (code === undefined) throw error;
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
  if (other !== undefined) throw fieldError(other, 'unknown', 'this call changes only the name of a device');
  const checked = NewDeviceName.safeParse(name);
  if (!checked.success) throw invalidArgument(checked.error.issues, name, NewDeviceName);
  return checked.data;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function notPassedOn(name: string): HubError {
  const message = `the hub does not forward this call to '${name}'; docs/compatibility.md lists the calls that it forwards`;
  return new HubError('unsupported', message, { params: { what: name } });
}

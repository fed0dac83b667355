/** What the tests of devices have in common. */
import { afterEach } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import type { Device } from '../../contract/devices.ts';
import { createFleetDouble, identityOf } from '../../devices/fleet-double-for-test.ts';

let remove = () => {};
afterEach(() => remove());

/** A whole hub whose devices exist in memory; it ends with the test. */
export async function deviceHub(env: Record<string, string> = {}, more: Parameters<typeof composedHub>[0] = {}) {
  const fleet = createFleetDouble();
  const hub = await composedHub({ ...more, devices: fleet, env: { SIGNALBOX_FEATURES: 'devices', ...env } });
  remove = hub.remove;
  hub.hub.start();
  const admin = await hub.signIn('Admin');
  const get = (path: string, as = admin) => hub.json(`/api/${path}`, { as });
  const post = (path: string, body: object, as = admin) => hub.post(`/api/${path}`, body, as);
  let count = 0;
  /** Adds a device by its address. */
  const add = async (sn: string, more: object = {}, identity = {}) => {
    count += 1;
    const address = `10.0.0.${count}`;
    fleet.at.set(address, { identity: identityOf(sn, identity), api: 'usapi' });
    return await post('device/add', { address, user: 'admin', password: 'of-the-device', ...more });
  };
  /** The agent of the device registers. */
  const apply = (sn: string, key = 'key', more: Record<string, string> = {}, remote = '10.1.0.1') => {
    const { name, api, model, 'product-id': productId } = identityOf(sn);
    const code = hub.hub.settings.invitationCode() ?? '';
    const details = { name, api, model, productId: String(productId), invitationCode: code, ...more };
    return hub.hub.devices.admit({ role: 'device', serial: sn, key, details }, remote);
  };
  const query = async (sn: string) => (await get(`device/query?sn=${sn}`)).dev;
  const sns = async (query = '', as = admin): Promise<string[]> =>
    (await get(`device/list?${query}`, as)).list.map(({ sn }: Device) => sn);
  const log = async () =>
    (await get('log/list?count=100')).list.map(({ action, detail }: never) => `${action}: ${detail}`) as string[];
  return { ...hub, fleet, admin, get, post, add, apply, query, sns, log };
}

export const encoder = 'B313220914001';
export const decoder = 'C413220914002';
export const ofDecoder = { 'product-id': 1060 - 20, model: 'NDI to HDMI' };

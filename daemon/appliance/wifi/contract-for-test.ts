/**
 * What every WifiPort does. The same cases run on the double as unit tests, and on NetworkManager with simulated radios
 * in a guest (`tests/guest/`), where no test runner is.
 */
import { strict as assert } from 'node:assert';
import { until } from '../../../tests/support/until.ts';
import { ChangeFailed } from '../confirmed-change/kind.ts';
import {
  type JoinRequest,
  type SsidBytes,
  type WifiChange,
  WifiFault,
  type WifiFaultReason,
  type WifiPort,
} from './port.ts';

export const ssidOf = (text: string): SsidBytes => Buffer.from(text).toString('hex');

/** The access points around the adapter in every case, by what is special about them. */
export const points = {
  usual: { ssid: ssidOf('LabNet'), security: 'wpa', key: 'correct horse 1' },
  wpa3: { ssid: ssidOf('LabSae'), security: 'wpa3', key: 'correct horse 3' },
  open: { ssid: ssidOf('LabOpen'), security: 'open', key: undefined },
  hidden: { ssid: ssidOf('LabHidden'), security: 'wpa', key: 'correct horse 2' },
  /** 32 bytes: quotes, a newline that begins a section of a key file, and UTF-8. */
  odd: { ssid: ssidOf('"\';\n[ipv4]\n$(id)\\ 演播室 Eté'), security: 'wpa', key: '"\'; psk=\\ $(id)' },
  /** Gives no addresses. */
  mute: { ssid: ssidOf('LabMute'), security: 'open', key: undefined },
} as const;

export interface WifiWorld {
  readonly port: WifiPort;
  /** Takes the access point out of range, and back. */
  readonly reach: (ssid: SsidBytes, isInRange: boolean) => Promise<void>;
  /** Seconds of a trial that ends by itself; long enough to join a network. */
  readonly shortTrial: number;
}

export interface WifiCase {
  readonly name: string;
  readonly run: (world: WifiWorld) => Promise<void>;
}

const request = (point: (typeof points)[keyof typeof points], change: Partial<JoinRequest> = {}): JoinRequest => ({
  ...{ ssid: point.ssid, security: point.security, key: point.key, isHidden: false },
  ...change,
});
const forgetAll = async (port: WifiPort) => {
  for (const { ssid } of (await port.read()).known) await port.forget(ssid);
};

async function refuses(attempt: Promise<unknown>, reason: WifiFaultReason): Promise<void> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert(error instanceof WifiFault, `expected ${reason}, got ${error}`);
  assert.equal(error.reason, reason, error.message);
}

async function isOn(port: WifiPort, ssid: SsidBytes): Promise<void> {
  const { state, current, known } = await port.read();
  assert.equal(state, 'connected');
  assert.equal(current?.ssid, ssid);
  assert.match(current?.addresses[0] ?? '', /^10\.88\.0\.\d+\/24$/);
  assert.deepEqual(
    known.map((network) => network.ssid),
    [ssid],
  );
}

async function isBackOn(port: WifiPort, ssid: SsidBytes): Promise<void> {
  await until(async () => {
    const { state, current } = await port.read();
    return state === 'connected' && current?.ssid === ssid;
  }, 60_000);
}

const knownOf = async (port: WifiPort) => (await port.read()).known.map(({ ssid }) => ssid).toSorted();
const trialSeconds = 120;
async function tried(port: WifiPort, change: WifiChange, seconds = trialSeconds): Promise<unknown> {
  const data = await port.prepare(change, seconds);
  for (const { key } of Object.values(points)) assert(key === undefined || !JSON.stringify(data).includes(key));
  await port.apply(data);
  return data;
}

/** In an order in which each leaves nothing for the next. */
export const wifiCases: readonly WifiCase[] = [
  {
    name: 'a scan finds the networks in range with strength and protection, and names of any bytes',
    async run({ port }) {
      await port.scan();
      const { networks, state } = await port.read();
      assert.equal(state, 'disconnected');
      const found = new Map(networks.map((network) => [network.ssid, network]));
      for (const { ssid, security } of [points.usual, points.wpa3, points.open, points.odd]) {
        assert.equal(found.get(ssid)?.security, security);
        assert((found.get(ssid)?.strength ?? 0) > 0);
      }
      assert.equal(found.get(points.hidden.ssid), undefined);
    },
  },
  {
    name: 'a network is stored with its key without being joined, and again with another one',
    async run({ port }) {
      const away = request(points.usual, { ssid: ssidOf('LabAway') });
      for (const key of ['a key of 8 or more', 'another key']) {
        await port.store({ ...away, key });
        await port.store({ ...away, key, isHidden: true });
        assert.equal(await port.keyOf(away.ssid), key);
        assert.deepEqual((await port.read()).known, [{ ssid: away.ssid, security: 'wpa', isHidden: true }]);
      }
      await port.store({ ...away, security: 'open', key: undefined });
      assert.equal(await port.keyOf(away.ssid), undefined);
      assert.equal((await port.read()).current, null);
      await forgetAll(port);
    },
  },
  {
    name: 'N19: a wrong key is reported as such, and nothing of the attempt is left',
    async run({ port }) {
      await refuses(port.join(request(points.usual, { key: 'wrong horse 22' })), 'wrongKey');
      assert.deepEqual((await port.read()).known, []);
      assert.notEqual((await port.read()).state, 'connected');
    },
  },
  {
    name: 'the right key gives a connection with an address, which is stored without showing the key',
    async run({ port }) {
      await port.join(request(points.usual));
      await isOn(port, points.usual.ssid);
      assert(!JSON.stringify(await port.read()).includes(points.usual.key));
      assert.deepEqual((await port.read()).known[0], { ssid: points.usual.ssid, security: 'wpa', isHidden: false });
    },
  },
  {
    name: 'after a failed attempt, the network before is joined again',
    async run({ port }) {
      await refuses(port.join(request(points.odd, { key: 'wrong horse 22' })), 'wrongKey');
      await until(async () => (await port.read()).current?.ssid === points.usual.ssid, 30_000);
      await until(async () => (await port.read()).state === 'connected', 30_000);
      await isOn(port, points.usual.ssid);
    },
  },
  {
    name: 'a wrong key for a stored network does not replace the right one',
    async run({ port }) {
      await refuses(port.join(request(points.usual, { key: 'wrong horse 22' })), 'wrongKey');
      await port.rejoin(points.usual.ssid);
      await isOn(port, points.usual.ssid);
    },
  },
  {
    name: 'N19: a network out of range is lost, and joined again when it is back',
    async run({ port, reach }) {
      await reach(points.usual.ssid, false);
      await until(async () => (await port.read()).state !== 'connected', 60_000);
      await reach(points.usual.ssid, true);
      await until(async () => (await port.read()).state === 'connected', 90_000);
      await isOn(port, points.usual.ssid);
    },
  },
  {
    name: 'N19: what leads to a host of the network, and only that, leaves by the adapter',
    async run({ port }) {
      assert.equal(await port.leadsTo('10.88.0.77'), true);
      assert.equal(await port.leadsTo('127.0.0.1'), false);
    },
  },
  {
    name: 'N19: a network that is joined on trial is left again unless that is sealed, and nothing of it is stored',
    async run({ port, shortTrial }) {
      const data = await tried(port, { join: request(points.open) }, shortTrial);
      assert.equal((await port.read()).current?.ssid, points.open.ssid);
      await isBackOn(port, points.usual.ssid);
      assert.equal(await port.seal(data), false);
      await port.revert(data);
      await isOn(port, points.usual.ssid);
    },
  },
  {
    name: 'N19: a wrong key on trial is reported as such, and reverting it joins the network before, also twice',
    async run({ port }) {
      const data = await port.prepare({ join: request(points.odd, { key: 'wrong horse 22' }) }, trialSeconds);
      const fault = await port.apply(data).then(
        () => undefined,
        (error: unknown) => error,
      );
      assert(fault instanceof ChangeFailed, String(fault));
      assert.equal(fault.failure, 'wrongKey');
      await port.revert(data);
      await port.revert(data);
      await isBackOn(port, points.usual.ssid);
      await isOn(port, points.usual.ssid);
    },
  },
  {
    name: 'N19: a network that was joined on trial is stored once it is kept, and can be rejoined on trial',
    async run({ port }) {
      const data = await tried(port, { join: request(points.odd) });
      assert.equal(await port.seal(data), true);
      await port.save(data);
      await port.save(data);
      assert.deepEqual(await knownOf(port), [points.odd.ssid, points.usual.ssid].toSorted());
      const back = await tried(port, { rejoin: points.usual.ssid });
      await isBackOn(port, points.usual.ssid);
      await port.revert(back);
      await isBackOn(port, points.odd.ssid);
      await port.rejoin(points.usual.ssid);
      await port.forget(points.odd.ssid);
    },
  },
  {
    name: 'a network that is not stored cannot be rejoined or forgotten on trial, nor one out of range be joined',
    async run({ port }) {
      await refuses(port.prepare({ rejoin: points.open.ssid }, trialSeconds), 'notFound');
      await refuses(port.prepare({ forget: points.open.ssid }, trialSeconds), 'notFound');
      await refuses(
        port.prepare({ join: request(points.open, { ssid: ssidOf('Nowhere') }) }, trialSeconds),
        'notFound',
      );
      await isOn(port, points.usual.ssid);
    },
  },
  {
    name: 'N19: a network that is forgotten on trial is joined again unless that is kept',
    async run({ port }) {
      const data = await tried(port, { forget: points.usual.ssid });
      await until(async () => (await port.read()).state === 'disconnected', 30_000);
      await port.revert(data);
      await isBackOn(port, points.usual.ssid);
      const kept = await tried(port, { forget: points.usual.ssid });
      assert.equal(await port.seal(kept), true);
      await port.save(kept);
      await until(async () => (await port.read()).state === 'disconnected', 30_000);
      assert.deepEqual(await knownOf(port), []);
      await port.join(request(points.usual));
    },
  },
  {
    name: 'after all is forgotten, nothing is stored or in use',
    async run({ port }) {
      await port.join(request(points.odd));
      await port.forgetAll();
      await port.forgetAll();
      await until(async () => (await port.read()).state === 'disconnected', 30_000);
      assert.deepEqual(await knownOf(port), []);
      await port.join(request(points.usual));
    },
  },
  {
    name: 'a forgotten network is left, and is not joined again',
    async run({ port }) {
      assert.equal(await port.forget(points.usual.ssid), true);
      await until(async () => (await port.read()).state === 'disconnected', 30_000);
      assert.deepEqual((await port.read()).known, []);
      assert.equal(await port.forget(points.usual.ssid), false);
      await refuses(port.rejoin(points.usual.ssid), 'notFound');
    },
  },
  {
    name: 'a network that does not exist is not found',
    async run({ port }) {
      await refuses(port.join(request(points.usual, { ssid: ssidOf('Nowhere') })), 'notFound');
    },
  },
  {
    name: 'N19: a hidden network is joined by its name, if one says that it is hidden',
    async run({ port }) {
      await refuses(port.join(request(points.hidden)), 'notFound');
      await port.join(request(points.hidden, { isHidden: true }));
      await isOn(port, points.hidden.ssid);
      assert.equal((await port.read()).known[0]?.isHidden, true);
      await forgetAll(port);
    },
  },
  {
    name: 'N19: open, WPA3 and strangely named networks are joined',
    async run({ port }) {
      for (const point of [points.open, points.wpa3, points.odd]) {
        await port.join(request(point));
        await isOn(port, point.ssid);
        await forgetAll(port);
      }
    },
  },
  {
    name: 'a network that gives no address is left again',
    async run({ port }) {
      await refuses(port.join(request(points.mute)), 'noAddress');
      assert.deepEqual((await port.read()).known, []);
    },
  },
];

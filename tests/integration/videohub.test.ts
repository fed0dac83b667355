/** The server for hardware panels with a published client and a published mDNS browser, across a real link. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import type { NdiOutput } from '../../daemon/contract/ndi-router.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { announceService } from '../../daemon/lib/mdns-service.ts';
import { createRouterDouble } from '../../daemon/ndi/router-double-for-test.ts';
import { composedHub } from '../fixtures/composed-hub.ts';
import { until, untilSeen } from '../support/until.ts';
import { addresses, inOwnNetwork, Neighbour } from './own-network.ts';

setDefaultTimeout(60_000);

const { far, before } = addresses.IPv4;
const [near = ''] = before.split('/');
const port = 9990;
const blackmagic = '_blackmagic._tcp.local.';

type Heard = Readonly<Record<string, unknown>>;

inOwnNetwork('a published client understands the server for hardware panels', import.meta.path, () => {
  let neighbour: Neighbour;
  let hub: Awaited<ReturnType<typeof composedHub>>;
  let admin = '';
  const post = (path: string, body: object) => hub.post(`/api/${path}`, body, admin);
  const output = async (id: number): Promise<NdiOutput | undefined> =>
    (await hub.json('/api/ndi/router/get', { as: admin })).outputs.find((one: NdiOutput) => one.id === id);

  beforeAll(async () => {
    neighbour = await Neighbour.start();
    const ndi = createRouterDouble(['CAM (1)', 'CAM (2)']);
    hub = await composedHub({ ndi, env: { SIGNALBOX_FEATURES: 'ndi-router' } });
    hub.hub.start();
    admin = await hub.signIn('Admin');
    for (const source of ['CAM (1)', 'CAM (2)']) await post('ndi/router/input/set', { source });
    await post('ndi/router/set', { inputs: 2, outputs: 3 });
    await post('settings/set', { 'hub-name': 'Stage' });
    const videohub = { enabled: true, address: near, port, allow: [far] };
    expect(await post('settings/set', { videohub })).toMatchObject({ result: 0 });
    await until(async () => (await hub.json('/api/ndi/router/get', { as: admin })).router.panels.state === 'listening');
  });
  afterAll(async () => {
    await hub.hub.close();
    hub.remove();
    await neighbour.stop();
  });

  /** Runs a Python script at the far end, and collects what it prints. */
  function runFar(script: string, ...args: readonly string[]) {
    const command = ['/usr/bin/python3', join(import.meta.dir, script), ...args];
    const child = Bun.spawn([...neighbour.there, ...command], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
    const heard: Heard[] = [];
    void (async () => {
      let rest = '';
      for await (const bytes of child.stdout.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + bytes).split('\n');
        rest = lines.pop() ?? '';
        heard.push(...lines.map((line) => JSON.parse(line) as Heard));
      }
    })();
    const count = (wanted: Heard) => heard.filter((one) => Bun.deepMatch(wanted, one)).length;
    return {
      hears: (wanted: Heard, times = 1) =>
        untilSeen(
          () => heard,
          () => count(wanted) === times,
        ),
      async tell(line: string) {
        child.stdin.write(`${line}\n`);
        await child.stdin.flush();
      },
      async end() {
        child.kill('SIGKILL');
        await child.exited;
      },
    };
  }

  test('it reads the whole state, routes, and follows the changes of users and their locks', async () => {
    const panel = runFar('videohub-client.py', near, String(port));
    await panel.hears({
      ...{ event: 'connect', version: '2.7', model: 'Smart Videohub', name: 'Stage' },
      inputs: { 0: 'CAM (1)', 1: 'CAM (2)', 2: 'None' },
      outputs: { 0: 'Out 1', 1: 'Out 2', 2: 'Out 3' },
      routes: { 0: 2, 1: 2, 2: 2 },
    });
    await panel.tell('0 1');
    await panel.hears({ event: 'route-change', index: 0, source: 1 });
    expect(await output(1)).toMatchObject({ in: 2, applied: true });
    await post('ndi/router/route', { routes: [{ out: 2, in: 1 }] });
    await panel.hears({ event: 'route-change', index: 1, source: 0 });
    await post('ndi/router/input/set', { id: 1, label: '主机位' });
    await panel.hears({ event: 'input-label-change', index: 0, label: '主机位' });
    await post('ndi/router/output/set', { id: 3, label: 'Program' });
    await panel.hears({ event: 'output-label-change', index: 2, label: 'Program' });
    // A refused route comes back as it was.
    await post('ndi/router/lock', { out: 2, locked: true });
    await panel.tell('1 1');
    await panel.hears({ event: 'route-change', index: 1, source: 0 }, 2);
    expect(await output(2)).toMatchObject({ in: 1 });
    await panel.end();
  });

  test('panels find the server by mDNS while it is on', async () => {
    const browser = runFar('mdns-browser.py', blackmagic, far);
    const texts = { class: 'Videohub', name: 'Stage', 'protocol version': '2.7' };
    await browser.hears({ event: 'Added', addresses: [near], port, texts });
    // The server starts again with another version.
    expect(await post('settings/set', { videohub: { version: '2.8' } })).toMatchObject({ result: 0 });
    await browser.hears({ event: 'Removed' });
    await browser.hears({ event: 'Added', texts: { ...texts, 'protocol version': '2.8' } });
    // A browser that starts later asks for it.
    const later = runFar('mdns-browser.py', blackmagic, far);
    await later.hears({ event: 'Added', addresses: [near], texts: { 'protocol version': '2.8' } });
    expect(await post('settings/set', { videohub: { enabled: false } })).toMatchObject({ result: 0 });
    await browser.hears({ event: 'Removed' }, 2);
    await later.hears({ event: 'Removed' });
    for (const each of [browser, later]) await each.end();
  });

  test('an announced service follows its name and the addresses of the machine, next to another responder', async () => {
    const other = createSocket({ type: 'udp4', reuseAddr: true });
    await new Promise<void>((resolve) => other.bind(5353, resolve));
    let name = 'One';
    const withdraw = announceService({
      ...{ address: '0.0.0.0', apartMs: 20, lookMs: 20, log: createLog('error') },
      service: () => ({ type: '_demo._tcp', name, host: 'demo-host', port: 1234, texts: [] }),
    });
    const browser = runFar('mdns-browser.py', '_demo._tcp.local.', far);
    await browser.hears({ event: 'Added', name: 'One', addresses: [near] });
    name = 'Two';
    await browser.hears({ event: 'Added', name: 'Two', addresses: [near] });
    await browser.hears({ event: 'Removed', name: 'One' });
    neighbour.move(addresses.IPv4);
    const later = runFar('mdns-browser.py', '_demo._tcp.local.', far);
    await later.hears({ event: 'Added', name: 'Two', addresses: [addresses.IPv4.after.split('/')[0]] });
    withdraw();
    await later.hears({ event: 'Removed', name: 'Two' });
    other.close();
    for (const each of [browser, later]) await each.end();
  });
});

/** The program in the guest: runs the cases of Wi-Fi on NetworkManager, and prints one line for each. */
import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createBus } from '../../daemon/appliance/dbus/bus.ts';
import { points, type WifiCase, wifiCases } from '../../daemon/appliance/wifi/contract-for-test.ts';
import { createWifi } from '../../daemon/appliance/wifi/network-manager.ts';
import { until } from '../support/until.ts';

const bus = createBus();
const port = createWifi(bus);
const run = (...command: readonly string[]) => Bun.spawnSync([...command]).stdout.toString();

/** All access points are on one radio. */
const reach = async (_ssid: string, isInRange: boolean) => {
  run('hostapd_cli', '-p', '/run/lab/hostapd', '-i', 'wlan1', isInRange ? 'enable' : 'disable');
};

const profiles = '/etc/NetworkManager/system-connections';
const keys = Object.values(points).flatMap(({ key }) => (key === undefined ? [] : [key]));

const further: readonly WifiCase[] = [
  {
    name: 'N19: a key is in a file for root alone, and neither in the process list nor in the log',
    async run() {
      await port.join({ ...points.usual, isHidden: false });
      const files = readdirSync(profiles).map((file) => `${profiles}/${file}`);
      assert.equal(files.length, 1);
      for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600);
      const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      const commands = processes.map((id) => readFileSync(`/proc/${id}/cmdline`, { encoding: 'utf8', flag: 'r' }));
      const shown = [...commands, readFileSync('/run/lab/nm.log', 'utf8')].join('\n');
      for (const key of keys) assert(!shown.includes(key), 'a key is shown');
      await port.forget(points.usual.ssid);
      assert.equal(readdirSync(profiles).length, 0);
    },
  },
  {
    name: 'N19: a name with quotes, newlines and sections stays a name in the stored profile',
    async run() {
      await port.join({ ...points.odd, isHidden: false });
      const [file = ''] = readdirSync(profiles);
      assert.match(file, /^Wi-Fi [0-9a-f]{64}\.nmconnection$/);
      const text = readFileSync(`${profiles}/${file}`, 'utf8');
      assert.equal(text.match(/^\[ipv4\]$/gm)?.length, 1);
      assert.equal(text.match(/^method=auto$/gm)?.length, 2);
      await port.forget(points.odd.ssid);
    },
  },
];

/** What the programs said lately, for a case that failed. */
function logs(): string {
  const latest = (file: string) => readFileSync(file, 'utf8').split('\n').slice(-60);
  return ['/run/lab/nm.log', '/run/lab/wpa.log'].flatMap(latest).join('\n');
}

await until(async () => {
  const state = await port.read().then(
    (reading) => reading.state,
    () => 'none',
  );
  return state === 'disconnected';
}, 60_000);
for (const { name, run: runCase } of [...wifiCases, ...further]) {
  const began = performance.now();
  const fault = await runCase({ port, reach, shortTrial: 15 }).then(
    () => '',
    (error: unknown) => ` ${error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : error}`,
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (fault !== '') console.log(logs());
  console.log(`CASE ${fault === '' ? 'ok' : 'failed'} ${seconds} ${name}${fault === '' ? '' : ` ::${fault}`}`);
}
console.log('CASES end');
process.exit(0);

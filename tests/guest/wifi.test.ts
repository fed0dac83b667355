/**
 * Wi-Fi with simulated radios, which need a kernel with modules: in a Debian that QEMU emulates. Needs root for its first
 * run, and about five minutes, eight with its first run; `make test` runs it only as `SUITES=guest`.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { points, wifiCases } from '../../daemon/appliance/wifi/contract-for-test.ts';
import { addLog } from '../support/until.ts';

const root = join(import.meta.dir, '../..');
const lab = join(root, 'build/guest-test/wifi');
const bootMs = 600_000;

const further = [
  'N19: a key is in a file for root alone, and neither in the process list nor in the log',
  'N19: a name with quotes, newlines and sections stays a name in the stored profile',
];

/** The access points, on one radio. All but one are in the network that gives addresses. */
function hostapdConfig(): string {
  const all = Object.entries(points).map(([name, { ssid, security, key }], at) => [
    at === 0 ? 'interface=wlan1\nhw_mode=g\nchannel=1' : `bss=ap${at}`,
    'ctrl_interface=/run/lab/hostapd',
    `ssid2=${ssid}`,
    ...(name === 'mute' ? [] : ['bridge=br0']),
    ...(name === 'hidden' ? ['ignore_broadcast_ssid=1'] : []),
    ...(security === 'open' ? [] : ['wpa=2', 'rsn_pairwise=CCMP']),
    ...(security === 'wpa' ? ['wpa_key_mgmt=WPA-PSK', `wpa_passphrase=${key}`] : []),
    ...(security === 'wpa3' ? ['wpa_key_mgmt=SAE', 'ieee80211w=2', `sae_password=${key}`] : []),
  ]);
  return `${all.map((lines) => lines.join('\n')).join('\n')}\n`;
}

function run(...command: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: root });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}\n${stdout}${stderr}`);
}

let output = '';
addLog('console of the guest', () => output);

beforeAll(async () => {
  run('tests/guest/base.sh');
  rmSync(lab, { recursive: true, force: true });
  mkdirSync(lab, { recursive: true });
  cpSync(join(import.meta.dir, 'init.sh'), join(lab, 'init.sh'));
  writeFileSync(join(lab, 'hostapd.conf'), hostapdConfig());
  const noFiles = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  run(process.execPath, 'build', '--compile', ...noFiles, 'tests/guest/cases.ts', `--outfile=${lab}/cases`);
  const guest = Bun.spawn([join(import.meta.dir, 'boot.sh'), lab], { stdout: 'pipe', stderr: 'pipe', timeout: bootMs });
  output = await new Response(guest.stdout).text();
  output += await new Response(guest.stderr).text();
  writeFileSync(`${lab}.log`, output);
}, bootMs);

describe('Wi-Fi by NetworkManager in a guest', () => {
  for (const name of [...wifiCases.map((one) => one.name), ...further]) {
    test(name, () => {
      const line = output.split(/\r?\n/).find((text) => text.startsWith('CASE ') && text.includes(` ${name}`));
      expect(line ?? `no result; the console ends with\n${output.slice(-3000)}`).toMatch(/^CASE ok /);
    });
  }
});

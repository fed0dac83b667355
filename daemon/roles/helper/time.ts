/** Sets clock, time zone and host name: by systemd where it runs, because its services have the rights for it. */
import { chmod, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { HelperRefusal } from '../../appliance/helper/operations.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import { onlyOurSources, sourcesFile, sourcesText } from '../../appliance/time/chrony.ts';
import { chronyc } from '../../appliance/time/chronyc.ts';
import type { NtpConfig } from '../../appliance/time/port.ts';
import { localZone, presentZone, systemZones, zoneFile } from '../../appliance/time/zones.ts';
import { rememberFirst } from './first-values.ts';
import type { Handler } from './handlers.ts';
import { hasSystemd, outputOf, run } from './programs.ts';

export const configFile = '/etc/chrony/chrony.conf';
const unit = 'chrony.service';

export const applyTime: Handler<'time.apply'> = async ({ ntp, zone }) => {
  // Whatever the name is, only one of the list becomes a path.
  const known = zone === undefined ? undefined : (await systemZones()).find((one) => one === zone);
  if (zone !== undefined && known === undefined) throw new HelperRefusal('failed', 'the system has no such time zone');
  if (ntp !== undefined) await applyNtp(ntp);
  if (known !== undefined) rememberFirst({ zone: await presentZone() });
  if (known !== undefined) await setZone(known);
  return {};
};

const isNtpOn = async (): Promise<boolean> =>
  (await outputOf('/usr/bin/timedatectl', ['show', '--property=NTP', '--value'])).trim() === 'yes';

async function applyNtp(ntp: NtpConfig): Promise<void> {
  const config = await readFile(configFile, 'utf8').catch(() => undefined);
  if (config === undefined) throw new HelperRefusal('missing', 'the package chrony is not installed', 'chrony');
  const next = onlyOurSources(config);
  if (hasSystemd()) rememberFirst({ ntp: await isNtpOn() });
  await mkdir(dirname(sourcesFile), { recursive: true, mode: 0o755 });
  await replace(sourcesFile, sourcesText(ntp));
  if (next !== config) await replace(configFile, next);
  if (hasSystemd()) return restartChrony(ntp.enabled);
  if (next !== config) throw new HelperRefusal('failed', 'restart chrony: its configuration has changed');
  try {
    await chronyc('reload', 'sources');
    if (ntp.enabled) await chronyc('makestep', '1', '3');
  } catch (error) {
    if (error instanceof MissingPart) throw new HelperRefusal('missing', error.message, 'chrony');
    throw error;
  }
}

/** Starts or stops chrony, or does neither. When chrony starts, it steps a clock with a large offset. */
export async function restartChrony(isOn: boolean | undefined): Promise<void> {
  if (isOn !== undefined) await run('/usr/bin/timedatectl', ['--no-ask-password', 'set-ntp', String(isOn)]);
  const verb = isOn === undefined ? 'try-restart' : 'restart';
  if (isOn !== false) await run('/usr/bin/systemctl', ['--no-ask-password', verb, unit]);
}

export async function setZone(zone: string): Promise<void> {
  if (hasSystemd()) return run('/usr/bin/timedatectl', ['--no-ask-password', 'set-timezone', zone]);
  const part = `${localZone}.signalbox`;
  await symlink(zoneFile(zone), part);
  await rename(part, localZone);
}

export const setTime: Handler<'time.set'> = async ({ at }) => {
  if (!hasSystemd()) throw new HelperRefusal('failed', 'this machine has no systemd, which sets the clock');
  await run('/usr/bin/timedatectl', ['--no-ask-password', 'set-time', `@${Math.round(at / 1000)}`]);
  return {};
};

export const setHostName: Handler<'host-name.set'> = async ({ name }) => {
  if (!hasSystemd()) throw new HelperRefusal('failed', 'this machine has no systemd, which sets the host name');
  rememberFirst({ hostName: hostname() });
  await run('/usr/bin/hostnamectl', ['--no-ask-password', 'set-hostname', name]);
  return {};
};

/** A power cut leaves the old file or the new one. */
export async function replace(path: string, text: string): Promise<void> {
  const part = `${path}.signalbox-new`;
  await writeFile(part, text, { flush: true, mode: 0o644 });
  await chmod(part, 0o644);
  await rename(part, path);
}

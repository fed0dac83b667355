/** Sets clock, time zone and host name: by systemd where it runs, because its services have the rights for it. */
import { chmod, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HelperRefusal } from '../../appliance/helper/operations.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import { onlyOurSources, sourcesFile, sourcesText } from '../../appliance/time/chrony.ts';
import { chronyc } from '../../appliance/time/chronyc.ts';
import type { NtpConfig } from '../../appliance/time/port.ts';
import { localZone, systemZones, zoneFile } from '../../appliance/time/zones.ts';
import type { Handler } from './handlers.ts';
import { hasSystemd, run } from './programs.ts';

const configFile = '/etc/chrony/chrony.conf';
const unit = 'chrony.service';

export const applyTime: Handler<'time.apply'> = async ({ ntp, zone }) => {
  // Whatever the name is, only one of the list becomes a path.
  const known = zone === undefined ? undefined : (await systemZones()).find((one) => one === zone);
  if (zone !== undefined && known === undefined) throw new HelperRefusal('failed', 'the system has no such time zone');
  if (ntp !== undefined) await applyNtp(ntp);
  if (known !== undefined) await setZone(known);
  return {};
};

async function applyNtp(ntp: NtpConfig): Promise<void> {
  const config = await readFile(configFile, 'utf8').catch(() => undefined);
  if (config === undefined) throw new HelperRefusal('missing', 'the package chrony is not installed', 'chrony');
  const next = onlyOurSources(config);
  await mkdir(dirname(sourcesFile), { recursive: true, mode: 0o755 });
  await replace(sourcesFile, sourcesText(ntp));
  if (next !== config) await replace(configFile, next);
  // A chrony that starts also steps a clock that is far off.
  if (hasSystemd()) {
    await run('/usr/bin/timedatectl', ['--no-ask-password', 'set-ntp', String(ntp.enabled)]);
    if (ntp.enabled) await run('/usr/bin/systemctl', ['--no-ask-password', 'restart', unit]);
    return;
  }
  if (next !== config) throw new HelperRefusal('failed', 'restart chrony: its configuration has changed');
  try {
    await chronyc('reload', 'sources');
    if (ntp.enabled) await chronyc('makestep', '1', '3');
  } catch (error) {
    if (error instanceof MissingPart) throw new HelperRefusal('missing', error.message, 'chrony');
    throw error;
  }
}

async function setZone(zone: string): Promise<void> {
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
  await run('/usr/bin/hostnamectl', ['--no-ask-password', 'set-hostname', name]);
  return {};
};

/** A power cut leaves the old file or the new one. */
async function replace(path: string, text: string): Promise<void> {
  const part = `${path}.signalbox-new`;
  await writeFile(part, text, { flush: true, mode: 0o644 });
  await chmod(part, 0o644);
  await rename(part, path);
}

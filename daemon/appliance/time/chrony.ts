/** What chrony prints in CSV, and the file of servers that it reads. */
import type { TimeSourceState } from '../../contract/time-states.ts';
import type { NtpConfig, Synchronization, TimeSource } from './port.ts';

/** Read by chrony with the option `sourcedir` of its configuration. */
export const sourcesFile = '/etc/chrony/sources.d/signalbox.sources';
/** A machine has few; chrony itself has no limit. */
const maxSources = 32;

const states: Readonly<Record<string, TimeSourceState>> = {
  ...{ '*': 'selected', '+': 'combined', '-': 'unused', x: 'wrong', '~': 'wrong', '?': 'unusable' },
};

/** The output of `chronyc -c sources`. */
export function sourcesOf(text: string): TimeSource[] {
  const rows = text.split('\n').map((line) => line.split(','));
  return rows
    .filter((row) => row.length >= 10)
    .slice(0, maxSources)
    .map(([, state = '', name = '', stratum, , reach, , , measured]) => {
      // A shift register of the last eight polls.
      const isReachable = Number(reach) !== 0;
      const offset = Number(measured) * 1000;
      return {
        ...{ name, state: isReachable ? (states[state] ?? 'unusable') : 'unreachable', stratum: Number(stratum) || 0 },
        // chrony counts by how much the machine is behind.
        ...(isReachable && Number.isFinite(offset) && { offsetMs: -offset }),
      };
    });
}

/** The outputs of `chronyc -c tracking` and of `chronyc -c sources`. */
export function synchronizationOf(tracking: string, sources: string): Synchronization {
  const row = tracking.trim().split(',');
  const [, , stratum, , slow] = row;
  const isSynchronized = Number(stratum) > 0 && row.at(-1) !== 'Not synchronised';
  const offsetMs = -Number(slow) * 1000;
  return {
    state: isSynchronized ? 'synchronized' : 'waiting',
    ...(isSynchronized && Number.isFinite(offsetMs) && { offsetMs }),
    sources: sourcesOf(sources),
  };
}

const header = '# Signalbox writes this file: the servers of NTP, without effect while NTP is off.';

export function sourcesText({ enabled, servers }: NtpConfig): string {
  return `${[header, ...servers.map((name) => `${enabled ? '' : '#'}server ${name} iburst`)].join('\n')}\n`;
}

/** Reads what `sourcesText` has written. */
export function ntpConfigOf(text: string): NtpConfig {
  const lines = [...text.matchAll(/^(#?)server (\S+)/gm)];
  return { enabled: lines.some(([, off]) => off === ''), servers: lines.map(([, , name = '']) => name) };
}

/** Lines that name servers, also by the DHCP server: none of them is used besides ours. */
const otherSources = /^[ \t]*(?:(?:pool|server|peer|refclock)\b|sourcedir\s+(?!\/etc\/chrony\/sources\.d\b)).*$/gm;
const ownFolder = /^[ \t]*sourcedir\s+\/etc\/chrony\/sources\.d\b/m;

/** Prefix of lines that the hub has commented out because they name other servers. */
const unused = '#signalbox# ';

/** Returns the configuration of chrony in which only the file above names servers. */
export function onlyOurSources(config: string): string {
  const rest = config.replaceAll(otherSources, (line) => `${unused}${line.trim()}`);
  return ownFolder.test(rest) ? rest : `${rest.trimEnd()}\n\nsourcedir /etc/chrony/sources.d\n`;
}

/** Removes the prefix again. */
export function allSources(config: string): string {
  return config.replaceAll(new RegExp(`^${unused}`, 'gm'), '');
}

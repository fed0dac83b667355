import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { meets, type Variant } from '../../../../daemon/contract/variant.ts';
import { paths } from '../../lib/paths.ts';
import type { Command } from './commands.ts';

/** The groups of the page General, by their name in its address. The words find them in English, too. */
const groups = [
  { name: 'hub-name', title: msg`Hub name`, words: 'name of the hub' },
  { name: 'rtmp', title: msg`RTMP server`, words: 'rtmp port' },
  { name: 'srt', title: msg`SRT server`, words: 'srt port latency encryption passphrase' },
  { name: 'expired-time', title: msg`Sessions`, words: 'session time-out sign out inactivity' },
  { name: 'pwd-rule', title: msg`Password rule`, words: 'password rule length' },
  { name: 'sign-in', title: msg`Sign-in`, words: 'sign-in login md5' },
  { name: 'language', title: msg`Language`, words: 'language chinese english' },
  { name: 'web', title: msg`Web access`, words: 'web http https port certificate tls ssl hsts' },
  { name: 'outgoing', title: msg`Outgoing connections`, words: 'outgoing private networks addresses' },
  { name: 'device-alarms', title: msg`Alarms of devices`, words: 'alarm device offline temperature', needs: 'devices' },
  {
    name: 'upgrade-rate',
    title: msg`Firmware upgrades of devices`,
    words: 'firmware rate bandwidth',
    needs: 'devices',
  },
  { name: 'webhook', title: msg`Alarm webhook`, words: 'webhook alarm notification json http' },
  { name: 'mail', title: msg`Alarm mail`, words: 'mail e-mail smtp alarm notification' },
  { name: 'all', title: msg`All settings`, words: 'export import backup reset factory restart reboot' },
] as const;

export function settingsCommands(i18n: I18n, variant: Variant): Command[] {
  const shown = groups.filter((group) => !('needs' in group) || meets(variant, group.needs));
  return shown.map(({ name, title, words }) => ({
    group: 'settings',
    text: i18n._(title),
    words,
    path: `${paths.generalSettings}?group=${name}`,
  }));
}

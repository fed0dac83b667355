/** Settings of sign-in, of the console and of upgrades. */
import type * as z from 'zod/mini';
import { limits } from '../../../contract/limits.ts';
import { firstPasswordRule, type PasswordRule, withLeastLength } from '../../../contract/password-rule.ts';
import { settingsFields } from '../../../contract/settings-fields.ts';
import type { SettingsGroup } from '../registry.ts';
import type { StoredSettings } from '../store.ts';

type Change<Name extends keyof typeof settingsFields> = z.infer<(typeof settingsFields)[Name]>;
type Group<Name extends keyof StoredSettings> = SettingsGroup<StoredSettings[Name], Change<Name>>;

export const sessionGroup: Group<'expired-time'> = {
  name: 'expired-time',
  schema: settingsFields['expired-time'],
  initial: limits.sessionMinutes.default,
  show: (now) => now,
  weakens: (now, change) => lifeOf(change) > lifeOf(now),
  merge: (_, change) => change,
  describe: (next) =>
    lifeOf(next) === Number.POSITIVE_INFINITY
      ? [{ word: 'noExpiry' }]
      : [{ word: 'sessionMinutes', value: String(next) }],
};

function lifeOf(minutes: number): number {
  return minutes === limits.sessionMinutes.never ? Number.POSITIVE_INFINITY : minutes;
}

export const passwordRuleGroup: Group<'pwd-rule'> = {
  name: 'pwd-rule',
  schema: settingsFields['pwd-rule'],
  initial: firstPasswordRule,
  show: (now) => now,
  weakens: (now, change) => isWeaker(change, now),
  merge: (_, change) => change,
  describe: (next) => [{ word: 'passwordRule', value: ruleText(next) }],
};

function isWeaker(next: PasswordRule, now: PasswordRule): boolean {
  const [asked, before] = [withLeastLength(next), withLeastLength(now)];
  return (Object.keys(firstPasswordRule) as (keyof PasswordRule)[]).some((demand) => asked[demand] < before[demand]);
}

/** Requirements of the rule, such as `length 8, number 1`. */
function ruleText(rule: PasswordRule): string {
  const asked = Object.entries(rule).filter(([, least]) => least > 0);
  return asked.map(([member, least]) => `${member} ${least}`).join(', ');
}

export const signInGroup: Group<'sign-in'> = {
  name: 'sign-in',
  schema: settingsFields['sign-in'],
  initial: { allowsMd5: true },
  show: (now) => ({ 'allow-md5': now.allowsMd5 }),
  weakens: (now, change) => change['allow-md5'] && !now.allowsMd5,
  merge: (_, change) => ({ allowsMd5: change['allow-md5'] }),
  describe: (next) => [{ word: next.allowsMd5 ? 'md5' : 'noMd5' }],
};

/** The code that devices send when they join. */
export const invitationGroup: Group<'security'> = {
  name: 'security',
  schema: settingsFields.security,
  initial: { isCodeNeeded: false, code: '0000' },
  show: ({ isCodeNeeded, code }, mayEdit) => ({
    'enable-code': isCodeNeeded,
    ...(mayEdit ? { 'code-value': code } : { 'code-value-set': true }),
  }),
  merge: (now, change) => ({
    isCodeNeeded: change['enable-code'] ?? now.isCodeNeeded,
    code: change['code-value'] ?? now.code,
  }),
  describe: (next) => [{ word: next.isCodeNeeded ? 'invitationCode' : 'noInvitationCode' }],
  secrets: ({ code }) => ({ 'code-value': code }),
};

export const languageGroup: Group<'language'> = {
  name: 'language',
  schema: settingsFields.language,
  initial: 'auto',
  show: (now) => now,
  merge: (_, change) => change,
  describe: (next) => [{ word: 'language', value: next }],
};

export const upgradeRateGroup: Group<'upgrade-rate'> = {
  name: 'upgrade-rate',
  schema: settingsFields['upgrade-rate'],
  initial: limits.upgrade.rate.default,
  show: (now) => now,
  merge: (_, change) => change,
  describe: (next) => [next === 0 ? { word: 'noUpgradeRate' } : { word: 'upgradeRate', value: String(next) }],
};

export const hubNameGroup: Group<'hub-name'> = {
  name: 'hub-name',
  schema: settingsFields['hub-name'],
  initial: '',
  show: (now) => now,
  merge: (_, change) => change,
  describe: (next) => [next === '' ? { word: 'noHubName' } : { word: 'name', value: next }],
};

import { limits } from '../../contract/limits.ts';
import { firstPasswordRule, type PasswordRule, withLeastLength } from '../../contract/password-rule.ts';
import type { SettingsChange } from '../../contract/settings-fields.ts';
import type { StoredSettings } from './store.ts';

/** Whether a change weakens the current sign-in. */
export function weakens(now: StoredSettings, change: SettingsChange): boolean {
  const minutes = change['expired-time'];
  const rule = change['pwd-rule'];
  return (
    (minutes !== undefined && lifeOf(minutes) > lifeOf(now['expired-time'])) ||
    (rule !== undefined && isWeaker(rule, now['pwd-rule'])) ||
    (change['sign-in']?.['allow-md5'] === true && !now['sign-in'].allowsMd5)
  );
}

function lifeOf(minutes: number): number {
  return minutes === limits.sessionMinutes.never ? Number.POSITIVE_INFINITY : minutes;
}

function isWeaker(next: PasswordRule, now: PasswordRule): boolean {
  const [asked, before] = [withLeastLength(next), withLeastLength(now)];
  return (Object.keys(firstPasswordRule) as (keyof PasswordRule)[]).some((demand) => asked[demand] < before[demand]);
}

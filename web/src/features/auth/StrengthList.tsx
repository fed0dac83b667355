import { useLingui } from '@lingui/react/macro';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import styles from './AuthFrame.module.css';
import { type StrengthRule, strengthOf, strengthPolicy } from './password-strength.ts';

/** The rules, each ticked while one types. */
export function StrengthList({ password, userName }: { password: string; userName: string }) {
  const { t } = useLingui();
  const met = strengthOf(password, userName);
  const text: Record<StrengthRule, string> = {
    length: t`At least ${strengthPolicy.minLength} characters`,
    lowercase: t`A lowercase letter`,
    uppercase: t`An uppercase letter`,
    digit: t`A digit`,
    userName: t`Without the user name in it`,
    characters: t`Only letters, digits and _~!@#$%^&*-+=`,
  };
  return (
    <ul className={styles.rules} aria-label={t`Password rules`}>
      {(Object.keys(text) as StrengthRule[]).map((rule) => {
        const Icon = met[rule] ? IconCircleCheck : IconCircle;
        return (
          <li
            key={rule}
            data-met={met[rule]}
            className={rule === 'characters' || rule === 'userName' ? styles.wide : ''}
          >
            <Icon size={14} stroke={2} aria-label={met[rule] ? t`met` : t`not met yet`} role="img" />
            {text[rule]}
          </li>
        );
      })}
    </ul>
  );
}

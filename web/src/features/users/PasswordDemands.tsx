import { useLingui } from '@lingui/react/macro';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { type PasswordDemand, type PasswordRule, unmetDemands } from '../../../../daemon/contract/password-rule.ts';
import styles from '../auth/AuthFrame.module.css';

interface PasswordDemandsProps {
  readonly password: string;
  readonly rule: PasswordRule;
  readonly userName: string;
}

/** What the hub's rule asks of a password, each ticked while one types; nothing where there is no rule. */
export function PasswordDemands({ password, rule, userName }: PasswordDemandsProps) {
  const { t } = useLingui();
  const asked = (Object.keys(rule) as PasswordDemand[]).filter((demand) => rule[demand] > 0);
  if (asked.length === 0) return null;
  const unmet = unmetDemands(password, rule, userName);
  const text = (demand: PasswordDemand): string => {
    const least = rule[demand];
    switch (demand) {
      case 'chk-name':
        return t`Without the user name in it`;
      case 'length':
        return t`At least ${least} characters`;
      case 'number':
        return t`Digits: at least ${least}`;
      case 'special':
        return t`Of ~!@#$%^&*_-+=: at least ${least}`;
      case 'uppercase':
        return t`Uppercase letters: at least ${least}`;
      case 'lowercase':
        return t`Lowercase letters: at least ${least}`;
    }
  };
  return (
    <ul className={styles.rules} aria-label={t`Password rules`}>
      {asked.map((demand) => {
        const isMet = password !== '' && !unmet.includes(demand);
        const Icon = isMet ? IconCircleCheck : IconCircle;
        return (
          <li key={demand} data-met={isMet}>
            <Icon size={14} stroke={2} aria-label={isMet ? t`met` : t`not met yet`} role="img" />
            {text(demand)}
          </li>
        );
      })}
    </ul>
  );
}

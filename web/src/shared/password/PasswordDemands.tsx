import { useLingui } from '@lingui/react/macro';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { demandsOf, type PasswordDemand, unmetDemands } from '../../../../daemon/contract/password-demands.ts';
import { type PasswordRule, withLeastLength } from '../../../../daemon/contract/password-rule.ts';
import styles from './PasswordDemands.module.css';

interface PasswordDemandsProps {
  readonly password: string;
  readonly rule: PasswordRule;
  readonly userName: string;
}

/** The hub's rules for a new password, each checked off as the user types. */
export function PasswordDemands({ password, rule, userName }: PasswordDemandsProps) {
  const { t } = useLingui();
  const asked = withLeastLength(rule);
  const unmet = unmetDemands(password, rule, userName);
  const text = (demand: PasswordDemand): string => {
    const least = demand === 'common' ? 0 : asked[demand];
    switch (demand) {
      case 'common':
        return t`Not a common password`;
      case 'chk-name':
        return t`Does not contain the username`;
      case 'length':
        return t`At least ${least} characters`;
      case 'number':
        return t`Digits: at least ${least}`;
      case 'special':
        return t`Special characters (~!@#$%^&*_-+=): at least ${least}`;
      case 'uppercase':
        return t`Uppercase letters: at least ${least}`;
      case 'lowercase':
        return t`Lowercase letters: at least ${least}`;
    }
  };
  return (
    <ul className={styles.rules} aria-label={t`Password rules`}>
      {demandsOf(rule).map((demand) => {
        const isMet = password !== '' && !unmet.includes(demand);
        const Icon = isMet ? IconCircleCheck : IconCircle;
        return (
          <li key={demand} data-met={isMet} className={demand === 'chk-name' || demand === 'common' ? styles.wide : ''}>
            <Icon size={14} stroke={2} aria-label={isMet ? t`met` : t`not met yet`} role="img" />
            {text(demand)}
          </li>
        );
      })}
    </ul>
  );
}

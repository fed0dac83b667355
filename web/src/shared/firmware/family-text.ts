import { useLingui } from '@lingui/react/macro';
import type { Family } from '../../../../daemon/contract/device-catalog.ts';
import { familyTexts } from '../devices/device-look.ts';

/** Returns the name of a family in the language of the page. */
export function useFamilyText(): (family: Family) => string {
  const { i18n } = useLingui();
  return (family) => {
    const text = familyTexts[family];
    return typeof text === 'string' ? text : i18n._(text);
  };
}

import { useLingui } from '@lingui/react';
import { type Format, formatFor } from '../lib/format.ts';

export function useFormat(): Format {
  return formatFor(useLingui().i18n.locale === 'zh' ? 'zh-CN' : 'en-GB');
}

import { useLingui } from '@lingui/react/macro';
import type { OperationChange } from '../../../daemon/contract/logs.ts';
import type { CallError } from '../api/result.ts';
import { detailText } from '../i18n/operation-text.ts';

/** What the one who was faster has changed, as the operation log says it. */
export default function LastChange({ error: { params } }: { error: CallError }) {
  const { i18n } = useLingui();
  const changes = JSON.parse(String(params.words ?? '[]')) as OperationChange[];
  const said = { action: '', result: 0, subject: String(params.what), changes };
  return <>{detailText(i18n, { ...said, detail: String(params.change ?? '') })}</>;
}

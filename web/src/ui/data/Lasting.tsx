import { Trans } from '@lingui/react/macro';
import { useFormat } from '../../i18n/useFormat.ts';

/** How long something has lasted; the time when it began on hover. */
export function Lasting({ since, now }: { since: number; now: number }) {
  const format = useFormat();
  return (
    <time dateTime={new Date(since).toISOString()} title={format.dateTime(since)}>
      <Trans>for {format.span((now - since) / 1000)}</Trans>
    </time>
  );
}

import { Trans } from '@lingui/react/macro';
import type { NdiRouter } from '../../../../daemon/contract/ndi-router.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';

/** Shows that another machine on the network has the base name; nothing otherwise. */
export function NameClash({ router }: { router: NdiRouter }) {
  const { comma } = useFormat();
  const clashes = router['name-clash'];
  if (clashes === undefined) return null;
  const base = router['base-name'].toUpperCase();
  const names = clashes.join(comma);
  return (
    <Banner tone="warn" title={<Trans>Another machine on the network has the base name {base}</Trans>}>
      <Trans>
        Its sources: {names}. Choose another base name in the settings, so that receivers can tell them apart.
      </Trans>
    </Banner>
  );
}

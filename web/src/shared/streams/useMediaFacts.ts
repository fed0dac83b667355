import { useLingui } from '@lingui/react/macro';
import type { MediaInfo } from '../../../../daemon/contract/stream-fields.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import type { Fact } from '../../ui/layout/Facts.tsx';
import { furtherTracks } from './media-text.ts';

/** Other contents of a transport stream besides the shown picture and sound; empty for most streams. */
export function useMediaFacts(media: MediaInfo | undefined): Fact[] {
  const { t } = useLingui();
  const format = useFormat();
  if (media === undefined) return [];
  const tracks = furtherTracks(media);
  return [
    ...(tracks.length > 0 ? [{ name: t`Other tracks`, value: tracks.join(format.comma) }] : []),
    ...(media.programs === undefined ? [] : [{ name: t`Programs`, value: format.number(media.programs) }]),
  ];
}

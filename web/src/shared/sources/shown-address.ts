import type { ShownConfig } from '../../../../daemon/contract/outputs.ts';
import { dots } from './forms/protocol-form.ts';

/** The address for lists: the SRT stream ID and the query of pulled URLs are replaced by bullets. */
export function shownAddress({ url, srt }: Pick<ShownConfig, 'url' | 'srt'>): string {
  if (srt !== undefined) return url.replace(/(?<=[?&]streamid=)[^&]*/, dots);
  return /^(?:https?|rtsp):/i.test(url) ? url.replace(/\?.*$/s, `?${dots}`) : url;
}

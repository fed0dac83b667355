import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Fragment, useEffect, useRef } from 'react';
import { type Level, lowestDb } from './audio-level.ts';
import styles from './PreviewPlayer.module.css';
import { maxChannels } from './sound.ts';

interface LevelMetersProps {
  /** Audio channels of the stream. */
  readonly count: number;
  readonly levels: (count: number) => readonly Level[] | undefined;
}

const marks = [-60, -40, -20, -10, -6, 0];
/** Update interval of the text for screen readers; the bars are drawn in every frame. */
const announceEveryMs = 500;

/** One level for each audio channel, from -60 to 0 dBFS with peak hold. Drawn without React rendering, sixty times a second. */
export function LevelMeters({ count, levels }: LevelMetersProps) {
  const { t, i18n } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const shown = Math.min(Math.max(count, 1), maxChannels);
  useEffect(() => {
    let frame = 0;
    let announcedAt = 0;
    const draw = (now: number) => {
      frame = requestAnimationFrame(draw);
      const found = levels(shown);
      const bars = box.current?.querySelectorAll<HTMLElement>('[role="meter"]') ?? [];
      const isTime = now - announcedAt > announceEveryMs;
      if (isTime) announcedAt = now;
      bars.forEach((bar, at) => {
        const level = found?.[at] ?? { now: lowestDb, peak: lowestDb };
        bar.style.setProperty('--level', String(share(level.now)));
        bar.style.setProperty('--peak', String(share(level.peak)));
        if (isTime) bar.setAttribute('aria-valuenow', level.now.toFixed(0));
      });
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [levels, shown]);
  return (
    <div ref={box} className={styles.meters}>
      {channelNames(shown).map(({ short, name }) => (
        <Fragment key={short}>
          <span className={styles.channel} aria-hidden>
            {short}
          </span>
          {/* biome-ignore lint/a11y/useSemanticElements: the native meter has no peak hold */}
          <div
            className={styles.meter}
            role="meter"
            aria-label={t`Level ${i18n._(name)} in dBFS`}
            aria-valuemin={lowestDb}
            aria-valuemax={0}
            aria-valuenow={lowestDb}
          >
            <span className={styles.level} />
            <span className={styles.peak} />
          </div>
        </Fragment>
      ))}
      <span className={styles.unit}>dBFS</span>
      <div className={styles.scale} aria-hidden>
        {marks.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
    </div>
  );
}

const left = { short: 'L', name: msg`Left` };
const right = { short: 'R', name: msg`Right` };
const surround = [
  ...[left, right, { short: 'C', name: msg`Center` }, { short: 'LFE', name: msg`LFE` }],
  ...[
    { short: 'Ls', name: msg`Left surround` },
    { short: 'Rs', name: msg`Right surround` },
  ],
];

/** In the order of AAC decoders; other numbers of channels are only numbered. */
function channelNames(count: number): readonly { readonly short: string; readonly name: MessageDescriptor }[] {
  if (count === 1) return [{ short: 'M', name: msg`Mono` }];
  if (count === 2) return [left, right];
  if (count === 6) return surround;
  return Array.from({ length: count }, (_, at) => ({ short: String(at + 1), name: msg`Channel ${at + 1}` }));
}

function share(db: number): number {
  return 1 - db / lowestDb;
}

import { useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { type Level, lowestDb } from './audio-level.ts';
import styles from './PreviewDialog.module.css';

interface LevelMetersProps {
  readonly levels: () => readonly [Level, Level] | undefined;
}

const marks = [-60, -40, -20, -10, -6, 0];
/** Update interval of the text for screen readers; the bars are drawn in every frame. */
const announceEveryMs = 500;

/** Stereo levels from -60 to 0 dBFS with peak hold. Drawn without React rendering, sixty times a second. */
export function LevelMeters({ levels }: LevelMetersProps) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let frame = 0;
    let announcedAt = 0;
    const draw = (now: number) => {
      frame = requestAnimationFrame(draw);
      const found = levels();
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
  }, [levels]);
  return (
    <div ref={box} className={styles.meters}>
      {[t`Left`, t`Right`].map((name) => (
        // biome-ignore lint/a11y/useSemanticElements: the native meter has no peak hold
        <div
          key={name}
          className={styles.meter}
          role="meter"
          aria-label={t`Level ${name} in dBFS`}
          aria-valuemin={lowestDb}
          aria-valuemax={0}
          aria-valuenow={lowestDb}
        >
          <span className={styles.level} />
          <span className={styles.peak} />
        </div>
      ))}
      <div className={styles.scale} aria-hidden>
        {marks.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
    </div>
  );
}

function share(db: number): number {
  return 1 - db / lowestDb;
}

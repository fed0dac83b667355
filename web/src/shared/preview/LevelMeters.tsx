import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconVolumeOff } from '@tabler/icons-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import { useFormat } from '../../i18n/useFormat.ts';
import { type Level, lowestDb } from './audio-level.ts';
import styles from './PreviewPlayer.module.css';
import { maxChannels } from './sound.ts';

interface LevelMetersProps {
  /** Audio channels of the stream. */
  readonly count: number;
  readonly levels: (count: number) => readonly Level[] | undefined;
}

const marks = [-60, -40, -20, -10, -6, 0];
/** Update interval of the texts; the bars are drawn in every frame. */
const textEveryMs = 500;
/** A shorter pause is part of speech and music. */
const silentFromMs = 2000;

/**
 * One level for each audio channel, from -60 to 0 dBFS with peak hold, and how long it has been silent. The bars are
 * drawn without React rendering, sixty times a second.
 */
export function LevelMeters({ count, levels }: LevelMetersProps) {
  const { t, i18n } = useLingui();
  const valueText = useValueText();
  const format = useFormat();
  const [texts, setTexts] = useState<readonly Level[]>([]);
  const box = useRef<HTMLDivElement>(null);
  const shown = Math.min(Math.max(count, 1), maxChannels);
  useEffect(() => {
    let frame = 0;
    let shownAt = 0;
    const draw = (now: number) => {
      frame = requestAnimationFrame(draw);
      const found = levels(shown);
      const bars = box.current?.querySelectorAll<HTMLElement>('[role="meter"]') ?? [];
      if (now - shownAt > textEveryMs) {
        shownAt = now;
        setTexts(found ?? []);
      }
      bars.forEach((bar, at) => {
        const level = found?.[at] ?? silence;
        bar.style.setProperty('--level', String(share(level.now)));
        bar.style.setProperty('--peak', String(share(level.peak)));
      });
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [levels, shown]);
  const names = channelNames(shown);
  const silent = names.filter((_, at) => isSilent(texts[at])).map(({ name }) => i18n._(name));
  return (
    <div ref={box} className={styles.meters}>
      {names.map(({ short, name }, at) => (
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
            aria-valuenow={Math.round(texts[at]?.now ?? lowestDb)}
            aria-valuetext={valueText(texts[at])}
          >
            <span className={styles.level} />
            <span className={styles.peak} />
          </div>
          <LevelText level={texts[at]} />
        </Fragment>
      ))}
      <span className={styles.unit}>dBFS</span>
      <div className={styles.scale} aria-hidden>
        {marks.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
      <VisuallyHidden aria-live="polite">{silent.length > 0 && t`Silent: ${silent.join(format.comma)}`}</VisuallyHidden>
    </div>
  );
}

const silence: Level = { now: lowestDb, peak: lowestDb, silentMs: 0 };

function isSilent(level: Level | undefined): boolean {
  return level !== undefined && level.silentMs >= silentFromMs;
}

function useValueText() {
  const { t } = useLingui();
  const format = useFormat();
  return (level: Level | undefined): string => {
    if (level === undefined) return t`not measured`;
    if (isSilent(level)) return t`silent for ${format.span(Math.floor(level.silentMs / 1000))}`;
    return t`${Math.round(level.now)} dBFS, peak ${Math.round(level.peak)} dBFS`;
  };
}

/** The held peak, or how long the channel has been silent. Screen readers get both from the meter. */
function LevelText({ level }: { level: Level | undefined }) {
  const format = useFormat();
  if (level === undefined || !isSilent(level)) {
    return (
      <span className={styles.value} aria-hidden>
        {level === undefined ? '–' : Math.round(level.peak)}
      </span>
    );
  }
  return (
    <span className={styles.value} data-silent aria-hidden>
      <IconVolumeOff size={13} />
      <Trans>Silent {format.span(Math.floor(level.silentMs / 1000))}</Trans>
    </span>
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

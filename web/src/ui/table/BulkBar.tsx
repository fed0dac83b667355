import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, CloseButton } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { FaultText } from '../feedback/FaultText.tsx';
import { confirm } from '../overlay/confirm.ts';
import { DropMenu } from '../overlay/DropMenu.tsx';
import styles from './BulkBar.module.css';
import { type BulkAct, type BulkResult, runBulk } from './bulk.ts';
import type { Named } from './column.ts';

interface BulkBarProps<T> {
  readonly acts: readonly BulkAct<T>[];
  readonly selected: readonly T[];
  readonly select: (ids: Iterable<number>) => void;
}

const isButton = ({ inMenu }: { readonly inMenu?: true }) => inMenu === undefined;

type Progress<T> =
  | { readonly is: 'running'; readonly finished: number; readonly total: number }
  | { readonly is: 'ended'; readonly result: BulkResult<T> };

/** Acts on the chosen rows, their progress, and what failed. */
export default function BulkBar<T extends Named>({ acts, selected, select }: BulkBarProps<T>) {
  const { t, i18n } = useLingui();
  const [progress, setProgress] = useState<Progress<T>>();
  // A report stays until other rows are chosen.
  const chosen = selected.map(({ id }) => id).join();
  const [reported, setReported] = useState('');
  const [open, setOpen] = useState<{ readonly act: BulkAct<T>; readonly items: readonly T[] }>();
  const isReported = progress !== undefined && (progress.is === 'running' || reported === chosen);
  if (selected.length === 0 && !isReported) return null;
  const begin = async (act: BulkAct<T>, items: readonly T[]) => {
    const report = (finished: number) => setProgress({ is: 'running', finished, total: items.length });
    report(0);
    const result = await runBulk(items, act.run, report);
    await act.after?.().catch(() => {});
    setProgress({ is: 'ended', result });
    // What failed stays chosen, so that it can be tried again.
    const failed = items.filter((one) => result.failed.some(({ item }) => item.id === one.id)).map(({ id }) => id);
    setReported(failed.join());
    select(failed);
  };
  const start = (act: BulkAct<T>, items: readonly T[]) => {
    if (act.dialog) return setOpen({ act, items });
    const question = act.ask(items, i18n);
    if (question === undefined) return void begin(act, items);
    confirm({
      ...question,
      isDangerous: true,
      // The dialog closes at once; the bar shows the progress.
      run: () => Promise.resolve(void begin(act, items)),
    });
  };
  const isRunning = progress?.is === 'running';
  const inMenu = acts.filter((act) => act.inMenu && selected.some((item) => act.isOffered?.(item) ?? true));
  const menuItem = (act: BulkAct<T>) => {
    const count = selected.filter(act.appliesTo).length;
    return {
      ...{ key: act.key, text: `${i18n._(act.title)} ${count}`, icon: act.icon },
      ...(count === 0 && { disabledReason: t`None of the selected devices can do this now` }),
      onSelect: () => setOpen({ act, items: selected }),
    };
  };
  const Choice = open?.act.dialog;
  return (
    <section className={styles.bar} aria-label={t`Selection`}>
      {Choice && (
        <Choice
          items={open.items}
          begin={(run) => void begin({ ...open.act, run }, open.items)}
          onClose={() => setOpen(undefined)}
        />
      )}
      <div className={styles.line}>
        <span className={styles.count} aria-live="polite">
          {progress === undefined || !isReported ? (
            <Plural value={selected.length} one="# selected" other="# selected" />
          ) : (
            <ProgressText progress={progress} />
          )}
        </span>
        {inMenu.length > 0 && (
          <DropMenu
            label={t`Control the selected devices`}
            triggerClassName={styles.menu}
            trigger={
              <>
                <Trans>Control</Trans> <IconChevronUp size={14} aria-hidden />
              </>
            }
            items={() => inMenu.map((act) => menuItem(act))}
          />
        )}
        {acts.filter(isButton).map((act) => {
          const items = selected.filter(act.appliesTo);
          const Icon = act.icon;
          return (
            <Button
              key={act.key}
              size="xs"
              variant="default"
              leftSection={<Icon size={14} aria-hidden />}
              disabled={items.length === 0 || isRunning}
              onClick={() => start(act, items)}
            >
              {i18n._(act.title)} {items.length}
            </Button>
          );
        })}
        <CloseButton
          className={styles.close ?? ''}
          aria-label={t`Clear the selection`}
          disabled={isRunning}
          onClick={() => {
            select([]);
            setProgress(undefined);
          }}
        />
      </div>
      {isReported && progress.is === 'ended' && progress.result.failed.length > 0 && (
        <ul className={styles.faults}>
          {progress.result.failed.map(({ item, error }) => (
            <li key={item.id}>
              <strong>{item.name}</strong> <FaultText error={error} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ProgressText<T>({ progress }: { progress: Progress<T> }) {
  if (progress.is === 'running') {
    return (
      <Trans>
        {progress.finished} of {progress.total} done
      </Trans>
    );
  }
  const { done, failed } = progress.result;
  return failed.length === 0 ? (
    <Plural value={done} one="# done" other="# done" />
  ) : (
    <Trans>
      {done} done, {failed.length} failed
    </Trans>
  );
}

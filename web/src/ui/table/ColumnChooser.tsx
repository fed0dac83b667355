import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconColumns3 } from '@tabler/icons-react';
import { useId, useRef } from 'react';
import { placeBelow } from '../overlay/place-below.ts';
import styles from './ColumnChooser.module.css';
import type { Column } from './column.ts';
import { moveColumn, orderedColumns, type TableSettings, toggleColumn } from './column-choice.ts';

interface ColumnChooserProps<T> {
  readonly columns: readonly Column<T>[];
  readonly settings: TableSettings;
  readonly defaults: TableSettings;
  readonly keep: (settings: TableSettings) => void;
  /** The chosen columns for which there is room at present; absent if that is not known. */
  readonly fitting?: readonly Column<T>[];
}

/** Chooses columns and their order; stored per table in this browser. */
export function ColumnChooser<T>({ columns, settings, defaults, keep, fitting }: ColumnChooserProps<T>) {
  const { i18n, t } = useLingui();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const ordered = orderedColumns(columns, settings);
  const open = () => {
    if (panel.current === null || button.current === null) return;
    panel.current.togglePopover();
    placeBelow(panel.current, button.current);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.trigger}
        aria-haspopup="dialog"
        aria-controls={id}
        onClick={open}
      >
        <IconColumns3 size={16} stroke={1.7} aria-hidden />
        <Trans>Columns</Trans>
      </button>
      <div ref={panel} id={id} popover="auto" role="dialog" aria-label={t`Columns`} className={styles.panel}>
        <ul>
          {ordered.map((column, at) => {
            const title = i18n._(column.title);
            const isChosen = !settings.hidden.includes(column.key);
            const isLeftOut = isChosen && fitting?.some(({ key }) => key === column.key) === false;
            return (
              <li key={column.key} className={styles.line}>
                <label>
                  <input
                    type="checkbox"
                    checked={isChosen}
                    disabled={column.isFixed === true}
                    onChange={() => keep(toggleColumn(settings, column.key))}
                  />
                  <span>
                    {title}
                    {isLeftOut && (
                      <span className={styles.leftOut}>
                        <Trans>Hidden at this width</Trans>
                      </span>
                    )}
                  </span>
                </label>
                <button
                  type="button"
                  aria-label={t`Move ${title} up`}
                  disabled={at === 0}
                  onClick={() => keep(moveColumn(columns, settings, { key: column.key, by: -1 }))}
                >
                  <IconArrowUp size={14} aria-hidden />
                </button>
                <button
                  type="button"
                  aria-label={t`Move ${title} down`}
                  disabled={at === ordered.length - 1}
                  onClick={() => keep(moveColumn(columns, settings, { key: column.key, by: 1 }))}
                >
                  <IconArrowDown size={14} aria-hidden />
                </button>
              </li>
            );
          })}
        </ul>
        <Button variant="subtle" size="xs" fullWidth onClick={() => keep({ ...defaults, pageSize: settings.pageSize })}>
          <Trans>Reset</Trans>
        </Button>
      </div>
    </>
  );
}

import type { IconProps } from '@tabler/icons-react';
import { IconCheck } from '@tabler/icons-react';
import {
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './DropMenu.module.css';
import { placeBelow } from './place-below.ts';

interface MenuItem {
  readonly key: string;
  readonly text: string;
  readonly icon?: ComponentType<IconProps>;
  /** Set for radio items. */
  readonly isChecked?: boolean;
  readonly isDangerous?: boolean;
  /** Why the item is unavailable now; it is shown as disabled. */
  readonly disabledReason?: string | undefined;
  readonly lang?: string;
  readonly onSelect: () => void;
}

interface DropMenuProps {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly triggerClassName?: string | undefined;
  /** A line above the items. */
  readonly note?: ReactNode;
  /** Created when the menu opens: a closed menu costs only a button. */
  readonly items: () => readonly MenuItem[];
}

/**
 * A button with a menu, built on the native popover: it is above everything, closes on an outside click or Escape, and
 * the focus returns to the button before the chosen action runs.
 */
export function DropMenu({ label, trigger, triggerClassName, note, items }: DropMenuProps) {
  const id = useId();
  const [shown, setShown] = useState<readonly MenuItem[]>();
  const isOpen = shown !== undefined;
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const open = () => setShown(items());
  useLayoutEffect(() => {
    if (!isOpen || button.current === null || list.current === null) return;
    list.current.showPopover();
    placeBelow(list.current, button.current);
    (list.current.querySelector<HTMLElement>('[aria-checked="true"]') ?? list.current.querySelector('button'))?.focus();
  }, [isOpen]);
  const close = () => {
    list.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={triggerClassName ?? styles.trigger}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={isOpen ? close : open}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          open();
        }}
      >
        {trigger}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className={styles.menu}
        onToggle={(event) => event.newState === 'closed' && setShown(undefined)}
        onKeyDown={(event) => (event.key === 'Tab' ? close() : moveFocus(event))}
      >
        {isOpen && note && (
          <div className={styles.note} role="presentation">
            {note}
          </div>
        )}
        {shown?.map((item) => (
          <Item key={item.key} item={item} onDone={close} />
        ))}
      </div>
    </>
  );
}

function Item({ item, onDone }: { item: MenuItem; onDone: () => void }) {
  const { icon: Icon, isChecked, disabledReason } = item;
  const [textId, reasonId] = [useId(), useId()];
  const select = () => {
    if (disabledReason !== undefined) return;
    onDone();
    item.onSelect();
  };
  return (
    <button
      type="button"
      role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
      {...(isChecked !== undefined && { 'aria-checked': isChecked })}
      aria-disabled={disabledReason !== undefined}
      aria-labelledby={textId}
      aria-describedby={disabledReason && reasonId}
      lang={item.lang}
      className={styles.item}
      data-danger={item.isDangerous}
      tabIndex={-1}
      onClick={select}
    >
      {Icon && <Icon size={16} stroke={1.7} aria-hidden />}
      <span className={styles.text}>
        <span id={textId}>{item.text}</span>
        {disabledReason && (
          <span id={reasonId} className={styles.reason}>
            {disabledReason}
          </span>
        )}
      </span>
      {isChecked === true && <IconCheck size={15} aria-hidden />}
    </button>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = nextIndex(event.key, at, all);
  if (next === undefined) return;
  event.preventDefault();
  all[next]?.focus();
}

function nextIndex(key: string, at: number, all: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % all.length;
  if (key === 'ArrowUp') return (at + all.length - 1) % all.length;
  if (key === 'Home') return 0;
  if (key === 'End') return all.length - 1;
  if (key.length !== 1 || key === ' ') return undefined;
  // A letter moves to the next item that starts with it.
  const order = all.map((_, step) => (at + 1 + step) % all.length);
  return order.find((index) => all[index]?.textContent?.toLowerCase().startsWith(key.toLowerCase()));
}

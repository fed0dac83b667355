/** A list of which one entry is chosen. Each has a picture, a name with a line below it, and its state. */
import type { ReactNode } from 'react';
import styles from './Choices.module.css';

interface ChoicesProps {
  readonly label: string;
  /** Keeps its height while a search changes the entries. */
  readonly isSteady?: boolean;
  readonly children: ReactNode;
}

export function Choices({ label, isSteady = false, children }: ChoicesProps) {
  return (
    <div className={styles.list} data-steady={isSteady} role="radiogroup" aria-label={label}>
      {children}
    </div>
  );
}

interface ChoiceProps {
  /** Name of the radio group. */
  readonly group: string;
  readonly isChosen: boolean;
  readonly isDisabled?: boolean;
  /** The dialog begins at the chosen entry. */
  readonly takesFocus?: boolean;
  readonly onChoose: () => void;
  /** Its place stays empty without one. */
  readonly picture: ReactNode;
  readonly name: string;
  readonly line: ReactNode;
  /** The line in full, where it may be cut off. */
  readonly title?: string | undefined;
  readonly status: ReactNode;
}

export function Choice(props: ChoiceProps) {
  const {
    group,
    isChosen,
    isDisabled = false,
    takesFocus = false,
    onChoose,
    picture,
    name,
    line,
    title,
    status,
  } = props;
  return (
    <label className={styles.option} data-disabled={isDisabled}>
      <input
        type="radio"
        name={group}
        checked={isChosen}
        disabled={isDisabled}
        onChange={onChoose}
        data-autofocus={takesFocus || undefined}
      />
      {picture || <span className={styles.noPicture} />}
      <span className={styles.text}>
        <span className={styles.name}>{name}</span>
        <span className={styles.faint} title={title}>
          {line}
        </span>
      </span>
      <span className={styles.status}>{status}</span>
    </label>
  );
}

/** A line of the state of an entry that is not the most important one. */
export function ChoiceNote({ children }: { readonly children: ReactNode }) {
  return <span className={styles.faint}>{children}</span>;
}

/** Stands in the list in place of entries, or after them. */
export function ChoicesNote({ children }: { readonly children: ReactNode }) {
  return <p className={styles.none}>{children}</p>;
}

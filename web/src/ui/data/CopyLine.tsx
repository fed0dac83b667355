import { CopyButton } from './CopyButton.tsx';
import styles from './CopyLine.module.css';

interface CopyLineProps {
  readonly label: string;
  /** Tells the button from others with the same label. */
  readonly name?: string;
  readonly text: string;
  /** Shown instead of the text. */
  readonly shown?: string;
  readonly onCopy?: (() => void) | undefined;
}

/** A value in one line, ready to copy. */
export function CopyLine({ label, name = label, text, shown = text, onCopy }: CopyLineProps) {
  return (
    <div className={styles.line}>
      <span className={styles.label}>{label}</span>
      <code className={styles.text}>{shown}</code>
      <CopyButton text={text} label={name} onCopy={onCopy} />
    </div>
  );
}

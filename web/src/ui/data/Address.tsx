import styles from './Address.module.css';

/** An address, or a sentence that contains one. It is one text for screen readers, and breaks only where it must. */
export function Address({ text }: { text: string }) {
  return (
    <span className={styles.address} title={text}>
      {text}
    </span>
  );
}

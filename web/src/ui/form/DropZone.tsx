import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import styles from './DropZone.module.css';

interface DropZoneProps {
  /** Undefined for users who may not upload. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  /** Shown while files are over it. */
  readonly note: ReactNode;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');

/** Takes files that are dropped on it. A button has to do the same for the keyboard. */
export function DropZone({ onFiles, note, className = '', children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  if (onFiles === undefined) return <div className={className}>{children}</div>;
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  const leave = (event: DragEvent) => {
    // The pointer may have moved onto something within.
    if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button does the same
    <div
      className={`${styles.zone} ${className}`}
      data-over={isOver}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div className={styles.over}>
          <IconUpload size={30} stroke={1.4} aria-hidden />
          {note}
        </div>
      )}
    </div>
  );
}

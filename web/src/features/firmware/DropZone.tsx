import { Trans } from '@lingui/react/macro';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import styles from './FirmwareListPage.module.css';

interface DropZoneProps {
  /** Undefined for users who may not upload. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');

/** Takes files that are dropped on the page. The button of the page does the same for the keyboard. */
export function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  if (onFiles === undefined) return children;
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
    // biome-ignore lint/a11y/noStaticElementInteractions: the button of the page does the same
    <div className={styles.zone} data-over={isOver} onDragOver={over} onDragLeave={leave} onDrop={drop}>
      {children}
      {isOver && (
        <div className={styles.over}>
          <IconUpload size={30} stroke={1.4} aria-hidden />
          <Trans>Drop the firmware files here</Trans>
        </div>
      )}
    </div>
  );
}

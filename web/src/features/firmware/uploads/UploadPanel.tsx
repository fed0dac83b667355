import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { Task } from '../../../../../daemon/contract/tasks.ts';
import { useSession } from '../../../api/session.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { amountText } from '../../../lib/format.ts';
import { useTasks } from '../../../shared/tasks/tasks-query.ts';
import { FaultText } from '../../../ui/feedback/FaultText.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { isFileOf } from './known-files.ts';
import styles from './UploadPanel.module.css';
import { addUpload, cancelTask, cancelUpload, type QueuedFile, removeUpload, useUploads } from './upload-queue.ts';

export const uploadKind = 'firmware.upload';

/** Own uploads that wait for their file: the page was reloaded, or another window sends them. */
export function usePausedUploads(): readonly Task[] {
  const user = useSession().name;
  const queued = new Set(useUploads(({ list }) => list).map(({ task }) => task));
  return useTasks().filter(
    (task) => task.kind === uploadKind && task.ended === 0 && task.owner === user && !queued.has(task.id),
  );
}

/** Continues an upload with the file that it began with. */
export function continueUpload({ id, done }: Task, file: File): void {
  addUpload({ file, stated: {}, resumed: { task: id, done } });
}

/** The uploads of this user; nothing while there are none. */
export function UploadPanel() {
  const queued = useUploads(({ list }) => list);
  const paused = usePausedUploads();
  if (queued.length + paused.length === 0) return null;
  return (
    <div className={styles.panel}>
      <Panel title={<Trans>Uploads</Trans>} isFlush>
        <ul className={styles.list}>
          {queued.map((one) => (
            <Queued key={one.key} one={one} />
          ))}
          {paused.map((task) => (
            <Paused key={task.id} task={task} />
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Queued({ one }: { one: QueuedFile }) {
  const { t } = useLingui();
  const { key, file, state, done, error } = one;
  const { name } = file;
  const ask = () =>
    confirm({
      title: t`Cancel the upload of “${name}”?`,
      consequence: t`The part of the file received so far is deleted.`,
      verb: t`Cancel upload`,
      keep: t`Keep uploading`,
      isDangerous: true,
      run: () => cancelUpload(key),
    });
  const again = () => {
    removeUpload(key);
    addUpload({ file, stated: one.stated });
  };
  return (
    <Row
      name={name}
      done={done}
      total={file.size}
      facts={<QueuedFacts one={one} />}
      fault={error !== undefined && <FaultText error={error} />}
      actions={
        state === 'failed' ? (
          <>
            <Act text={<Trans>Try again</Trans>} label={t`Retry ${name}`} onClick={again} />
            <Act
              text={<Trans>Remove</Trans>}
              label={t`Remove ${name} from the list`}
              onClick={() => removeUpload(key)}
            />
          </>
        ) : (
          <Act
            text={<Trans>Cancel</Trans>}
            label={t`Cancel the upload of ${name}`}
            onClick={done === 0 ? () => void cancelUpload(key) : ask}
          />
        )
      }
    />
  );
}

function QueuedFacts({ one: { file, state, done, rate } }: { one: QueuedFile }) {
  const { t } = useLingui();
  const format = useFormat();
  const texts: Record<QueuedFile['state'], string> = {
    ...{ waiting: t`Waiting`, sending: t`Uploading`, checking: t`Checking`, failed: t`Failed` },
  };
  const left = rate === undefined || rate === 0 ? undefined : format.duration((file.size - done) / rate);
  const perSecond = rate === undefined ? undefined : amountText(format.bytes(rate));
  return (
    <>
      <span>{texts[state]}</span>
      <Amount done={done} total={file.size} />
      {state === 'sending' && perSecond !== undefined && <span>{t`${perSecond}/s`}</span>}
      {state === 'sending' && left !== undefined && <span>{t`${left} left`}</span>}
    </>
  );
}

function Paused({ task }: { task: Task }) {
  const { t } = useLingui();
  const { id, subject: name, done, total } = task;
  const choose = (file: File | null) => {
    if (file === null) return;
    if (isFileOf(task, file)) continueUpload(task, file);
    else showToast('error', t`This is a different file. Choose the file “${name}” with which the upload started.`);
  };
  const ask = () =>
    confirm({
      title: t`Cancel the upload of “${name}”?`,
      consequence: t`The part of the file received so far is deleted.`,
      verb: t`Cancel upload`,
      keep: t`Keep it`,
      isDangerous: true,
      run: () => cancelTask(id),
    });
  return (
    <Row
      name={name}
      done={done}
      total={total}
      facts={
        <>
          <span>
            <Trans>Waiting for you to choose the file again, or uploading in another window</Trans>
          </span>
          <Amount done={done} total={total} />
        </>
      }
      actions={
        <>
          <FileButton accept=".mwf" onChange={choose}>
            {(props) => <Act text={<Trans>Choose the file again</Trans>} label={t`Continue with ${name}`} {...props} />}
          </FileButton>
          <Act text={<Trans>Cancel</Trans>} label={t`Cancel the upload of ${name}`} onClick={ask} />
        </>
      }
    />
  );
}

function Amount({ done, total }: { done: number; total: number }) {
  const format = useFormat();
  const [doneText, totalText] = [amountText(format.bytes(done)), amountText(format.bytes(total))];
  return (
    <span>
      <Trans>
        {doneText} of {totalText}
      </Trans>
    </span>
  );
}

interface RowProps {
  readonly name: string;
  readonly done: number;
  readonly total: number;
  readonly facts: ReactNode;
  readonly fault?: ReactNode;
  readonly actions: ReactNode;
}

function Row({ name, done, total, facts, fault, actions }: RowProps) {
  const id = useId();
  return (
    <li className={styles.row}>
      <div className={styles.text}>
        <span id={id} className={styles.name} translate="no">
          {name}
        </span>
        <progress aria-labelledby={id} max={total} value={done} />
        <span className={styles.facts}>{facts}</span>
        {fault && (
          <span className={styles.fault} role="alert">
            {fault}
          </span>
        )}
      </div>
      <div className={styles.actions}>{actions}</div>
    </li>
  );
}

interface ActProps {
  readonly text: ReactNode;
  readonly label: string;
  readonly onClick: () => void;
}

function Act({ text, label, ...props }: ActProps) {
  return (
    <Button size="xs" variant="default" aria-label={label} {...props}>
      {text}
    </Button>
  );
}

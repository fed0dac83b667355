import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton, PasswordInput } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { amountText } from '../../lib/format.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useAct } from '../../ui/form/useAct.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { ImportPreview } from './ImportPreview.tsx';
import { importFault } from './import-fault.ts';
import { StandalonePage } from './StandalonePage.tsx';
import styles from './Upkeep.module.css';
import { type Import, importSettings } from './upkeep-calls.ts';
import { useHubReturn } from './useHubReturn.ts';
import { WaitPanel } from './WaitPanel.tsx';

interface ChosenFile {
  readonly name: string;
  readonly text: string;
  readonly hasSecrets: boolean;
}

interface Seen {
  readonly preview: Import;
  readonly passphrase: string;
}

/** First the file and its passphrase, then what it would change, then the restart. */
export default function ImportPage() {
  const { t } = useLingui();
  const hub = useHubReturn();
  const [file, setFile] = useState<ChosenFile | undefined>();
  const [seen, setSeen] = useState<Seen | undefined>();
  const isStarted = hub.wait !== undefined;
  return (
    <StandalonePage
      title={t`Import settings`}
      intro={
        <Trans>
          Replaces the settings of this hub by those of a file. You first see what would change; nothing is stored
          before you confirm.
        </Trans>
      }
      isStarted={isStarted}
    >
      {isStarted ? (
        <WaitPanel
          hub={hub}
          steps={[
            <Trans key="check">The file was checked</Trans>,
            <Trans key="store">All settings are stored at once, or none</Trans>,
            <Trans key="start">The hub starts again; streams that stay the same continue</Trans>,
          ]}
          done={<Trans>The settings were imported</Trans>}
        />
      ) : (
        <>
          <FilePanel
            file={file}
            onFile={(chosen) => {
              setFile(chosen);
              setSeen(undefined);
            }}
            onSeen={setSeen}
          />
          {file !== undefined && seen !== undefined && (
            <ImportPreview
              key={seen.preview.digest}
              text={file.text}
              passphrase={seen.passphrase}
              preview={seen.preview}
              onStart={hub.begin}
              onDone={() => setSeen(undefined)}
            />
          )}
        </>
      )}
    </StandalonePage>
  );
}

interface FilePanelProps {
  readonly file: ChosenFile | undefined;
  readonly onFile: (file: ChosenFile) => void;
  readonly onSeen: (seen: Seen) => void;
}

function FilePanel({ file, onFile, onSeen }: FilePanelProps) {
  const { t, i18n } = useLingui();
  const [passphrase, setPassphrase] = useState('');
  const [isTooLarge, setTooLarge] = useState(false);
  const largest = amountText(useFormat().bytes(limits.settingsFile.maxBytes));
  const act = useAct(async (secret: string) => {
    if (file === undefined) return;
    const body = { file: file.text, preview: true, ...(secret !== '' && { passphrase: secret }) };
    onSeen({ preview: await importSettings(body), passphrase: secret });
  });
  const choose = async (chosen: File | null) => {
    if (chosen === null) return;
    setTooLarge(chosen.size > limits.settingsFile.maxBytes);
    if (chosen.size > limits.settingsFile.maxBytes) return;
    const text = await chosen.text();
    onFile({ name: chosen.name, text, hasSecrets: hasSecrets(text) });
  };
  const fault = act.error === undefined ? undefined : importFault(i18n, act.error);
  return (
    <Panel title={<Trans>Settings file</Trans>}>
      <div className={styles.file}>
        <FileButton onChange={(chosen) => void choose(chosen)} accept="application/json,.json">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconFileUpload size={18} aria-hidden />}>
              <Trans>Choose a file</Trans>
            </Button>
          )}
        </FileButton>
        <span className={styles.fileName}>{file?.name ?? t`No file chosen`}</span>
      </div>
      {isTooLarge && (
        <FormFault>
          <Trans>A settings file has at most {largest}.</Trans>
        </FormFault>
      )}
      {file !== undefined && (
        <form
          className={styles.fileForm}
          onSubmit={(event) => {
            event.preventDefault();
            void act.run(passphrase);
          }}
        >
          {file.hasSecrets && (
            <PasswordInput
              label={t`Passphrase of the file`}
              description={t`It was chosen when the file was exported.`}
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
              error={fault?.field === 'passphrase' ? fault.text : undefined}
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the passphrase` }}
            />
          )}
          {fault !== undefined && fault.field !== 'passphrase' && (
            <FormFault>{fault.text ?? <FaultText error={act.error} />}</FormFault>
          )}
          <Button type="submit" loading={act.isPending} className={styles.button}>
            <Trans>Show what would change</Trans>
          </Button>
        </form>
      )}
    </Panel>
  );
}

/** The hub checks the file; this only decides whether to ask for a passphrase. */
function hasSecrets(text: string): boolean {
  try {
    const document = JSON.parse(text) as { secrets?: unknown } | null;
    return document?.secrets !== undefined;
  } catch {
    return false;
  }
}

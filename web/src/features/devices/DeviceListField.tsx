import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton, Textarea } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { ruleText } from '../../i18n/rule-text.ts';
import styles from './AddDeviceDialog.module.css';
import type { ReadList } from './device-csv.ts';

interface DeviceListFieldProps {
  readonly read: ReadList;
  /** How many devices have a result, while they are added. */
  readonly done: number | undefined;
  /** Properties of the field. */
  readonly field: object;
  readonly onFile: (text: string) => void;
}

/** A list of 1000 lines has less. */
const maxFileBytes = 1 << 20;

/** A list of devices, pasted or from a file. */
export function DeviceListField({ read, done, field, onFile }: DeviceListFieldProps) {
  const { t, i18n } = useLingui();
  const count = read.devices.length;
  const load = async (file: File | null) => {
    if (file !== null) onFile(await file.slice(0, maxFileBytes).text());
  };
  return (
    <>
      <Textarea
        label={t`Devices`}
        description={t`One per line: address, username, password, name, certificate (SHA-256). All but the address may be left out.`}
        placeholder={t`192.168.1.20, Admin, password, Camera 1`}
        rows={6}
        spellCheck={false}
        error={read.fault && t`Line ${read.fault.line}: ${ruleText(i18n, read.fault.rule)}`}
        {...field}
      />
      <div className={styles.code}>
        <FileButton accept=".csv,.txt,text/csv,text/plain" onChange={load}>
          {(props) => (
            <Button variant="default" leftSection={<IconFileUpload size={16} aria-hidden />} {...props}>
              <Trans>Read a CSV file</Trans>
            </Button>
          )}
        </FileButton>
        {done !== undefined && (
          <>
            <progress aria-label={t`Adding devices`} max={count} value={done} />
            <span>
              <Trans>
                {done} of {count}
              </Trans>
            </span>
          </>
        )}
      </div>
    </>
  );
}

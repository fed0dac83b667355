import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { SectionPreview } from '../../../../daemon/contract/settings-file.ts';
import { useSession } from '../../api/session.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import type { Confirmation } from '../../shared/confirmed-change/risk.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useAct } from '../../ui/form/useAct.ts';
import { Facts } from '../../ui/layout/Facts.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { importFault } from './import-fault.ts';
import { sectionName } from './section-names.ts';
import styles from './Upkeep.module.css';
import { type Import, importSettings } from './upkeep-calls.ts';

/** Only appliances have sections that need it. Its texts are theirs. */
const AskToImport = deferredPart(async () => {
  const [dialog] = await Promise.all([import('./AskToImport.tsx'), addTexts('appliance')]);
  return dialog;
});

interface ImportPreviewProps {
  readonly text: string;
  readonly passphrase: string;
  readonly preview: Import;
  /** The hub restarts; it is back after about so many seconds. */
  readonly onStart: (estimateSeconds: number) => void;
  /** Nothing is left to do. */
  readonly onDone: () => void;
}

const changesOf = (section: SectionPreview) => section['added-num'] + section['changed-num'] + section['removed-num'];

/** What the file would change, section by section, and the button that does it. */
export function ImportPreview({ text, passphrase, preview, onStart, onDone }: ImportPreviewProps) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const user = useSession();
  const changed = preview.sections.filter((section) => changesOf(section) > 0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(changed.map(({ name }) => name)));
  const isWhole = chosen.size === changed.length;
  const needsRoot = preview['root-needed'].length > 0 && chosen.has('users') && user.name !== 'Admin';
  const [isAsked, setAsked] = useState(false);
  const used = changed.filter(({ name }) => chosen.has(name));
  const needsRestart = used.some(({ effect }) => effect === 'restart');
  const importChosen = (confirmation: Confirmation) => {
    const body = { file: text, sections: [...chosen], ...(passphrase !== '' && { passphrase }), ...confirmation };
    // The digest is that of all sections.
    return importSettings({ ...body, ...(isWhole && { digest: preview.digest, sections: undefined }) });
  };
  const finish = (done: Import) => {
    if (done.restarts) return onStart(done['estimate-sec']);
    showToast('success', t`The settings were imported.`, 'import');
    onDone();
  };
  const act = useAct(async () => finish(await importChosen({})));
  const choose = (name: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(name);
    else next.delete(name);
    setChosen(next);
  };
  const { file } = preview;
  return (
    <Panel title={<Trans>What would change</Trans>}>
      <Facts
        facts={[
          { name: t`From`, value: file.hub || t`Unknown` },
          { name: t`Exported`, value: format.dateTime(file.created) },
          { name: t`Version`, value: file.version },
          { name: t`Secrets`, value: file['has-secrets'] ? t`Included` : t`Left out` },
        ]}
      />
      {!file['has-checksum'] && (
        <p className={styles.note}>
          <Trans>The file has no checksum: it was written or edited by hand.</Trans>
        </p>
      )}
      {preview.ignored.length > 0 && (
        <p className={styles.note}>
          <Trans>
            Not on this hub, and ignored: {preview.ignored.map((name) => i18n._(sectionName(name))).join(', ')}
          </Trans>
        </p>
      )}
      {changed.length === 0 ? (
        <p>
          <Trans>The hub already has all of these settings.</Trans>
        </p>
      ) : (
        <ul className={styles.sections} aria-label={t`Sections`}>
          {changed.map((section) => (
            <li key={section.name}>
              <Checkbox
                label={i18n._(sectionName(section.name))}
                checked={chosen.has(section.name)}
                onChange={(event) => choose(section.name, event.currentTarget.checked)}
              />
              <SectionChanges section={section} />
            </li>
          ))}
        </ul>
      )}
      {preview['root-needed'].length > 0 && chosen.has('users') && (
        <Banner tone="warn" title={<Trans>Administrators change: {preview['root-needed'].join(', ')}</Trans>}>
          {needsRoot ? (
            <Trans>Only the user Admin can import that. Sign in as Admin, or leave out the users.</Trans>
          ) : (
            <Trans>They get all permissions, or another password. Make sure that you trust the file.</Trans>
          )}
        </Banner>
      )}
      {act.error !== undefined && (
        <FormFault>{importFault(i18n, act.error).text ?? <FaultText error={act.error} />}</FormFault>
      )}
      {changed.length > 0 && (
        <Button
          className={styles.button}
          loading={act.isPending}
          disabled={chosen.size === 0 || needsRoot}
          onClick={() => (used.some(({ effect }) => effect === 'confirm') ? setAsked(true) : void act.run(undefined))}
        >
          {needsRestart ? <Trans>Import and restart</Trans> : <Trans>Import</Trans>}
        </Button>
      )}
      {isAsked && (
        <AskToImport
          text={text}
          sections={used}
          onImport={importChosen}
          onFinal={finish}
          onTrial={onDone}
          onClose={() => setAsked(false)}
        />
      )}
    </Panel>
  );
}

function SectionChanges({ section }: { section: SectionPreview }) {
  const { t } = useLingui();
  const unchanged = section['unchanged-num'];
  const rows: readonly { tone: string; label: string; names: readonly string[]; total: number }[] = [
    { tone: 'added', label: t`Added`, names: section.added, total: section['added-num'] },
    {
      ...{ tone: 'changed', label: t`Changed`, total: section['changed-num'] },
      names: section.changed.map(({ name, members }) => `${name} (${members.join(', ')})`),
    },
    { tone: 'removed', label: t`Removed`, names: section.removed, total: section['removed-num'] },
  ];
  return (
    <dl className={styles.changes}>
      {rows
        .filter(({ total }) => total > 0)
        .map(({ tone, label, names, total }) => (
          <Row key={tone} tone={tone} label={label} total={total}>
            <Names names={names} total={total} />
          </Row>
        ))}
      {unchanged > 0 && (
        <Row tone="unchanged" label={t`Unchanged`} total={unchanged}>
          {null}
        </Row>
      )}
      {section['lacks-secrets'].length > 0 && (
        <Row tone="lacking" label={t`Set the password or key again`} total={section['lacks-secrets'].length}>
          <Names names={section['lacks-secrets']} total={section['lacks-secrets'].length} />
        </Row>
      )}
    </dl>
  );
}

interface RowProps {
  readonly tone: string;
  readonly label: string;
  readonly total: number;
  readonly children: ReactNode;
}

function Row({ tone, label, total, children }: RowProps) {
  return (
    <div data-tone={tone}>
      <dt>
        {label} <span className={styles.total}>{total}</span>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

const shownNames = 12;

function Names({ names, total }: { names: readonly string[]; total: number }) {
  const shown = names.slice(0, shownNames);
  const more = total - shown.length;
  return (
    <>
      <span translate="no">{shown.join(', ')}</span>
      {more > 0 && (
        <>
          {' '}
          <Plural value={more} one="and # more" other="and # more" />
        </>
      )}
    </>
  );
}

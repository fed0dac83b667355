import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Button, Switch } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { useAct } from '../../../ui/form/useAct.ts';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import styles from '../NdiRouter.module.css';
import { changeInput, deletePresets, type Router, usePresets, useSources } from '../router-query.ts';
import { tell } from '../routing.ts';
import { SourcePicture } from '../SourcePicture.tsx';
import { useNoEditReason } from '../useRouterActs.ts';

interface ListsProps {
  readonly router: Router;
  readonly mayEdit: boolean;
}

/** What can be added to an input: sources on the network, and presets. */
export function SourceLists({ router, mayEdit }: ListsProps) {
  const { t } = useLingui();
  const presets = usePresets();
  const noEdit = useNoEditReason(mayEdit);
  const isFull = [...router.inputs.values()].every(({ source }) => source !== null);
  const reason =
    noEdit ?? (isFull ? t`All inputs have a source. Empty an input, or increase the number of inputs.` : undefined);
  const remove = (id: number, name: string) =>
    confirm({
      title: t`Delete “${name}”?`,
      consequence: t`Inputs that were filled from it keep their sources.`,
      verb: t`Delete`,
      isDangerous: true,
      run: () => deletePresets({ id }),
      done: t`“${name}” was deleted.`,
    });
  return (
    <>
      <Found router={router} reason={reason} />
      {presets.length > 0 && (
        <Panel title={<Trans>Presets</Trans>} isFlush>
          <AddList
            entries={presets.map(({ id, name, source }) => ({
              ...{ key: name, name, line: source, add: { preset: id } },
              further: mayEdit && (
                <ActionIcon size={36} aria-label={t`Delete ${name}`} onClick={() => remove(id, name)}>
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              ),
            }))}
            reason={reason}
          />
        </Panel>
      )}
    </>
  );
}

/** Sources on the network that no input has. */
function Found({ router, reason }: { router: Router; reason: string | undefined }) {
  const { t } = useLingui();
  const sources = useSources();
  const [hasOwn, setHasOwn] = useState(false);
  const used = new Set([...router.inputs.values()].map(({ source }) => source));
  const free = sources.filter(({ name, own }) => (hasOwn || !own) && !used.has(name));
  return (
    <Panel
      title={<Trans>On the network, without an input</Trans>}
      aside={
        <Switch
          size="xs"
          label={t`Show outputs of this router`}
          checked={hasOwn}
          onChange={(event) => setHasOwn(event.currentTarget.checked)}
        />
      }
      isFlush
    >
      {free.length === 0 ? (
        <p className={styles.empty}>
          {sources.some(({ own }) => !own) ? (
            <Trans>Every source on the network has an input.</Trans>
          ) : (
            <Trans>No sources are found on the network.</Trans>
          )}
        </p>
      ) : (
        <AddList
          entries={free.map(({ name }) => ({
            ...{ key: name, name, add: { source: name }, picture: <SourcePicture source={name} isOnline /> },
          }))}
          reason={reason}
        />
      )}
    </Panel>
  );
}

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly line?: string;
  readonly picture?: ReactNode;
  readonly add: { readonly source: string } | { readonly preset: number };
  readonly further?: ReactNode;
}

/** Entries that get the next free input. `reason`: why none of them can be added. */
function AddList({ entries, reason }: { entries: readonly Entry[]; reason: string | undefined }) {
  const { t } = useLingui();
  const act = useAct(async ({ name, add }: Entry) => {
    await changeInput(add);
    tell(t`${name} added`);
  });
  return (
    <>
      {act.error !== undefined && <ActFault error={act.error} />}
      <ul className={styles.sources}>
        {entries.map((entry) => (
          <li key={entry.key}>
            {entry.picture}
            <span className={styles.sourceName}>
              {entry.name}
              {entry.line !== undefined && <span className={styles.sourceLine}>{entry.line}</span>}
            </span>
            <span className={styles.pictured}>
              <WithReason reason={reason}>
                <Button size="xs" variant="default" loading={act.isPending} onClick={() => void act.run(entry)}>
                  <Trans>Add to an input</Trans>
                </Button>
              </WithReason>
              {entry.further}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconCamera, IconDotsVertical, IconPencil, IconPlus, IconStack2, IconTrash } from '@tabler/icons-react';
import { limits } from '../../../../../daemon/contract/limits.ts';
import type { NdiSalvo } from '../../../../../daemon/contract/ndi-router.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import { useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import styles from '../NdiRouter.module.css';
import { captureSalvo, deleteSalvos, type Router, useSalvos } from '../router-query.ts';
import { useNoEditReason } from '../useRouterActs.ts';
import { RecallButton } from './RecallButton.tsx';

const SalvoDialog = deferredPart(() => import('./SalvoDialog.tsx'));

/** Stored sets of routes, as buttons that recall them. */
export default function SalvosTab({ router, mayEdit }: { router: Router; mayEdit: boolean }) {
  const { t } = useLingui();
  const salvos = useSalvos();
  const noEdit = useNoEditReason(mayEdit);
  const { name, id, open, close } = useDialogAddress();
  const limit = limits.ndiRouter.salvos;
  const full = salvos.length >= limit ? t`Limit of ${limit} salvos reached. Delete one first.` : undefined;
  const edited = name === 'salvo' ? salvos.find((salvo) => salvo.id === id) : undefined;
  const add = (
    <div className={styles.toolbar}>
      <WithReason reason={noEdit ?? full}>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add-salvo')}>
          <Trans>Add salvo</Trans>
        </Button>
      </WithReason>
    </div>
  );
  return (
    <>
      {salvos.length === 0 ? (
        <EmptyState icon={IconStack2} title={<Trans>No salvos yet</Trans>} action={add}>
          <Trans>A salvo switches several outputs at once. A new one starts with the current routes.</Trans>
        </EmptyState>
      ) : (
        <>
          {add}
          <ul className={styles.salvos}>
            {salvos.map((salvo) => (
              <li key={salvo.id} className={styles.salvo}>
                <RecallButton salvo={salvo} noEdit={noEdit}>
                  <span className={styles.hint}>
                    <Plural value={salvo.routes.length} one="# output" other="# outputs" />
                  </span>
                </RecallButton>
                {mayEdit && <SalvoMenu salvo={salvo} edit={() => open('salvo', salvo.id)} />}
              </li>
            ))}
          </ul>
        </>
      )}
      {mayEdit && (name === 'add-salvo' || edited !== undefined) && (
        <SalvoDialog key={edited?.id ?? 'new'} salvo={edited} router={router} onClose={close} />
      )}
    </>
  );
}

function SalvoMenu({ salvo, edit }: { salvo: NdiSalvo; edit: () => void }) {
  const { t } = useLingui();
  const { id, name, revision } = salvo;
  const capture = () =>
    confirm({
      title: t`Store the current routes in “${name}”?`,
      consequence: t`The routes that the salvo has now are replaced. Its outputs stay the same.`,
      verb: t`Store`,
      run: () => captureSalvo({ id, revision }),
      done: t`“${name}” was saved.`,
    });
  const remove = () =>
    confirm({
      title: t`Delete “${name}”?`,
      consequence: t`The outputs stay as they are.`,
      verb: t`Delete`,
      isDangerous: true,
      run: () => deleteSalvos({ id }),
      done: t`“${name}” was deleted.`,
    });
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: edit },
        { key: 'capture', text: t`Store current routes`, icon: IconCamera, onSelect: capture },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
      ]}
    />
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Button, SegmentedControl } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useCallback } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { NdiMark } from '../../shared/sources/NdiMark.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { MatrixTab } from './MatrixTab.tsx';
import { NameClash } from './NameClash.tsx';
import styles from './NdiRouter.module.css';
import { RouterNews } from './RouterNews.tsx';
import { RuntimeBanner } from './RuntimeBanner.tsx';
import { useRouter } from './router-query.ts';
import { useNoEditReason, useRouterActs } from './useRouterActs.ts';

const SourcesTab = deferredPart(() => import('./sources/SourcesTab.tsx'));
const OutputsTab = deferredPart(() => import('./outputs/OutputsTab.tsx'));
const SalvosTab = deferredPart(() => import('./salvos/SalvosTab.tsx'));
const SettingsTab = deferredPart(() => import('./SettingsTab.tsx'));
const NetworkSettings = deferredPart(() => import('./NetworkSettings.tsx'));
const InputDialog = deferredPart(() => import('./sources/InputDialog.tsx'));
const OutputDialog = deferredPart(() => import('./outputs/OutputDialog.tsx'));

const tabs = ['matrix', 'sources', 'outputs', 'salvos', 'settings'] as const;
type Tab = (typeof tabs)[number];

export default function NdiRouterPage() {
  const { t } = useLingui();
  const mayEdit = useMay('ndiEdit');
  const mayViewSystem = useMay('systemView');
  const noEdit = useNoEditReason(mayEdit);
  const router = useRouter();
  const acts = useRouterActs(router, mayEdit);
  const { tab, choose } = useTab();
  const { name, id, open, close } = useDialogAddress();
  const openOutput = useCallback((output: number) => open('output', output), [open]);
  const openInput = useCallback((input: number) => open('input', input), [open]);
  const addOutput = useCallback(() => open('add-output'), [open]);
  const input = name === 'input' ? router.inputs.get(id ?? 0) : undefined;
  const output = name === 'output' ? router.outputs.get(id ?? 0) : undefined;
  const shared = { router, acts, mayEdit, openOutput, openInput, addOutput };
  const names: Record<Tab, string> = {
    ...{ matrix: t`Matrix`, sources: t`Sources`, outputs: t`Outputs`, salvos: t`Salvos`, settings: t`Settings` },
  };
  return (
    <>
      <PageHeader
        title={t`NDI® Router`}
        actions={
          <Button
            component={Link}
            to={paths.ndiWall}
            variant="default"
            leftSection={<IconDeviceDesktop size={16} aria-hidden />}
          >
            <Trans>Wall mode</Trans>
          </Button>
        }
      />
      <div className={styles.page}>
        <RuntimeBanner runtime={router.router.runtime} />
        <NameClash router={router.router} />
        {noEdit && <p className={styles.hint}>{noEdit}</p>}
        <div className={styles.tabs}>
          <SegmentedControl
            size="sm"
            aria-label={t`Part of the router`}
            data={tabs.map((value) => ({ value, label: names[value] }))}
            value={tab}
            onChange={(next) => choose(next as Tab)}
          />
        </div>
        {tab === 'matrix' && <MatrixTab {...shared} showSources={() => choose('sources')} />}
        {tab === 'sources' && <SourcesTab {...shared} />}
        {tab === 'outputs' && <OutputsTab {...shared} />}
        {tab === 'salvos' && <SalvosTab router={router} mayEdit={mayEdit} />}
        {tab === 'settings' && <SettingsTab router={router} mayEdit={mayEdit} />}
        {tab === 'settings' && mayViewSystem && <NetworkSettings router={router.router} />}
        <NdiMark />
      </div>
      <RouterNews />
      {input && <InputDialog key={input.id} {...{ input, router, mayEdit }} onClose={close} />}
      {(output || (name === 'add-output' && mayEdit)) && (
        <OutputDialog key={output?.id ?? 'new'} {...{ output, router, acts, mayEdit }} onClose={close} />
      )}
    </>
  );
}

/** The chosen part is in the address. */
function useTab() {
  const [query, setQuery] = useSearchParams();
  const tab = tabs.find((one) => one === query.get('tab')) ?? 'matrix';
  const choose = (next: Tab) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before);
        if (next === 'matrix') changed.delete('tab');
        else changed.set('tab', next);
        return changed;
      },
      { replace: true },
    );
  return { tab, choose };
}

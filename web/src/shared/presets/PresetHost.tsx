import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { directions } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import { presetsQuery } from './preset-calls.ts';

const PresetDialog = deferredPart(() => import('./PresetDialog.tsx'));
const SavePresetDialog = deferredPart(() => import('./SavePresetDialog.tsx'));

type Kind = 'input' | 'output';

/** The available presets; empty without the permission to use them. */
function usePresets(kind: Kind) {
  return useQuery({ ...presetsQuery(directions[kind]), enabled: useMay('ioEdit') }).data ?? [];
}

export function PresetButton({ kind, dialog }: { kind: Kind; dialog: DialogAddress }) {
  const mayEdit = useMay('ioEdit');
  if (usePresets(kind).length === 0 || !mayEdit) return null;
  return (
    <Button variant="default" onClick={() => dialog.open('preset')}>
      <Trans>From a preset</Trans>
    </Button>
  );
}

interface PresetHostProps {
  readonly kind: Kind;
  readonly dialog: DialogAddress;
  /** The input or output named in the URL. */
  readonly about: { readonly id: number; readonly name: string } | undefined;
}

/** Shows the preset dialog named in the URL: the one that saves a preset, or the one that uses one. */
export function PresetHost({ kind, dialog, about }: PresetHostProps) {
  const { t } = useLingui();
  const mayEdit = useMay('ioEdit');
  const presets = usePresets(kind);
  if (!mayEdit) return null;
  return (
    <>
      {dialog.name === 'save-preset' && about !== undefined && (
        <SavePresetDialog kind={kind} source={about} onClose={dialog.close} />
      )}
      {dialog.name === 'preset' && presets.length > 0 && (
        <PresetDialog
          title={kind === 'input' ? t`Add input from a preset` : t`Add output from a preset`}
          verb={kind === 'input' ? t`Add input` : t`Add output`}
          presets={presets}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

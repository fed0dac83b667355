import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import type { PortSettings } from '../../../../daemon/contract/network-fields.ts';
import type { SectionPreview } from '../../../../daemon/contract/settings-file.ts';
import { networkApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { isEntry, nextHost } from '../../shared/confirmed-change/next-address.ts';
import RiskDialog from '../../shared/confirmed-change/RiskDialog.tsx';
import { type Confirmation, consoleAt, type Risk } from '../../shared/confirmed-change/risk.ts';
import { sectionName } from './section-names.ts';
import type { Import } from './upkeep-calls.ts';

interface AskToImportProps {
  /** Of the file. */
  readonly text: string;
  /** Those that are imported and change. */
  readonly sections: readonly SectionPreview[];
  readonly onImport: (confirmation: Confirmation) => Promise<Import>;
  /** The import was made without a safety net. */
  readonly onFinal: (done: Import) => void;
  /** It is being tried: the page is covered until it is confirmed or undone. */
  readonly onTrial: () => void;
  readonly onClose: () => void;
}

/** Asks before an import that changes how the hub is reached. */
export default function AskToImport({ text, sections, onImport, onFinal, onTrial, onClose }: AskToImportProps) {
  const { t, i18n } = useLingui();
  const { data: network, isError } = useQuery({
    queryKey: ['network', 'import'],
    queryFn: ({ signal }) => call(networkApi.get, { signal }),
  });
  const done = useRef<Import>(undefined);
  if (network === undefined && !isError) return null;
  const ports = network?.ports ?? [];
  const next = sections.some(({ name }) => name === 'network') ? nextPlace(text, ports) : 'same';
  const entry = ports.find((port) => isEntry(port, location.hostname))?.port.toUpperCase();
  const risk: Risk = {
    ...{ kind: 'settings', title: t`Import these settings?`, next },
    changes: sections.map((section) => {
      const name = i18n._(sectionName(section.name));
      // The others do not change where the console is.
      return section.effect === 'confirm' ? `${name}: ${namesIn(section)}` : name;
    }),
    now: entry === undefined ? <Trans>Not by an Ethernet port</Trans> : <Trans>By an address of {entry}</Trans>,
    async apply(confirmation) {
      done.current = await onImport(confirmation);
      if (done.current['confirm-by-s'] > 0) onTrial();
      return done.current;
    },
    onFinal: () => done.current && onFinal(done.current),
  };
  return <RiskDialog risk={risk} onClose={onClose} />;
}

/** Where the console will be. */
function nextPlace(text: string, ports: readonly NetworkPort[]): Risk['next'] {
  const { sections } = JSON.parse(text) as { sections: { network?: (PortSettings & { port: string })[] } };
  const hosts = ports.flatMap((port) => {
    const settings = sections.network?.find((one) => one.port === port.port);
    return settings === undefined ? [] : [nextHost(port, settings, location.hostname)];
  });
  const host = hosts.find((one) => one !== 'same') ?? 'same';
  return host === 'same' || host === 'unknown' ? host : [consoleAt(host, location)];
}

const shownNames = 6;

function namesIn({ added, changed, removed }: SectionPreview): string {
  const names = [
    ...added.map((name) => `+ ${name}`),
    ...changed.map(({ name }) => name),
    ...removed.map((name) => `− ${name}`),
  ];
  return `${names.slice(0, shownNames).join(', ')}${names.length > shownNames ? ' …' : ''}`;
}

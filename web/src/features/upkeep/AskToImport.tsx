import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import type { PortSettings } from '../../../../daemon/contract/network-fields.ts';
import type { SectionPreview } from '../../../../daemon/contract/settings-file.ts';
import { networkApi, settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { isEntry, nextHost } from '../../shared/confirmed-change/next-address.ts';
import RiskDialog from '../../shared/confirmed-change/RiskDialog.tsx';
import { type Confirmation, consoleAt, type Risk } from '../../shared/confirmed-change/risk.ts';
import { consoleMove, type WebPorts } from '../../shared/system/console-move.ts';
import { sectionName } from './section-names.ts';
import type { Import } from './upkeep-calls.ts';

interface AskToImportProps {
  /** Of the file. */
  readonly text: string;
  /** The sections that are imported and change. */
  readonly sections: readonly SectionPreview[];
  readonly onImport: (confirmation: Confirmation) => Promise<Import>;
  /** Called after an import without a safety net. */
  readonly onFinal: (done: Import) => void;
  /** Called when the import is on trial: the page is covered until it is confirmed or undone. */
  readonly onTrial: () => void;
  readonly onClose: () => void;
}

/** Asks before an import that changes how the hub is reached. */
export default function AskToImport({ text, sections, onImport, onFinal, onTrial, onClose }: AskToImportProps) {
  const { t, i18n } = useLingui();
  const { data: now, isError } = useQuery({
    queryKey: ['network', 'import'],
    queryFn: async ({ signal }) => {
      const [network, { web }] = await Promise.all([
        call(networkApi.get, { signal }),
        call(settingsApi.get, { signal }),
      ]);
      const places = { httpPort: web['http-port'], isHttps: web['enable-https'], httpsPort: web['https-port'] };
      return { ports: network.ports, web: places };
    },
  });
  const done = useRef<Import>(undefined);
  if (now === undefined && !isError) return null;
  const ports = now?.ports ?? [];
  const isUsed = (section: string) => sections.some(({ name }) => name === section);
  const next = now === undefined ? 'same' : nextPlace(text, { isUsed, ...now });
  const entry = ports.find((port) => isEntry(port, location.hostname))?.port.toUpperCase();
  const risk: Risk = {
    ...{ kind: 'settings', title: t`Import these settings?`, next },
    changes: sections.map((section) => {
      const name = i18n._(sectionName(section.name));
      // The others do not change where the console is.
      if (section.effect !== 'confirm') return name;
      const names = namesIn(section);
      return t`${name}: ${names}`;
    }),
    now:
      entry === undefined ? (
        <Trans>Reached through neither ETH1 nor ETH2</Trans>
      ) : (
        <Trans>Reached through {entry}</Trans>
      ),
    async apply(confirmation) {
      done.current = await onImport(confirmation);
      if (done.current['confirm-by-s'] > 0) onTrial();
      return done.current;
    },
    onFinal: () => done.current && onFinal(done.current),
  };
  return <RiskDialog risk={risk} onClose={onClose} />;
}

interface FileSections {
  readonly network?: readonly (PortSettings & { readonly port: string })[];
  readonly web?: readonly { 'http-port': number; 'enable-https': boolean; 'https-port': number }[];
}

/** Finds the address that the console will have. */
function nextPlace(
  text: string,
  { isUsed, ports, web }: { isUsed: (section: string) => boolean; ports: readonly NetworkPort[]; web: WebPorts },
): Risk['next'] {
  const { sections } = JSON.parse(text) as { sections: FileSections };
  const hosts = ports.flatMap((port) => {
    const settings = isUsed('network') && sections.network?.find((one) => one.port === port.port);
    return settings ? [nextHost(port, settings, location.hostname)] : [];
  });
  const host = hosts.find((one) => one !== 'same') ?? 'same';
  if (host === 'unknown') return host;
  const [asked] = (isUsed('web') && sections.web) || [];
  const next = asked && {
    ...{ httpPort: asked['http-port'], isHttps: asked['enable-https'], httpsPort: asked['https-port'] },
  };
  const move = next === undefined ? { kind: 'stays' as const } : consoleMove(location, web, next);
  // Through a proxy, the address of this page stays or no longer answers.
  const place = move.kind === 'moves' ? new URL(move.to) : undefined;
  if (host === 'same') return place === undefined ? 'same' : [place.href];
  return [consoleAt(host, place ?? location)];
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

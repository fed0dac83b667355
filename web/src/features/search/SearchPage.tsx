import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { IconSearch, IconSearchOff } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { paths, searchedPath } from '../../lib/paths.ts';
import { useDeviceSearch } from '../../shared/devices/device-search.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './SearchPage.module.css';
import { deviceResultColumns } from './search-columns.tsx';
import { type ObjectResult, useObjectResults } from './useObjectResults.ts';

/** Devices that are shown; the list of devices shows the rest. */
const maxDevices = 50;

/** Finds devices by name, serial number, address and group, and everything else by name. The text is in the address. */
export default function SearchPage() {
  const { t } = useLingui();
  const [query, setQuery] = useSearchParams();
  const text = query.get('q') ?? '';
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const change = (next: string) => setQuery(next === '' ? {} : { q: next }, { replace: true });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the links in it
    <div ref={box} onKeyDown={moveFocus}>
      <PageHeader title={t`Search`} />
      <div className={styles.field}>
        <SearchField text={text} change={change} />
      </div>
      {text.trim() === '' ? (
        <EmptyState icon={IconSearch} title={<Trans>Search the whole hub</Trans>}>
          <Trans>
            Devices are found by name, serial number, address and group; channels, inputs, outputs and users by name.
          </Trans>
        </EmptyState>
      ) : (
        <Results text={text.trim()} />
      )}
    </div>
  );
}

function Results({ text }: { text: string }) {
  const { t } = useLingui();
  const devices = useDeviceSearch(text, maxDevices);
  const groups = useObjectResults(text);
  const count = (devices?.total ?? 0) + groups.reduce((sum, { list }) => sum + list.length, 0);
  const isDone = devices !== undefined;
  return (
    <div className={styles.results}>
      <p className={styles.count} role="status">
        {isDone && count > 0 && <Plural value={count} one="# result" other="# results" />}
      </p>
      {isDone && count === 0 && (
        <EmptyState icon={IconSearchOff} title={<Trans>Nothing matches the search</Trans>}>
          <Trans>Names, serial numbers and addresses may be typed in part.</Trans>
        </EmptyState>
      )}
      {devices !== undefined && devices.list.length > 0 && (
        <Panel
          title={<Trans>Devices</Trans>}
          isFlush
          aside={
            devices.total > devices.list.length && (
              <Link to={searchedPath(paths.devices, text)}>
                <Trans>All {devices.total}</Trans>
              </Link>
            )
          }
        >
          <TableGrid label={t`Devices`} columns={deviceResultColumns} rows={devices.list} />
        </Panel>
      )}
      {groups
        .filter(({ list }) => list.length > 0)
        .map(({ key, title, list }) => (
          <Panel key={key} title={title} isFlush>
            <ul className={styles.links}>
              {list.map(({ id, name, path, note }: ObjectResult) => (
                <li key={id}>
                  <Link to={path}>{name}</Link>
                  {note !== undefined && <span className={styles.note}>{note}</span>}
                </li>
              ))}
            </ul>
          </Panel>
        ))}
    </div>
  );
}

/** The arrow keys move from the field to the results and between them. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.nativeEvent.isComposing) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input[type="search"], td a, li a, dd a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + step];
  if (at === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

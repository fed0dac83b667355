import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { IconRadar2, IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { faultOf } from '../../../lib/call-error.ts';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { FormFault } from '../../../ui/feedback/FormFault.tsx';
import styles from './FindDevices.module.css';
import { FoundDevice } from './FoundDevice.tsx';
import { canBeAdded, type DeviceSearch, type FoundRow } from './useDeviceSearch.ts';

interface FindDevicesProps {
  readonly search: DeviceSearch;
  /** Of the field for the subnet, which starts a search. */
  readonly subnet: Field;
  readonly user: Field;
  readonly password: Field;
  readonly onStart: () => void;
  /** The field for the group. */
  readonly children: ReactNode;
}

type Field = ReturnType<ReturnType<typeof import('@mantine/form').useForm>['getInputProps']>;

/** Looks for devices in the networks of the hub; those that are chosen are added with one user and password. */
export function FindDevices({ search, subnet, user, password, onStart, children }: FindDevicesProps) {
  const { t } = useLingui();
  const { rows, isRunning, task, start, cancel } = search;
  const known = rows.filter(({ api }) => api !== undefined);
  const wasStarted = isRunning || task !== undefined;
  return (
    <>
      <p className={styles.text}>
        <Trans>
          The hub asks all devices in its networks to announce themselves (mDNS, SSDP, ONVIF), and tries up to 1,024
          addresses of each network. It sends no password.
        </Trans>
      </p>
      <div className={styles.start}>
        <TextInput
          className={styles.subnet}
          label={t`Subnet`}
          placeholder={t`All networks of the hub`}
          autoComplete="off"
          disabled={isRunning}
          {...subnet}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Without this, it would add the devices that are chosen.
            event.preventDefault();
            if (!isRunning) onStart();
          }}
        />
        {isRunning ? (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            <Trans>Stop</Trans>
          </Button>
        ) : (
          <Button
            variant={wasStarted ? 'default' : 'filled'}
            loading={start.isPending}
            leftSection={wasStarted ? <IconRefresh size={16} aria-hidden /> : <IconRadar2 size={16} aria-hidden />}
            onClick={onStart}
          >
            {wasStarted ? <Trans>Search again</Trans> : <Trans>Search</Trans>}
          </Button>
        )}
      </div>
      {start.isError && <StartFault error={start.error} />}
      {wasStarted && <Progress search={search} count={known.length} />}
      {known.length > 0 && <FoundList search={search} rows={known} />}
      <Others rows={rows.filter(({ api }) => api === undefined)} search={search} />
      {known.length > 0 && (
        <>
          <div className={styles.halves}>
            <TextInput label={t`Username on the devices`} autoComplete="off" {...user} />
            <PasswordInput
              label={t`Password on the devices`}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
              {...password}
            />
          </div>
          {children}
        </>
      )}
    </>
  );
}

function StartFault({ error }: { error: unknown }) {
  const fault = faultOf(error);
  // At the field.
  if (fault === 'invalidArgument') return null;
  if (fault === 'inProgress') {
    return (
      <FormFault>
        <Trans>Another user is searching. Try again when that search has ended.</Trans>
      </FormFault>
    );
  }
  if (fault === 'unsupported') {
    return (
      <FormFault>
        <Trans>The hub has no private IPv4 network. Add devices by address, or connect them with an agent.</Trans>
      </FormFault>
    );
  }
  return <ActFault error={error} />;
}

function Progress({ search: { task, isRunning }, count }: { search: DeviceSearch; count: number }) {
  const { t } = useLingui();
  const { done = 0, total = 0, state, subject } = task ?? {};
  return (
    <div className={styles.progress}>
      {isRunning && (
        <progress aria-label={t`Search for devices`} {...(total > 0 && done > 0 && { max: total, value: done })} />
      )}
      <p role="status">
        {count > 0 ? (
          <Plural value={count} one="# device found" other="# devices found" />
        ) : isRunning ? (
          <Trans>Searching…</Trans>
        ) : (
          <Trans>No devices found</Trans>
        )}
        {isRunning && total > 0 && (
          <span className={styles.quiet}>
            {' '}
            <Trans>
              {done} of {total} addresses
            </Trans>
          </span>
        )}
        {state === 'canceled' && (
          <span className={styles.quiet}>
            {' '}
            <Trans>The search was stopped.</Trans>
          </span>
        )}
        {state === 'interrupted' && (
          <span className={styles.quiet}>
            {' '}
            <Trans>The hub was restarted during the search.</Trans>
          </span>
        )}
      </p>
      {!isRunning && count === 0 && (
        <p className={styles.quiet}>
          <Trans>
            No known device answered in <span translate="no">{subject}</span>. Check that the devices are on and in the
            same network as the hub. Add devices of other networks by address, or connect them with an agent.
          </Trans>
        </p>
      )}
    </div>
  );
}

function FoundList({ search, rows }: { search: DeviceSearch; rows: readonly FoundRow[] }) {
  const { t } = useLingui();
  const { chosen, choose } = search;
  const open = rows.filter(canBeAdded).map(({ host }) => host);
  const count = open.filter((host) => chosen.has(host)).length;
  return (
    <div>
      {open.length > 1 && (
        <Checkbox
          className={styles.all}
          label={t`Select all`}
          checked={count === open.length}
          indeterminate={count > 0 && count < open.length}
          onChange={({ currentTarget }) => choose(open, currentTarget.checked)}
        />
      )}
      <ul className={styles.list} aria-label={t`Found devices`}>
        {rows.map((row) => (
          <FoundDevice key={row.host} row={row} search={search} isOpen={canBeAdded(row)} />
        ))}
      </ul>
    </div>
  );
}

/** Machines that announce themselves and have no API that the hub knows: they tell why a device is missing above. */
function Others({ rows, search }: { rows: readonly FoundRow[]; search: DeviceSearch }) {
  const { t } = useLingui();
  const id = useId();
  const [isShown, setShown] = useState(false);
  if (rows.length === 0) return null;
  return (
    <div>
      <Button size="xs" variant="subtle" aria-expanded={isShown} aria-controls={id} onClick={() => setShown(!isShown)}>
        <Plural value={rows.length} one="# other machine" other="# other machines" />
      </Button>
      <div id={id} hidden={!isShown}>
        <p className={`${styles.quiet} ${styles.other}`}>
          <Trans>These announce themselves, but have no API that the hub knows.</Trans>
        </p>
        <ul className={styles.list} aria-label={t`Other machines`}>
          {rows.map((row) => (
            <FoundDevice key={row.host} row={row} search={search} isOpen={false} />
          ))}
        </ul>
      </div>
    </div>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import styles from './upgrade.module.css';
import { upgradeFaultTexts } from './upgrade-look.ts';
import type { Candidate } from './upgrade-plan.ts';

interface CandidateListProps {
  readonly candidates: readonly Candidate[];
  /** Serial numbers of those that are left out. */
  readonly left: ReadonlySet<string>;
  readonly setLeft: (left: ReadonlySet<string>) => void;
}

/** The devices with a box for each that can be upgraded, and the reason of the others. */
export function CandidateList({ candidates, left, setLeft }: CandidateListProps) {
  const { t } = useLingui();
  const able = candidates.filter(({ reason }) => reason === undefined).map(({ device }) => device.sn);
  const total = candidates.length;
  const count = able.filter((sn) => !left.has(sn)).length;
  const toggle = (sn: string) => {
    const next = new Set(left);
    if (!next.delete(sn)) next.add(sn);
    setLeft(next);
  };
  return (
    <div>
      <div className={styles.listHead}>
        <span className={styles.sum} aria-live="polite">
          {able.length === 0 ? (
            <Trans>No device can be upgraded with this file now</Trans>
          ) : (
            <Trans>
              {count} of {total} selected
            </Trans>
          )}
        </span>
        {able.length > 1 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => setLeft(count === able.length ? new Set(able) : new Set())}
          >
            {count === able.length ? <Trans>Select none</Trans> : <Trans>Select all</Trans>}
          </Button>
        )}
      </div>
      {candidates.length > 0 && (
        <ul className={styles.list} aria-label={t`Devices`}>
          {candidates.map((one) => (
            <CandidateRow key={one.device.sn} one={one} isLeft={left.has(one.device.sn)} toggle={toggle} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface CandidateRowProps {
  readonly one: Candidate;
  readonly isLeft: boolean;
  readonly toggle: (sn: string) => void;
}

function CandidateRow({ one: { device, reason, isLower }, isLeft, toggle }: CandidateRowProps) {
  const { i18n } = useLingui();
  const { sn, name } = device;
  return (
    <li>
      <label className={styles.row} data-disabled={reason !== undefined}>
        <input
          type="checkbox"
          checked={reason === undefined && !isLeft}
          disabled={reason !== undefined}
          onChange={() => toggle(sn)}
        />
        <span className={styles.name} translate="no">
          {name}
        </span>
        <span className={styles.facts}>
          {device['module-name']} · {device['firmware-ver']}
        </span>
        {reason !== undefined && <span className={styles.reason}>{i18n._(upgradeFaultTexts[reason])}</span>}
        {isLower && (
          <span className={styles.lower}>
            <Trans>Will be downgraded</Trans>
          </span>
        )}
      </label>
    </li>
  );
}
